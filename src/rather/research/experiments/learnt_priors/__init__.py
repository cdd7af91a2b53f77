"""Experiments in which a prior is learnt from conversations, and new people are asked with it."""
