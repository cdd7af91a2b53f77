"""Conversations with simulated users, in parallel and on a cluster."""
