"""Experiments in which people answer with more or less noise than is assumed of them."""
