"""An approximate index: most items are not looked at, and what that loses is measured.

Items are grouped around centres (faiss's inverted file), and a search looks into the groups whose centres score best,
and at the longest items of all. Groups alone lose where norms spread widely, because a centre says little about its
longest member; the longest items alone lose where norms hardly spread. How many groups are looked into follows from
the loss measured against exact searches in directions that conversations take; where directions and items are such
that groups do not help, that is all of them, and the report says so.
"""

from __future__ import annotations

import contextlib
import json
import os
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from rather.errors import InvalidInputError
from rather.model.belief import Belief
from rather.model.catalog import Catalog
from rather.numerics.randomness import derive_generator
from rather.numerics.threads import on_all_threads, one_thread
from rather.retrieval.directions import conversation_directions, group_means, people_of
from rather.retrieval.exact import ExactRetriever
from rather.retrieval.faiss_index import IndexPlan, grouped, one_faiss_thread, require_faiss
from rather.retrieval.protocol import Found, validate_count
from rather.retrieval.scan import Best, best_first, best_rows

FORMAT = "rather index 1"

# The longest items, which every search looks at.
LONGEST = 4096

# Directions searched at a time by each thread.
BLOCK_DIRECTIONS = 8


@dataclass(frozen=True)
class IndexReport:
    """What is known of an index.

    Attributes:
        items: How many it holds.
        groups: How many groups they are in.
        searched: Into how many of them a search looks.
        loss: What it loses in the directions it was measured in, as a share of what those directions gain over the
            item that is best on average: 0 when the best item is always found.
        recall: Share of those directions for which the best item is found.
        checks: How many directions that were.
        bound: The loss that is let pass.
    """

    items: int
    groups: int
    searched: int
    loss: float
    recall: float
    checks: int
    bound: float

    @property
    def worthwhile(self) -> bool:
        """Whether searches leave out so many of the items that they are faster than exact ones, also in batches."""
        return 16 * self.searched <= self.groups


