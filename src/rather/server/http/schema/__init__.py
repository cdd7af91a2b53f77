"""What goes over the wire: every request and response body, with the words its documentation uses."""

from rather.server.http.schema.catalogs import Attribute, Attributes, Catalog, Catalogs, FilterOption, FilterValue
from rather.server.http.schema.operations import AdminSession, AdminSessions, Expired, Health
from rather.server.http.schema.results import (
    Answered,
    Fact,
    History,
    Option,
    Profile,
    Question,
    Recommendation,
    Recommendations,
    Session,
    Stop,
    Taste,
    Turn,
    Why,
)
from rather.server.http.schema.sessions import Log, NewAnswer, NewFilters, NewSession, Undo
from rather.server.http.schema.vocabulary import Ask, Choice, Filter, Filters, Kind, Where

__all__ = [
    "AdminSession",
    "AdminSessions",
    "Answered",
    "Ask",
    "Attribute",
    "Attributes",
    "Catalog",
    "Catalogs",
    "Choice",
    "Expired",
    "Fact",
    "Filter",
    "FilterOption",
    "FilterValue",
    "Filters",
    "Health",
    "History",
    "Kind",
    "Log",
    "NewAnswer",
    "NewFilters",
    "NewSession",
    "Option",
    "Profile",
    "Question",
    "Recommendation",
    "Recommendations",
    "Session",
    "Stop",
    "Taste",
    "Turn",
    "Undo",
    "Where",
    "Why",
]
