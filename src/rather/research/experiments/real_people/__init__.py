"""Experiments in which recorded ratings answer: people whom nothing was learnt from, and stars instead of utilities."""
