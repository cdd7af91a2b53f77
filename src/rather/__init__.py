"""Ask a person the few questions that matter, then recommend.

```python
import rather

catalog, belief = rather.open("cars.csv")
session = rather.Session(rather.Policy(catalog, belief, k=2, seed=0))
question = session.ask()
session.tell(question, choice=0)
session.recommend(5)
```

Names are imported when first used, so that `rather --help` need not wait for torch.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from rather.client import Client as Client
    from rather.conversation.adjusting import Adjustment as Adjustment
    from rather.conversation.cached import CachedPolicy as CachedPolicy
    from rather.conversation.contradictions import Contradiction as Contradiction
    from rather.conversation.logged_history import hint_history as hint_history
    from rather.conversation.logged_history import history as history
    from rather.conversation.plans import Plan as Plan
    from rather.conversation.policy import Policy as Policy
    from rather.conversation.reading_cost import ReadingCost as ReadingCost
    from rather.conversation.session import Session as Session
    from rather.conversation.stopping import Stop as Stop
    from rather.conversation.stopping import Stopping as Stopping
    from rather.conversation.tasks import Task as Task
    from rather.errors import RatherError as RatherError
    from rather.formats.opened import Opened as Opened
    from rather.formats.opening import open as open
    from rather.formats.scores import from_scores as from_scores
    from rather.formats.spaces.definition import Extra as Extra
    from rather.formats.spaces.definition import NumberRange as NumberRange
    from rather.formats.spaces.definition import Option as Option
    from rather.formats.spaces.definition import ProductSpace as ProductSpace
    from rather.formats.spaces.definition import Total as Total
    from rather.formats.utility_models import from_utility as from_utility
    from rather.model.attributes import Attribute as Attribute
    from rather.model.belief import Belief as Belief
    from rather.model.catalog import Catalog as Catalog
    from rather.model.hints import Hint as Hint
    from rather.model.personal_noise import PersonalNoise as PersonalNoise
    from rather.model.priors import Prior as Prior
    from rather.model.questions import Question as Question
    from rather.model.questions import Recommendation as Recommendation
    from rather.model.rejuvenation import Rejuvenation as Rejuvenation
    from rather.model.responses import NONE as NONE
    from rather.model.responses import SAME as SAME
    from rather.model.responses import SKIP as SKIP
    from rather.model.responses import Answer as Answer
    from rather.model.responses import Logistic as Logistic
    from rather.model.responses import Noiseless as Noiseless
    from rather.model.responses import ResponseModel as ResponseModel
    from rather.model.statements import Adjust as Adjust
    from rather.model.statements import DontCare as DontCare
    from rather.model.statements import LikeBut as LikeBut
    from rather.model.statements import MoreLike as MoreLike
    from rather.model.statements import Want as Want
    from rather.model.utilities import IdealPoints as IdealPoints
    from rather.model.utilities import NeuralUtility as NeuralUtility
    from rather.model.utilities import UtilityModel as UtilityModel
    from rather.planning.planner import plan as plan
    from rather.retrieval import ExactRetriever as ExactRetriever
    from rather.retrieval import Retriever as Retriever
    from rather.simulation.users import SimulatedUser as SimulatedUser
    from rather.strategies import ATTRIBUTE_STRATEGIES as ATTRIBUTE_STRATEGIES
    from rather.strategies import STRATEGIES as STRATEGIES
    from rather.strategies import Problem as Problem
    from rather.strategies import Strategy as Strategy
    from rather.strategies import strategy_named as strategy_named
    from rather.value import BestItem as BestItem
    from rather.value import BestOfList as BestOfList
    from rather.value import DiscountedList as DiscountedList
    from rather.value import Objective as Objective
    from rather.value import RiskAverse as RiskAverse
    from rather.value import Satisfaction as Satisfaction
    from rather.value import SmoothBestOfList as SmoothBestOfList
    from rather.value import evoi as evoi

_HOMES = {
    "client": ("Client",),
    "conversation.adjusting": ("Adjustment",),
    "conversation.cached": ("CachedPolicy",),
    "conversation.contradictions": ("Contradiction",),
    "conversation.logged_history": ("hint_history", "history"),
    "conversation.plans": ("Plan",),
    "conversation.policy": ("Policy",),
    "conversation.reading_cost": ("ReadingCost",),
    "conversation.session": ("Session",),
    "conversation.stopping": ("Stop", "Stopping"),
    "conversation.tasks": ("Task",),
    "errors": ("RatherError",),
    "formats.opened": ("Opened",),
    "formats.opening": ("open",),
    "formats.scores": ("from_scores",),
    "formats.spaces.definition": ("Extra", "NumberRange", "Option", "ProductSpace", "Total"),
    "formats.utility_models": ("from_utility",),
    "model.belief": ("Belief",),
    "model.catalog": ("Catalog",),
    "model.hints": ("Hint",),
    "model.statements": ("Adjust", "DontCare", "LikeBut", "MoreLike", "Want"),
    "model.personal_noise": ("PersonalNoise",),
    "model.priors": ("Prior",),
    "model.questions": ("Question", "Recommendation"),
    "model.rejuvenation": ("Rejuvenation",),
    "model.responses": ("NONE", "SAME", "SKIP", "Answer", "Logistic", "Noiseless", "ResponseModel"),
    "model.attributes": ("Attribute",),
    "model.utilities": ("IdealPoints", "NeuralUtility", "UtilityModel"),
    "planning.planner": ("plan",),
    "retrieval": ("ExactRetriever", "Retriever"),
    "simulation.users": ("SimulatedUser",),
    "strategies": (
        "ATTRIBUTE_STRATEGIES",
        "STRATEGIES",
        "Problem",
        "Strategy",
        "strategy_named",
    ),
    "value": (
        "BestItem",
        "BestOfList",
        "DiscountedList",
        "Objective",
        "RiskAverse",
        "Satisfaction",
        "SmoothBestOfList",
        "evoi",
    ),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}

__all__ = ["__version__", *_HOME_OF]


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'rather' has no attribute {name!r}")
    return getattr(import_module(f"rather.{_HOME_OF[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
