"""Stored sessions: what is stored of a conversation, and in which database."""
