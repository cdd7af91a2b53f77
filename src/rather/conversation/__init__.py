"""One conversation: which question next, what an answer teaches, when to stop, and the log of it."""
