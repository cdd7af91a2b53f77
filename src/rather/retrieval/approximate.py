"""An approximate index: searches skip most items, and what that loses is measured.

Items are grouped around centres (faiss's inverted file). A search scores the items in the groups whose centres score
best, and the longest items of all. Groups alone lose where norms vary widely, because a centre says little about its
longest member; the longest items alone lose where norms hardly vary. How many groups a search looks into follows from
the loss measured against exact searches, in directions that conversations search. Where groups do not help it is all
of them, and the report says so.
"""

from __future__ import annotations

import contextlib
import json
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from rather.caching.whole_files import written_whole
from rather.errors import InvalidInputError
from rather.model.belief import Belief
from rather.model.catalog import Catalog
from rather.numerics.randomness import derive_generator
from rather.numerics.threads import on_all_threads, one_thread
from rather.retrieval.directions import conversation_directions, group_means, representative_users
from rather.retrieval.exact import ExactRetriever
from rather.retrieval.faiss_index import IndexSettings, build_index, one_faiss_thread, require_faiss
from rather.retrieval.protocol import Found, validate_count
from rather.retrieval.scan import Best, best_first, best_rows

FORMAT = "rather index 1"

# Directions that a thread searches in one batch.
BATCH_DIRECTIONS = 8


@dataclass(frozen=True)
class IndexReport:
    """What was measured about an index.

    Attributes:
        items: How many it holds.
        groups: How many groups they are in.
        searched: How many of the groups a search looks into.
        loss: What it loses in the directions it was measured in, as a share of what those directions gain over the
            item that is best on average: 0 if the best item is always found.
        recall: Share of those directions for which the best item is found.
        checks: How many directions it was measured in.
        bound: The largest acceptable loss.
        longest: How many of the longest items every search scores.
    """

    items: int
    groups: int
    searched: int
    loss: float
    recall: float
    checks: int
    bound: float
    longest: int = IndexSettings.longest

    @property
    def worthwhile(self) -> bool:
        """Whether searches skip so many items that they are faster than exact ones, even in batches."""
        return 16 * self.searched <= self.groups


