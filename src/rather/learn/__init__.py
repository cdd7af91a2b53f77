"""Learning user and item vectors from ratings, for catalogues that come with nothing but a ratings table."""

from rather.learn.als import als
from rather.learn.attribute_users import attribute_users
from rather.learn.factors import Factors
from rather.learn.interactions import SuggestedInteraction, suggest_interactions
from rather.learn.pmf import pmf

__all__ = ["Factors", "SuggestedInteraction", "als", "attribute_users", "pmf", "suggest_interactions"]