@dataclass(frozen=True, eq=False)
class ApproximateRetriever:
    """Searches a faiss index; make one with `ApproximateRetriever.build` or `ApproximateRetriever.load`.

    Filters are honoured: what is not allowed is never found, more groups are looked into the fewer items are allowed,
    and where that finds too few items the search is exact. The scores are exact, and equal ones come in the order of
    their rows, as far as they are found.

    Attributes:
        exact: Searches the whole catalogue: what the index is measured against and falls back on.
        report: What is known of it.
        index: faiss's own.
    """

    exact: ExactRetriever
    report: IndexReport
    index: Any

    @classmethod
    def build(
        cls,
        catalog: Catalog,
        belief: Belief,
        plan: IndexPlan = IndexPlan(),  # noqa: B008 - immutable
    ) -> ApproximateRetriever:
        """Group the items of a catalogue, and measure what searches for the people of a belief lose.

        Args:
            catalog: Where to search.
            belief: Whom it will be searched for.
            plan: How.
        """
        with one_thread():
            index = grouped(catalog, plan)
            report = IndexReport(len(catalog), index.nlist, 1, 1.0, 0.0, 0, plan.bound)
            return cls(ExactRetriever(catalog), report, index).fitted_to(belief, plan)

    def fitted_to(self, belief: Belief, plan: IndexPlan = IndexPlan()) -> ApproximateRetriever:  # noqa: B008 - immutable
        """The same index, looking into as few groups as keep the loss for a belief within the bound."""
        generator = derive_generator(plan.seed, "index")
        with one_thread():
            people = people_of(belief, generator)
            known = self.exact.top(group_means(people, plan.checks, generator), 1)
            asked_about = self.exact.catalog.items[torch.unique(known.rows)]
            directions = conversation_directions(people, asked_about, plan.checks, generator)
            truth = self.exact.top(directions, 1)
            base = self.exact.top(belief.mean[None], 1).vectors[0, 0]
            searched = 1
            while True:
                tried = replace(self, report=replace(self.report, searched=searched, bound=plan.bound))
                measured = tried._measured(directions, truth, base)
                if measured.report.loss <= plan.bound or searched == self.report.groups:
                    return measured
                searched = min(2 * searched, self.report.groups)

    def measured(self, directions: Tensor, belief: Belief, allowed: Tensor | None = None) -> IndexReport:
        """What the index loses in directions `(b, d)` of your choice, under a filter if you like."""
        truth = self.exact.top(directions, 1, allowed)
        base = self.exact.top(belief.mean[None], 1, allowed).vectors[0, 0]
        return self._measured(directions, truth, base, allowed).report

    def _measured(
        self, directions: Tensor, truth: Found, base: Tensor, allowed: Tensor | None = None
    ) -> ApproximateRetriever:
        best, found = truth.scores[:, 0], self.top(directions, 1, allowed)
        missed = (best - found.scores[:, 0]).clamp_min(0) * (found.rows[:, 0] != truth.rows[:, 0])
        gain = (best - directions @ base).clamp_min(0).sum()
        loss = float(missed.sum() / gain.clamp_min(1e-12))
        recall = float((missed <= 1e-6 * best.abs()).float().mean())
        return replace(self, report=replace(self.report, loss=loss, recall=recall, checks=len(directions)))

    def top(self, directions: Tensor, count: int, allowed: Tensor | None = None) -> Found:
        """See `Retriever.top`."""
        available = len(self.exact.catalog) if allowed is None else int(allowed.count_nonzero())
        validate_count(count, available)
        searched = -(-self.report.searched * len(self.exact.catalog) // available)
        if 2 * searched > self.report.groups:  # so much of everything that a scan in blocks is faster
            return self.exact.top(directions, count, allowed)
        with one_thread():
            rows = self._rows(directions, count, searched, allowed)
            best = self._ranked(directions, rows, count, allowed)
            short = best.scores[:, -1] == -torch.inf
            if short.any():
                rest = self.exact.top(directions[short], count, allowed)
                best.scores[short], best.rows[short] = rest.scores, rest.rows
            return Found(best.scores, best.rows, self.exact.catalog.items[best.rows])

    def _rows(self, directions: Tensor, count: int, searched: int, allowed: Tensor | None) -> Tensor:
        """Rows `(b, count)` of the best items in the groups, -1 where there are fewer."""
        faiss = require_faiss()
        bits = None if allowed is None else np.packbits(allowed.numpy(), bitorder="little")
        selector = None if bits is None else faiss.IDSelectorBitmap(bits)
        settings = faiss.SearchParametersIVF(nprobe=searched, sel=selector)

        def search(block: Tensor) -> Tensor:
            with one_faiss_thread(faiss):
                return torch.from_numpy(self.index.search(block.contiguous().numpy(), count, params=settings)[1])

        return torch.cat(on_all_threads(search, torch.split(directions, BLOCK_DIRECTIONS)))

    def _ranked(self, directions: Tensor, rows: Tensor, count: int, allowed: Tensor | None) -> Best:
        """The best of what the groups and the longest items hold, by exact scores; minus infinity for what lacks."""
        items, longest = self._longest
        there = allowed[longest] if allowed is not None else None
        long = best_rows(items, directions, min(count, len(longest)), there)
        scores = (self.exact.catalog.items[rows.clamp_min(0)] @ directions[:, :, None])[:, :, 0]
        scores = scores.masked_fill(rows < 0, -torch.inf)
        # What both found counts once.
        long_rows = longest[long.rows]
        twice = (long_rows[:, :, None] == rows[:, None, :]).any(dim=2)
        scores = torch.cat([scores, long.scores.masked_fill(twice, -torch.inf)], dim=1)
        return best_first(scores, torch.cat([rows.clamp_min(0), long_rows], dim=1), count)

    @cached_property
    def _longest(self) -> tuple[Tensor, Tensor]:
        catalog = self.exact.catalog
        rows = catalog.norms.topk(min(LONGEST, len(catalog))).indices.sort().values
        return catalog.items[rows], rows

    def save(self, path: Path | str, about: str = "") -> Path:
        """Write the index and, beside it in a `.json`, what is known of it and whose it is.

        Args:
            path: Of the index.
            about: Hash of the belief it was measured for, if that is to be known.
        """
        target, faiss = Path(path), require_faiss()
        target.parent.mkdir(parents=True, exist_ok=True)
        draft = target.with_name(f".{target.name}.{os.getpid()}.new")
        try:
            faiss.write_index(self.index, str(draft))
            draft.replace(target)
        finally:
            draft.unlink(missing_ok=True)
        return self._note(target, about)

    def _note(self, target: Path, about: str) -> Path:
        known = {"format": FORMAT, "catalog": self.exact.catalog.content_hash, "belief": about}
        draft = _notes(target).with_name(f".{target.name}.{os.getpid()}.json.new")
        draft.write_text(json.dumps({**known, "report": asdict(self.report)}), encoding="utf8")
        draft.replace(_notes(target))
        return target

    @classmethod
    def load(cls, path: Path | str, catalog: Catalog) -> ApproximateRetriever:
        """Map an index that `save` wrote; one of another catalogue is refused."""
        return cls._loaded(Path(path), catalog)[0]

    @classmethod
    def _loaded(cls, path: Path, catalog: Catalog) -> tuple[ApproximateRetriever, str]:
        faiss = require_faiss()
        try:
            known = json.loads(_notes(path).read_text(encoding="utf8"))
            if known.get("format") != FORMAT:
                raise InvalidInputError(f"{path} is of the form {known.get('format')!r}; we read {FORMAT!r}.")
            if known["catalog"] != catalog.content_hash:
                raise InvalidInputError(f"{path} is the index of another catalogue. Build one for this.")
            index = faiss.read_index(str(path), faiss.IO_FLAG_MMAP | faiss.IO_FLAG_READ_ONLY)
            report = IndexReport(**known["report"])
        except (OSError, RuntimeError, ValueError, KeyError, TypeError) as error:
            if isinstance(error, InvalidInputError):
                raise
            raise InvalidInputError(f"Cannot read the index {path}: {error}.") from None
        if (index.ntotal, index.d, index.nlist) != (*catalog.items.shape, report.groups):
            raise InvalidInputError(f"{path} holds {index.ntotal} items of {index.d} dimensions: not what it says.")
        return cls(ExactRetriever(catalog), report, index), known["belief"]

    @classmethod
    def kept(
        cls,
        catalog: Catalog,
        belief: Belief,
        path: Path,
        plan: IndexPlan = IndexPlan(),  # noqa: B008 - immutable
    ) -> ApproximateRetriever:
        """The index at a path, built and saved there if there is none that fits, measured for a belief."""
        about = belief.content_hash
        try:
            found, measured_for = cls._loaded(path, catalog)
        except InvalidInputError:
            built = cls.build(catalog, belief, plan)
            try:
                built.save(path, about)
            except (OSError, RuntimeError):  # the second is how faiss says it; without a place it serves from memory
                return built
            return cls.load(path, catalog)  # mapped: the vectors in it are not in our memory
        if measured_for == about and found.report.bound == plan.bound:
            return found
        found = found.fitted_to(belief, plan)
        with contextlib.suppress(OSError):
            found._note(path, about)
        return found


def _notes(path: Path) -> Path:
    return path.with_name(f"{path.name}.json")
