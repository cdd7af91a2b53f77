"""Computing for the service: the states of conversations, when they are computed, and by whom."""
