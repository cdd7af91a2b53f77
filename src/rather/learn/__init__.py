"""Learning vectors of users and items, or other utilities, from ratings, and people's noise from their answers."""

from rather.learn.als import als
from rather.learn.attribute_users import attribute_users
from rather.learn.factors import Factors
from rather.learn.interactions import SuggestedInteraction, suggest_interactions
from rather.learn.noise import population_noise
from rather.learn.pmf import pmf
from rather.learn.utility_models import LearntUtility, learn_utility

__all__ = [
    "Factors",
    "LearntUtility",
    "SuggestedInteraction",
    "als",
    "attribute_users",
    "learn_utility",
    "pmf",
    "population_noise",
    "suggest_interactions",
]