@dataclass(frozen=True, eq=False)
class ApproximateRetriever:
    """Searches a faiss index; get one with `ApproximateRetriever.build` or `ApproximateRetriever.load`.

    Filters are honoured: items that are not allowed are never found. The fewer items are allowed, the more groups a
    search looks into; if it still finds too few, it is repeated exactly. Scores are exact, and the items that are found
    with equal scores come in the order of their rows.

    Attributes:
        exact: Searches the whole catalogue: what the index is measured against and falls back on.
        report: What was measured about it.
        index: The faiss index.
    """

    exact: ExactRetriever
    report: IndexReport
    index: Any

    @classmethod
    def build(
        cls,
        catalog: Catalog,
        belief: Belief,
        settings: IndexSettings = IndexSettings(),  # noqa: B008 - immutable
    ) -> ApproximateRetriever:
        """Group the items of a catalogue, and measure what searches for the population of a belief lose.

        Args:
            catalog: Where to search.
            belief: The population it will serve.
            settings: How to build it.
        """
        with one_thread():
            index = build_index(catalog, settings)
            report = IndexReport(len(catalog), index.nlist, 1, 1.0, 0.0, 0, settings.bound, settings.longest)
            return cls(ExactRetriever(catalog), report, index).calibrated(belief, settings)

    def calibrated(
        self,
        belief: Belief,
        settings: IndexSettings = IndexSettings(),  # noqa: B008 - immutable
    ) -> ApproximateRetriever:
        """The same index, looking into as few groups as keep the loss for a belief within the bound."""
        generator = derive_generator(settings.seed, "index")
        with one_thread():
            users = representative_users(belief, generator)
            known = self.exact.top(group_means(users, settings.checks, generator), 1)
            asked_about = self.exact.catalog.vectors(torch.unique(known.rows))
            directions = conversation_directions(users, asked_about, settings.checks, generator)
            truth = self.exact.top(directions, 1)
            base = self.exact.top(belief.mean[None], 1).vectors[0, 0]
            searched = 1
            while True:
                tried = replace(self, report=replace(self.report, searched=searched, bound=settings.bound))
                report = tried._measure(directions, truth, base)
                if report.loss <= settings.bound or searched == self.report.groups:
                    return replace(tried, report=report)
                searched = min(2 * searched, self.report.groups)

    def measure(self, directions: Tensor, belief: Belief, allowed: Tensor | None = None) -> IndexReport:
        """What the index loses in directions `(b, d)` of your choice, with or without a filter."""
        truth = self.exact.top(directions, 1, allowed)
        base = self.exact.top(belief.mean[None], 1, allowed).vectors[0, 0]
        return self._measure(directions, truth, base, allowed)

    def _measure(self, directions: Tensor, truth: Found, base: Tensor, allowed: Tensor | None = None) -> IndexReport:
        best, found = truth.scores[:, 0], self.top(directions, 1, allowed)
        missed = (best - found.scores[:, 0]).clamp_min(0) * (found.rows[:, 0] != truth.rows[:, 0])
        gain = (best - directions @ base).clamp_min(0).sum()
        loss = float(missed.sum() / gain.clamp_min(1e-12))
        recall = float((missed <= 1e-6 * best.abs()).float().mean())
        return replace(self.report, loss=loss, recall=recall, checks=len(directions))

    def top(self, directions: Tensor, count: int, allowed: Tensor | None = None) -> Found:
        """See `Retriever.top`."""
        available = len(self.exact.catalog) if allowed is None else int(allowed.count_nonzero())
        validate_count(count, available)
        searched = -(-self.report.searched * len(self.exact.catalog) // available)
        if 2 * searched > self.report.groups:  # so many that a full scan in blocks is faster
            return self.exact.top(directions, count, allowed)
        with one_thread():
            rows = self._rows(directions, count, searched, allowed)
            best = self._ranked(directions, rows, count, allowed)
            short = best.scores[:, -1] == -torch.inf
            if short.any():
                rest = self.exact.top(directions[short], count, allowed)
                best.scores[short], best.rows[short] = rest.scores, rest.rows
            return Found(best.scores, best.rows, self.exact.catalog.vectors(best.rows))

    def _rows(self, directions: Tensor, count: int, searched: int, allowed: Tensor | None) -> Tensor:
        """Rows `(b, count)` of the best items in the groups, -1 for those that are missing."""
        faiss = require_faiss()
        bits = None if allowed is None else np.packbits(allowed.numpy(), bitorder="little")
        selector = None if bits is None else faiss.IDSelectorBitmap(bits)
        settings = faiss.SearchParametersIVF(nprobe=searched, sel=selector)

        def search(block: Tensor) -> Tensor:
            with one_faiss_thread(faiss):
                return torch.from_numpy(self.index.search(block.contiguous().numpy(), count, params=settings)[1])

        return torch.cat(on_all_threads(search, torch.split(directions, BATCH_DIRECTIONS)))

    def _ranked(self, directions: Tensor, rows: Tensor, count: int, allowed: Tensor | None) -> Best:
        """The best among the rows from the groups and the longest items, by exact score; minus infinity if too few."""
        items, longest = self._longest
        long_allowed = allowed[longest] if allowed is not None else None
        long = best_rows(items, directions, min(count, len(longest)), long_allowed)
        scores = (self.exact.catalog.vectors(rows.clamp_min(0)) @ directions[:, :, None])[:, :, 0]
        scores = scores.masked_fill(rows < 0, -torch.inf)
        # An item that both found counts once.
        long_rows = longest[long.rows]
        twice = (long_rows[:, :, None] == rows[:, None, :]).any(dim=2)
        scores = torch.cat([scores, long.scores.masked_fill(twice, -torch.inf)], dim=1)
        return best_first(scores, torch.cat([rows.clamp_min(0), long_rows], dim=1), count)

    @cached_property
    def _longest(self) -> tuple[Tensor, Tensor]:
        catalog = self.exact.catalog
        rows = catalog.storage.norms.topk(min(self.report.longest, len(catalog))).indices.sort().values
        return catalog.vectors(rows), rows

    def save(self, path: Path | str, belief_hash: str = "") -> Path:
        """Write the index and, beside it as `.json`, its report and the hashes of its catalogue and belief.

        Args:
            path: Where to write the index.
            belief_hash: Hash of the belief it was measured for.
        """
        target, faiss = Path(path), require_faiss()
        target.parent.mkdir(parents=True, exist_ok=True)
        with written_whole(target) as draft:
            faiss.write_index(self.index, str(draft))
        self._save_description(target, belief_hash)
        return target

    def _save_description(self, target: Path, belief_hash: str) -> None:
        hashes = {"catalog": self.exact.catalog.content_hash, "belief": belief_hash}
        with written_whole(_description(target)) as draft:
            draft.write_text(json.dumps({"format": FORMAT, **hashes, "report": asdict(self.report)}), encoding="utf8")

    @classmethod
    def load(cls, path: Path | str, catalog: Catalog) -> ApproximateRetriever:
        """Memory-map an index that `save` wrote for this catalogue."""
        return cls._load(Path(path), catalog)[0]

    @classmethod
    def _load(cls, path: Path, catalog: Catalog) -> tuple[ApproximateRetriever, str]:
        """The retriever, and the hash of the belief it was measured for."""
        faiss = require_faiss()
        try:
            description = json.loads(_description(path).read_text(encoding="utf8"))
            if description.get("format") != FORMAT:
                raise InvalidInputError(
                    f"{path} must have the format {FORMAT!r}, got {description.get('format')!r}. Build it again."
                )
            if description["catalog"] != catalog.content_hash:
                raise InvalidInputError(f"{path} is the index of another catalogue. Build one for this catalogue.")
            index = faiss.read_index(str(path), faiss.IO_FLAG_MMAP | faiss.IO_FLAG_READ_ONLY)
            report = IndexReport(**description["report"])
        except (OSError, RuntimeError, ValueError, KeyError, TypeError) as error:
            if isinstance(error, InvalidInputError):
                raise
            raise InvalidInputError(f"Cannot read the index {path}: {error}.") from None
        if (index.ntotal, index.d, index.nlist) != (*catalog.storage.shape, report.groups):
            raise InvalidInputError(
                f"{path} holds {index.ntotal} items of {index.d} dimensions in {index.nlist} groups, which is not what "
                f"{_description(path).name} says. Build it again."
            )
        return cls(ExactRetriever(catalog), report, index), description["belief"]

    @classmethod
    def load_or_build(
        cls,
        catalog: Catalog,
        belief: Belief,
        path: Path,
        settings: IndexSettings = IndexSettings(),  # noqa: B008 - immutable
    ) -> ApproximateRetriever:
        """The index at a path, calibrated for a belief; built and saved there if there is none for this catalogue."""
        belief_hash = belief.content_hash
        try:
            loaded, measured_for = cls._load(path, catalog)
        except InvalidInputError:
            built = cls.build(catalog, belief, settings)
            try:
                built.save(path, belief_hash)
            except (OSError, RuntimeError):  # faiss raises the second; an index that cannot be saved stays in memory
                return built
            return cls.load(path, catalog)  # memory-mapped: its vectors take none of our memory
        if measured_for == belief_hash and loaded.report.bound == settings.bound:
            return loaded
        loaded = loaded.calibrated(belief, settings)
        with contextlib.suppress(OSError):
            loaded._save_description(path, belief_hash)
        return loaded


def _description(path: Path) -> Path:
    return path.with_name(f"{path.name}.json")
