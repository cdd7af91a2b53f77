"""The states of conversations: what they are, when they are computed, and how long they are cached."""
