"""The tools that assistants call. Whatever computes runs in a thread, so that the protocol is never held up."""

from collections.abc import Callable
from typing import TypeVar

import anyio
from anyio import to_thread

from rather.assistants import arguments as given
from rather.assistants.conversation import Conversation, Opening
from rather.assistants.limits import Limits
from rather.assistants.offered_catalog import OfferedCatalog, Wanted
from rather.assistants.open_conversations import OpenConversations
from rather.assistants.problems import ProblemError
from rather.assistants.results import (
    AdjustmentResult,
    CatalogResult,
    ClosedResult,
    ItemsResult,
    KnownResult,
    RecommendationsResult,
    StateResult,
)
from rather.numerics.threads import available_cores

Result = TypeVar("Result")


class Cores:
    """Lets as many computations run at the same time as there are cores.

    Args:
        count: How many.
        wait_seconds: How long one may wait for its turn.
    """

    def __init__(self, count: int, wait_seconds: float) -> None:
        self._free = anyio.Semaphore(count)
        self._wait_seconds = wait_seconds

    async def compute(self, work: Callable[[], Result]) -> Result:
        """The result of work that is done in a thread."""
        try:
            with anyio.fail_after(self._wait_seconds):
                await self._free.acquire()
        except TimeoutError:
            raise ProblemError(
                "All cores are busy with other conversations.", "Make the same call again in a few seconds."
            ) from None
        try:
            return await to_thread.run_sync(work)
        finally:
            self._free.release()


class Tools:
    """The tools of one server; the docstrings are what assistants read.

    Args:
        offered: What conversations are about.
        limits: How much assistants may use.
        conversations: Those that are open.
    """

    def __init__(self, offered: OfferedCatalog, limits: Limits, conversations: OpenConversations) -> None:
        self._offered = offered
        self._conversations = conversations
        self._cores = Cores(available_cores(), limits.wait_seconds)

    async def open_conversation(
        self,
        k: given.SlateSize = 2,
        ask: given.Asking = "items",
        p: given.AttributeCount = 1,
        must_haves: given.MustHaves = [],  # noqa: B006 - never changed; a schema with a default needs no null
        where: given.Where = None,
        questions: given.MostQuestions = 25,
        seed: given.Seed = 0,
        language: given.Language = "en",
    ) -> StateResult:
        """Start finding out what a person likes. Returns the id of the conversation and the first question to ask.

        Open one conversation per person and choice, as soon as they want a recommendation. Must-haves that they have
        already mentioned can be passed here; other wishes by state_wish afterwards.
        """
        opening = Opening(k, ask, p, questions, seed, language)
        wanted = Wanted(tuple(must_haves), where)
        with self._conversations.opening() as id:
            conversation, state = await self._cores.compute(lambda: _opened(id, self._offered, opening, wanted))
            self._conversations.add(conversation)
        return state

    async def next_question(self, conversation: given.ConversationId) -> StateResult:
        """The question to ask the person now. It stays the same until it is answered.

        Also gives a question when the conversation said that it is time to stop, if the person wants to go on.
        """
        return await self._use(conversation, Conversation.next_question)

    async def answer_question(
        self, conversation: given.ConversationId, question: given.QuestionNumber, choice: given.Choice
    ) -> StateResult:
        """Record what the person answered to the open question. Returns the next question, or why to stop asking.

        Only record what the person said; never guess an answer. If they prefer not to say, pass `skip`.
        """
        return await self._use(conversation, lambda it: it.answer(question, choice))

    async def state_wish(
        self,
        conversation: given.ConversationId,
        says: given.Says,
        item: given.WishedItem = None,
        column: given.WishedColumn = None,
        toward: given.WishedToward = None,
        attribute: given.WishedAttribute = None,
    ) -> StateResult:
        """Record something that the person says without being asked: a preference, which other merits may outweigh.

        `more-like` needs `item`; `like-but` needs `item`, `column` and `toward`; `want` needs `attribute`; `dont-care`
        needs `column`. What they would accept on no account is not a wish: use set_must_haves.
        """
        return await self._use(conversation, lambda it: it.wish(says, item, column, toward, attribute))

    async def set_must_haves(
        self,
        conversation: given.ConversationId,
        must_haves: given.MustHaves = [],  # noqa: B006 - as above
        where: given.Where = None,
    ) -> StateResult:
        """Ask about and recommend only items that have all of these from now on. What the person said so far counts on.

        Replaces the earlier must-haves: pass those that still hold as well, and nothing to drop them all.
        """
        return await self._use(conversation, lambda it: it.want(Wanted(tuple(must_haves), where)))

    async def take_back(self, conversation: given.ConversationId) -> StateResult:
        """Take the last answer or wish back, as if it had not been said."""
        return await self._use(conversation, Conversation.take_back)

    async def recommend(
        self,
        conversation: given.ConversationId,
        count: given.Count = 5,
        offset: given.Offset = 0,
        exclude: given.Exclude = [],  # noqa: B006 - as above
    ) -> RecommendationsResult:
        """The items to recommend together, each with the reasons that follow from what the person said.

        May be called at any time. The items are chosen as a list, so that one of them fits whatever the person turns
        out to like.
        """
        return await self._use(conversation, lambda it: it.recommend(count, offset, exclude))

    async def adjust_item(
        self,
        conversation: given.ConversationId,
        item: given.AdjustedItem,
        changes: given.Changes,
        take: given.Take = False,
    ) -> AdjustmentResult:
        """Change something about a configuration: “the second one, but with a carbon frame”.

        Returns what it becomes with as little else changed as the rules and must-haves allow, and why. Without `take`
        nothing is recorded. With `take` it counts as a wish: it changes what is asked and recommended, and take_back
        undoes it.
        """
        return await self._use(conversation, lambda it: it.adjust(item, changes, take))

    async def explain_what_is_known(self, conversation: given.ConversationId) -> KnownResult:
        """What the person said, what follows from it about their taste, and how much is still uncertain."""
        return await self._use(conversation, Conversation.known)

    async def close_conversation(self, conversation: given.ConversationId) -> ClosedResult:
        """End a conversation and delete what was said in it."""
        closed = self._conversations.close(conversation)
        return ClosedResult(conversation=closed.id, answers=closed.answers)

    async def describe_catalog(self) -> CatalogResult:
        """What the items are, which columns must-haves may be about, and which attributes wishes may be about.

        For configurations also the decisions, with the values that may be chosen.
        """
        return await self._cores.compute(self._offered.describe)

    async def find_items(self, text: given.SearchText, count: given.Count = 5) -> ItemsResult:
        """Find items by name, for example to pass the id of one that the person mentions to state_wish."""
        return await self._cores.compute(lambda: self._offered.find(text, count))

    async def _use(self, id: str, work: Callable[[Conversation], Result]) -> Result:
        """Do something with a conversation after the earlier calls about it have finished."""
        async with self._conversations.find(id).turn:
            conversation = self._conversations.find(id).conversation  # none, if one of the earlier calls has closed it
            return await self._cores.compute(lambda: work(conversation))


def _opened(id: str, offered: OfferedCatalog, opening: Opening, wanted: Wanted) -> tuple[Conversation, StateResult]:
    conversation = Conversation(id, offered, opening, wanted)
    return conversation, conversation.state()
