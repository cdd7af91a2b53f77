"""Greedy for questions about attributes, and the cheaper problem on which long lists of candidates are ranked."""

from dataclasses import dataclass

import torch
from torch import Tensor

from rather.strategies.problem import Problem

# A long list of candidates is ranked on this many particles and items, and its head then on all of them.
RANKING_PARTICLES = 1024
RANKING_ITEMS = 512
RANKING_HEAD = 32


def ranking_problem(problem: Problem) -> Problem:
    """The problem itself, or a thinned one on which to rank a long list of candidates."""
    return problem.thinned(RANKING_PARTICLES, RANKING_ITEMS)


@dataclass(frozen=True)
class GreedyAttributes:
    """Start with the attribute of highest utility variance, then add the attribute that gives the highest EVOI.

    Attributes are dealt out in turn: the first round gives each of the k options its first attribute, the second its
    second, up to p. Until an option has all of its attributes it is compared with those it has, so that every addition
    is judged by the EVOI of a question that could be asked.
    """

    def __call__(self, problem: Problem) -> Tensor:
        """See `Strategy`."""
        ranking = ranking_problem(problem)
        options: list[list[int]] = [[int(problem.attributes.variance.argmax())]]
        for turn in range(1, problem.k * problem.attributes.p):
            slot = turn % problem.k
            if turn < problem.k:
                options.append([])
            options[slot] += self._best_addition(options, slot, problem, ranking)
        # Where the attributes run out, two options may say the same or one too little; the projection corrects that.
        scores = torch.zeros(1, problem.k, len(problem.catalog.attributes), dtype=torch.float32)
        for slot, option in enumerate(options):
            scores[0, slot, option] = 1.0
        return problem.attributes.space.projected(scores)

    def _best_addition(self, options: list[list[int]], slot: int, problem: Problem, ranking: Problem) -> list[int]:
        """The attribute that, added to the option in `slot`, gives the highest EVOI; none where none fits."""
        matrix = problem.attributes.matrix
        fitting = (~problem.attributes.space.clash[options[slot]].any(dim=0)).nonzero()[:, 0].tolist()
        if not fitting:
            return []
        others = [set(option) for option in options[:slot] + options[slot + 1 :]]
        candidates = [index for index in fitting if {*options[slot], index} not in others] or fitting
        said = torch.stack([matrix[option].sum(dim=0) for option in options]) + problem.catalog.average
        slates = said.repeat(len(candidates), 1, 1)
        slates[:, slot] += matrix[candidates]
        return [candidates[_best_of(slates, problem, ranking)]]


def _best_of(vectors: Tensor, problem: Problem, ranking: Problem) -> int:
    """The index of the best by EVOI of slates of vectors `(b, k, d)`; a long list is ranked first."""
    indices = torch.arange(len(vectors))
    if ranking is not problem and len(vectors) > RANKING_HEAD:
        indices = ranking.evoi_of_vectors(vectors).topk(RANKING_HEAD).indices
    return int(indices[problem.evoi_of_vectors(vectors[indices]).argmax()])
