"""The myopic tree: at every node the question that the policy itself would ask there."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from rather.conversation.policy import Policy
from rather.errors import ImpossibleAnswerError, NoQuestionLeftError
from rather.model.belief import Belief
from rather.model.questions import Question
from rather.model.responses import Choice
from rather.planning.options import numbers_of, question_of
from rather.planning.tree import Node, Valuation


@dataclass(frozen=True, eq=False)
class Growth:
    """Asks the policy's own question at every leaf that enough people come to.

    Attributes:
        policy: Chooses the questions.
        valuation: Whose people answer.
        questions: In a row, at most.
        least_share: Of all people who must come to a node for a question to be planned there.
    """

    policy: Policy
    valuation: Valuation
    questions: int
    least_share: float

    def grow(self, root: Node) -> None:
        """Ask at the leaves of a tree, and at those that this adds."""
        self._grow(root, self.policy.prior, (), self.valuation.people.weights)

    def _grow(self, node: Node, belief: Belief, asked: tuple[Question, ...], reach: Tensor) -> None:
        if not self._matters(node, reach):
            return
        if node.slate:
            question = question_of(self.policy, node.depth + 1, node.slate)
        else:
            try:
                question = self.policy.question(belief, asked)
            except NoQuestionLeftError:
                return
            node.ask(numbers_of(question), self.valuation.people)
        choices: list[Choice] = [*range(len(question)), *self.policy.response.extras]
        for choice, child, probability in zip(choices, node.children, node.answers, strict=True):
            after = reach * probability
            if not self._matters(child, after):
                continue
            try:
                updated = self.policy.after(belief, question, choice)
            except ImpossibleAnswerError:  # for the particles of the belief, which are not the sampled people
                continue
            self._grow(child, updated, (*asked, question), after)

    def _matters(self, node: Node, reach: Tensor) -> bool:
        return node.depth < self.questions and float(reach.sum()) >= self.least_share
