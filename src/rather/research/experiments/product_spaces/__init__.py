"""Experiments about product spaces: regret in configurators, and beside published constructive elicitation."""
