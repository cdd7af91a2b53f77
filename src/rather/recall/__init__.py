"""First questions for free: what sessions with the same settings asked and believed after the same answers.

A question follows from the settings (catalogue, belief, strategy, seed, …) and the answers so far. So the first levels
of the tree of answers are computed once and then remembered, in this process and in the user's cache directory. What
is remembered is what would be computed; who cannot be told apart by content (a strategy, response or retriever that is
not this package's) is never remembered.
"""

from rather.recall.memory import Memory, shared_memory
from rather.recall.shortlists import recalled_shortlist
from rather.recall.tree import Tree

__all__ = ["Memory", "Tree", "recalled_shortlist", "shared_memory"]
