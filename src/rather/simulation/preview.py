"""What people would be asked about a catalogue and told in the end, for its owner to read before they do."""

from dataclasses import dataclass, field

from rather.conversation.policy import Policy
from rather.conversation.policy_settings import AskKind
from rather.conversation.reasons import Reason
from rather.conversation.session import Session
from rather.conversation.wording import question_in, recommendations_in
from rather.errors import NoQuestionLeftError
from rather.languages import ENGLISH
from rather.model.belief import Belief
from rather.model.catalog import Catalog
from rather.model.questions import Question, Recommendation
from rather.simulation.users import SimulatedUser

# What is asked about, how many attributes an option has, and the share of the questions.
PARTS: tuple[tuple[AskKind, int, float], ...] = (("items", 1, 0.3), ("attributes", 1, 0.4), ("attributes", 2, 0.3))
RECOMMENDED = 3


@dataclass(frozen=True)
class PreviewedConversation:
    """A conversation with a simulated user.

    Attributes:
        questions: What was asked.
        recommended: The best items in the end, each with the reasons for it.
    """

    questions: tuple[Question, ...]
    recommended: tuple[tuple[Recommendation, tuple[Reason, ...]], ...] = field(repr=False)


def preview(
    catalog: Catalog, belief: Belief, *, count: int = 20, seed: int = 0, language: str = ENGLISH
) -> list[PreviewedConversation]:
    """Conversations of about `count` questions in all: about items, about attributes, and about pairs of attributes.

    Args:
        catalog: What is asked about.
        belief: Before the first question; the simulated user is one of its particles.
        count: How many questions.
        seed: Of the questions and of the user.
        language: That of the questions and reasons.
    """
    parts = PARTS if catalog.attributes else (("items", 1, 1.0),)
    user = belief.particles[seed % len(belief)]
    conversations = []
    for ask, p, share in parts:
        policy = Policy(catalog, belief, seed=seed, ask=ask, p=p)
        conversations.append(
            _conversation(policy, SimulatedUser(user, policy.response, seed), round(share * count), language)
        )
    return conversations


def _conversation(policy: Policy, user: SimulatedUser, count: int, language: str) -> PreviewedConversation:
    session = Session(policy)
    for _ in range(count):
        try:
            question = session.ask()
        except NoQuestionLeftError:
            break
        session.tell(question, user.answer(question))
    asked = tuple(question_in(turn.question, policy.catalog, language) for turn in session.turns)
    best = recommendations_in(session.recommend(RECOMMENDED), policy.catalog, language)
    return PreviewedConversation(asked, tuple(zip(best, session.reasons(best, language=language), strict=True)))
