"""A catalogue in shards on the machines of a Ray cluster: each finds its best items, and those are merged.

The merged result is that of a scan of all items. It needs the result of every shard: one whose machine is lost is
restarted elsewhere and asked again, and if that does not succeed in time the search raises an error.
"""

from __future__ import annotations

import hashlib
import itertools
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from rather.cluster import ClusterError, require_ray
from rather.errors import InvalidInputError, number_range
from rather.model.catalog import Catalog
from rather.model.items import ReopenableRows
from rather.nouns import counted
from rather.numerics.threads import one_thread
from rather.retrieval.exact import ExactRetriever
from rather.retrieval.protocol import Found, validate_count
from rather.retrieval.scan import best_first

# Rows of a shard that are hashed to recognise it.
SAMPLED_ROWS = 256

# Bytes up to which an array is sent with the call; a larger one goes into Ray's object store.
LARGE_MESSAGE = 65_536

# Filters that stay in the object store.
MAX_FILTERS = 16


@dataclass(frozen=True)
class ShardSettings:
    """How a catalogue is distributed over a cluster.

    Attributes:
        shards: How many; by default one per processor of the cluster. Every shard costs a call: on machines with many
            processors, use one shard with as many threads.
        threads: On which each shard searches.
        cpus: Share of a processor that each shard reserves. It uses more while it searches; small shares let all
            shards of a lost machine restart on the remaining ones.
        resources: Further resources, in Ray's terms, that a machine must offer to hold a shard.
        patience: Seconds that a search waits for the slowest shard, restarts included.
    """

    shards: int | None = None
    threads: int = 1
    cpus: float = 0.1
    resources: dict[str, float] = field(default_factory=dict)
    patience: float = 60.0


@dataclass(frozen=True)
class Part:
    """Consecutive rows of a catalogue.

    Attributes:
        start: The first row.
        rows: How many.
        stored: Where they are, on a disk that every machine can read; None if they are sent.
        sample: Hash of some of the rows.
    """

    start: int
    rows: int
    stored: ReopenableRows | None
    sample: str


class Shard:
    """Runs on a machine of the cluster: an exact search over one part.

    Args:
        part: Which part.
        sent: One reference to its rows `(rows, d)`; empty if they are in a file.
        threads: How many to search on.
    """

    def __init__(self, part: Part, sent: Sequence[Any], threads: int = 1) -> None:
        torch.set_num_threads(threads)  # a process of its own
        # Arrays in Ray's object store are read-only and pinned while we hold them; hence the copy.
        rows = part.stored.tensor() if part.stored is not None else torch.from_numpy(require_ray().get(sent[0]).copy())
        if sample_of(rows.numpy()) != part.sample:
            raise InvalidInputError(
                f"{part.stored} holds other items on this machine. "
                "Every machine of the cluster must see the same file under this path."
            )
        self._part = part
        self._retriever = ExactRetriever(Catalog(rows))

    def top(self, directions: NDArray[np.float32], count: int, allowed: NDArray[np.uint8] | None) -> ShardAnswer:
        """The best rows of this part, at most `count` for each direction."""
        n, mask = self._part.rows, None
        if allowed is not None:
            mask = torch.from_numpy(np.unpackbits(allowed, count=n, bitorder="little").astype(bool))
            n = int(mask.count_nonzero())
        if n == 0:
            b, d = directions.shape
            return ShardAnswer(
                self._part.start, self._part.sample, np.zeros((b, 0), np.int64), np.zeros((b, 0, d), np.float32)
            )
        found = self._retriever.top(torch.from_numpy(directions.copy()), min(count, n), mask)
        rows = (found.rows + self._part.start).numpy()
        return ShardAnswer(self._part.start, self._part.sample, rows, found.vectors.numpy())


