"""Learning vectors of users and items, or other utilities, from ratings, and people from their answers."""

from rather.learn.als import als
from rather.learn.attribute_users import attribute_users
from rather.learn.conversations import Conversation, Conversations, conversations_of
from rather.learn.factors import Factors
from rather.learn.hierarchical_bayes import Population, Segments
from rather.learn.interactions import SuggestedInteraction, suggest_interactions
from rather.learn.noise import population_noise
from rather.learn.pmf import pmf
from rather.learn.population import population
from rather.learn.utility_models import LearntUtility, learn_utility

__all__ = [
    "Conversation",
    "Conversations",
    "Factors",
    "LearntUtility",
    "Population",
    "Segments",
    "SuggestedInteraction",
    "als",
    "attribute_users",
    "conversations_of",
    "learn_utility",
    "pmf",
    "population",
    "population_noise",
    "suggest_interactions",
]
