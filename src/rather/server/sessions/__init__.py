"""Stored sessions: what is kept of a conversation, and where."""