@dataclass(frozen=True, eq=False)
class ShardAnswer:
    """What a shard found, rows of the catalogue `(b, c)` and their vectors `(b, c, d)`, and which part it searched."""

    start: int
    sample: str
    rows: NDArray[np.int64]
    vectors: NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class ShardedRetriever:
    """Searches shards on a Ray cluster; start one with `ShardedRetriever.start` inside `rather.cluster.connected`.

    Attributes:
        parts: The parts of the catalogue, in the order of their rows.
        shards: The Ray actor that searches each.
        settings: How the catalogue was distributed.
    """

    parts: tuple[Part, ...]
    shards: tuple[Any, ...]
    settings: ShardSettings
    # References keep the rows in the object store for as long as this lives: a shard that restarts needs them again.
    _sent: tuple[Any, ...] = field(default=(), repr=False)
    _filters: dict[bytes, list[Any]] = field(default_factory=dict, repr=False)

    @classmethod
    def start(
        cls,
        catalog: Catalog,
        settings: ShardSettings = ShardSettings(),  # noqa: B008 - immutable
    ) -> ShardedRetriever:
        """Distribute a catalogue over the cluster this process is connected to, and wait until every shard is up.

        Args:
            catalog: If it is memory-mapped, each shard maps its part of the file, which every machine must see under
                the same path; else each shard is sent its rows.
            settings: How many shards, and what each may use.
        """
        ray = require_ray()
        if not ray.is_initialized():
            raise ClusterError("Connect to a cluster first: `with rather.cluster.connected(address): ...`.")
        count = settings.shards if settings.shards is not None else int(ray.cluster_resources().get("CPU", 1))
        settings, parts = replace(settings, shards=count), split(catalog, count)
        remote = ray.remote(
            num_cpus=settings.cpus,
            resources=settings.resources,
            max_restarts=-1,
            max_task_retries=-1,
            scheduling_strategy="SPREAD",
        )(Shard)
        sent = tuple(_sent(ray, catalog, part) for part in parts)
        shards = tuple(remote.remote(part, rows, settings.threads) for part, rows in zip(parts, sent, strict=True))
        started = cls(parts, shards, settings, sent)
        try:
            started.top(torch.zeros(1, catalog.dimensions, dtype=torch.float32), 1)
        except BaseException:
            started.close()
            raise
        return started

    def __len__(self) -> int:
        return self.parts[-1].start + self.parts[-1].rows

    def top(self, directions: Tensor, count: int, allowed: Tensor | None = None) -> Found:
        """See `Retriever.top`."""
        validate_count(count, len(self) if allowed is None else int(allowed.count_nonzero()))
        ray = require_ray()
        filters = [None] * len(self.parts) if allowed is None else self._parts_of(ray, allowed)
        sent = directions.detach().contiguous().numpy()
        if sent.nbytes > LARGE_MESSAGE:
            sent = ray.put(sent)
        tasks = [shard.top.remote(sent, count, part) for shard, part in zip(self.shards, filters, strict=True)]
        return merged(directions, self._answers(ray, tasks, sent, count, filters), count)

    def _answers(self, ray: Any, tasks: list[Any], sent: Any, count: int, filters: Sequence[Any]) -> list[ShardAnswer]:
        """The answers of all shards. One that was lost with its machine is asked again until `patience` runs out."""
        end, answers = time.monotonic() + self.settings.patience, []
        for number, part in enumerate(self.parts):
            while True:
                try:
                    answer = ray.get(tasks[number], timeout=max(0.01, end - time.monotonic()))
                    break
                except (ray.exceptions.ActorUnavailableError, ray.exceptions.ObjectLostError) as error:
                    if time.monotonic() > end:
                        raise self._lost(number, error) from None
                    time.sleep(0.05)
                    tasks[number] = self.shards[number].top.remote(sent, count, filters[number])
                except ray.exceptions.RayTaskError as error:
                    raise error.cause from None
                except (ray.exceptions.RayError, TimeoutError) as error:
                    raise self._lost(number, error) from None
            if (answer.start, answer.sample) != (part.start, part.sample):
                raise ClusterError(f"Shard {number} answered for other rows than {part.start}.. of this catalogue.")
            answers.append(answer)
        return answers

    def _lost(self, number: int, error: BaseException) -> ClusterError:
        part = self.parts[number]
        cause = getattr(error, "cause", None) or error
        reason = (str(cause).strip().splitlines() or [type(error).__name__])[-1].strip()
        late = f" within {self.settings.patience:g} s" if isinstance(error, TimeoutError) else ""
        return ClusterError(
            f"Shard {number} of {len(self.parts)} (rows {part.start} to {part.start + part.rows - 1}) did not answer"
            f"{late}, so the search failed. {reason}"
        )

    def _parts_of(self, ray: Any, allowed: Tensor) -> list[Any]:
        """The filter of each part, as bits in the object store."""
        key = hashlib.blake2b(allowed.numpy().tobytes(), digest_size=16).digest()
        if key not in self._filters:
            while len(self._filters) >= MAX_FILTERS:
                self._filters.pop(next(iter(self._filters)), None)
            masks = (allowed[part.start : part.start + part.rows].numpy() for part in self.parts)
            self._filters[key] = [ray.put(np.packbits(mask, bitorder="little")) for mask in masks]
        return self._filters[key]

    def close(self) -> None:
        """Stop the shards."""
        ray = require_ray()
        for shard in self.shards:
            ray.kill(shard)

    def __enter__(self) -> ShardedRetriever:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def split(catalog: Catalog, count: int) -> tuple[Part, ...]:
    """A catalogue in `count` parts of nearly equal size, in the order of rows."""
    n = len(catalog)
    if not 1 <= count <= n:
        raise InvalidInputError(f"`shards` must be {number_range(1, n)} for {counted(n, 'item')}, got {count}.")
    ends = [n * number // count for number in range(count + 1)]
    items, parts = catalog.items.numpy(), []
    for start, end in itertools.pairwise(ends):
        stored = catalog.storage.reopenable(start, end)
        parts.append(Part(start, end - start, stored, sample_of(items[start:end])))
    return tuple(parts)


def sample_of(items: NDArray[np.float32]) -> str:
    """A hash of the shape of items `(rows, d)` and of some of them."""
    digest = hashlib.blake2b(repr(items.shape).encode(), digest_size=16)
    digest.update(np.ascontiguousarray(items[np.linspace(0, len(items) - 1, SAMPLED_ROWS, dtype=np.int64)]).data)
    return digest.hexdigest()


def merged(directions: Tensor, answers: Sequence[ShardAnswer], count: int) -> Found:
    """The best of what the shards found, equal scores in the order of rows."""
    with one_thread():
        rows = torch.from_numpy(np.concatenate([answer.rows for answer in answers], axis=1))
        vectors = torch.from_numpy(np.concatenate([answer.vectors for answer in answers], axis=1, dtype=np.float32))
        # Scored again, one by one: in matrix products of other shapes equal items may differ in the last bit.
        scores = (vectors * directions[:, None]).sum(dim=2)
        best = best_first(scores, rows, count)
        # Rows are distinct, so each identifies its vector.
        chosen = (rows[:, None, :] == best.rows[:, :, None]).int().argmax(dim=2)
        return Found(best.scores, best.rows, vectors.gather(1, chosen[:, :, None].expand(-1, -1, vectors.shape[2])))


def _sent(ray: Any, catalog: Catalog, part: Part) -> list[Any]:
    """A reference to the rows of a part; in a list, so that Ray leaves it to the shard to fetch them. Or nothing."""
    if part.stored is not None:
        return []
    return [ray.put(catalog.items[part.start : part.start + part.rows].contiguous().numpy())]
