"""The bodies of all responses.

What shares its name with something of the library ends in `View`; the API description leaves that ending out.
"""

from rather.server.http.schema.catalogs import (
    AttributesView,
    AttributeView,
    CatalogsView,
    CatalogView,
    FilterOption,
    FilterValue,
    HintOption,
)
from rather.server.http.schema.conversations import (
    Answered,
    Fact,
    HintView,
    History,
    OptionFact,
    OptionView,
    Profile,
    QuestionView,
    ReasonView,
    RecommendationsView,
    RecommendationView,
    SessionView,
    StopView,
    StudyView,
    Taste,
    TurnView,
    Wish,
)
from rather.server.http.schema.operations import (
    AdminSession,
    AdminSessions,
    Expired,
    Health,
    ReloadedCatalog,
    ReloadedCatalogs,
)

__all__ = [
    "AdminSession",
    "AdminSessions",
    "Answered",
    "AttributeView",
    "AttributesView",
    "CatalogView",
    "CatalogsView",
    "Expired",
    "Fact",
    "FilterOption",
    "FilterValue",
    "Health",
    "HintOption",
    "HintView",
    "History",
    "OptionFact",
    "OptionView",
    "Profile",
    "QuestionView",
    "ReasonView",
    "RecommendationView",
    "RecommendationsView",
    "ReloadedCatalog",
    "ReloadedCatalogs",
    "SessionView",
    "StopView",
    "StudyView",
    "Taste",
    "TurnView",
    "Wish",
]
