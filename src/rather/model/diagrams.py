"""Decision diagrams: all valid configurations of a product as the paths of a small graph, numbered without gaps.

A configuration chooses one value for each of L decisions. Layer t of the diagram takes decision t: its nodes are what
earlier choices have left open (which rules are still undecided, what the parts cost so far), its edges the values that
some valid configuration has there. Every path from the root to the end is a valid configuration and every valid
configuration is one path, so that 10^12 of them fit into some thousand edges (Bryant 1986; Lai & Sastry 1992 for
constraints that are linear).

Paths are numbered in lexicographic order of their values. How many paths leave a node is known, so that the number of
a configuration and the configuration of a number are both found in L steps.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

Ints = npt.NDArray[np.int64]

NO_EDGE = -1


@dataclass(frozen=True, eq=False)
class Layer:
    """One decision, for each node and value.

    Attributes:
        child: `(nodes, values)` the node of the next layer; `NO_EDGE` where no valid configuration has the value.
        symbol: `(nodes, values)` what the choice settles: a number from 0 on, by which its effects are looked up.
        symbols: How many symbols there are.
    """

    child: Tensor
    symbol: Tensor
    symbols: int

    @property
    def nodes(self) -> int:
        """How many states the earlier choices can lead to."""
        return self.child.shape[0]

    @property
    def values(self) -> int:
        """How many values the decision has, valid or not."""
        return self.child.shape[1]

    @cached_property
    def exists(self) -> Tensor:
        """`(nodes, values)` boolean, whether there is an edge."""
        return self.child >= 0

    @cached_property
    def is_full(self) -> bool:
        """Whether every node has an edge for every value."""
        return bool(self.exists.all())

    @cached_property
    def target(self) -> Tensor:
        """`child` with 0 where there is no edge, to index with."""
        return self.child.clamp_min(0)


@dataclass(frozen=True, eq=False)
class Diagram:
    """All valid configurations. The root is node 0 of the first layer; after the last layer there is one node.

    Attributes:
        layers: One for each decision, in the order in which they are taken.
    """

    layers: tuple[Layer, ...]

    @property
    def edges(self) -> int:
        """How many edges it has: what a search costs."""
        return sum(int(layer.exists.sum()) for layer in self.layers)

    @property
    def width(self) -> int:
        """The nodes of the widest layer."""
        return max(layer.nodes for layer in self.layers)

    @cached_property
    def counts(self) -> tuple[Tensor, ...]:
        """For each layer `(nodes,)` int64, how many paths lead from a node to the end; after the last layer one."""
        found = [torch.ones(1, dtype=torch.long)]
        for layer in reversed(self.layers):
            found.append((found[-1][layer.target] * layer.exists).sum(dim=1))
        return tuple(reversed(found))

    @cached_property
    def count(self) -> int:
        """How many configurations there are."""
        return int(self.counts[0][0])

    @cached_property
    def _before(self) -> tuple[Tensor, ...]:
        """For each layer `(nodes, values)`, how many paths leave a node by a lower value."""
        return tuple(
            paths.cumsum(dim=1) - paths
            for layer, after in zip(self.layers, self.counts[1:], strict=True)
            for paths in [after[layer.target] * layer.exists]
        )

    @cached_property
    def _starts(self) -> tuple[Tensor, ...]:
        """`_before`, where there is no edge more than any number."""
        return tuple(
            before.masked_fill(~layer.exists, torch.iinfo(torch.long).max)
            for layer, before in zip(self.layers, self._before, strict=True)
        )

    def choices(self, numbers: Tensor) -> Tensor:
        """The values `(b, L)` of the configurations of these numbers `(b,)`."""
        return self.walked(numbers)[0]

    def walked(self, numbers: Tensor) -> tuple[Tensor, Tensor]:
        """The values `(b, L)` of the configurations of these numbers `(b,)`, and what each of them settles `(b, L)`."""
        nodes, left = torch.zeros_like(numbers), numbers
        chosen, settled = [], []
        for layer, starts in zip(self.layers, self._starts, strict=True):
            # The last value that starts at or before the number.
            reached = starts[nodes]
            start, value = reached.masked_fill_(reached > left[:, None], -1).max(dim=1)
            left = left - start
            chosen.append(value)
            settled.append(layer.symbol[nodes, value])
            nodes = layer.target[nodes, value]
        return torch.stack(chosen, dim=1), torch.stack(settled, dim=1)

    def traced(self, choices: Sequence[Tensor], nodes: Sequence[Tensor]) -> tuple[Tensor, Tensor]:
        """What the choices of valid configurations settle `(..., L)`, and the numbers of these `(...)`.

        Args:
            choices: For each layer their values `(...)`.
            nodes: For each layer the nodes `(...)` where these were chosen.
        """
        numbers, settled = torch.zeros_like(choices[0]), []
        for layer, before, value, node in zip(self.layers, self._before, choices, nodes, strict=True):
            edge = node * layer.values + value
            numbers += before.take(edge)
            settled.append(layer.symbol.take(edge))
        return torch.stack(settled, dim=-1), numbers

    def path(self, number: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The values of one configuration, and what they settle.

        NumPy looks at single numbers in a tenth of the time of PyTorch.
        """
        node, left, chosen, symbols = 0, number, [], []
        for child, symbol, before in self._arrays:
            starts = before[node]
            value = int(np.flatnonzero((starts <= left) & (child[node] >= 0))[-1])
            left -= int(starts[value])
            chosen.append(value)
            symbols.append(int(symbol[node, value]))
            node = int(child[node, value])
        return tuple(chosen), tuple(symbols)

    @cached_property
    def _arrays(self) -> list[tuple[Ints, Ints, Ints]]:
        layers = zip(self.layers, self._before, strict=True)
        # Copies: to send a tensor to another process moves its memory, and leaves a view of it pointing nowhere.
        return [
            (layer.child.numpy().copy(), layer.symbol.numpy().copy(), before.numpy().copy()) for layer, before in layers
        ]

    def numbers(self, choices: Tensor) -> Tensor:
        """The numbers `(b,)` of configurations of these values `(b, L)`; -1 for what is not valid."""
        nodes = torch.zeros(len(choices), dtype=torch.long)
        numbers, valid = torch.zeros_like(nodes), torch.ones(len(choices), dtype=torch.bool)
        for layer, before, value in zip(self.layers, self._before, choices.unbind(dim=1), strict=True):
            valid &= layer.exists[nodes, value]
            numbers += before[nodes, value]
            nodes = layer.target[nodes, value]
        return numbers.masked_fill(~valid, -1)

    def symbols(self, choices: Tensor) -> Tensor:
        """What every choice of valid configurations `(b, L)` settles, `(b, L)`."""
        nodes, found = torch.zeros(len(choices), dtype=torch.long), []
        for layer, value in zip(self.layers, choices.unbind(dim=1), strict=True):
            found.append(layer.symbol[nodes, value])
            nodes = layer.target[nodes, value]
        return torch.stack(found, dim=1)

    def having(self, layer: int, value: int) -> Diagram | None:
        """The configurations that have this value in this layer; None if there are none."""
        children = [each.child.numpy() for each in self.layers]
        kept = np.full_like(children[layer], NO_EDGE)
        kept[:, value] = children[layer][:, value]
        children[layer] = kept
        return reduced(children, [each.symbol.numpy() for each in self.layers])

    @cached_property
    def shares(self) -> tuple[Tensor, ...]:
        """For each layer `(symbols,)` float64, the share of all configurations that have each symbol."""
        reaching = torch.ones(1, dtype=torch.float64)  # the share of paths through a node over those that leave it
        found = []
        for layer, after in zip(self.layers, self.counts[1:], strict=True):
            ways = reaching[:, None].expand(-1, layer.values)[layer.exists]
            paths = ways * after.double()[layer.child[layer.exists]] / self.count
            totals = torch.zeros(layer.symbols, dtype=torch.float64)
            found.append(totals.index_add_(0, layer.symbol[layer.exists], paths))
            reaching = torch.zeros(len(after), dtype=torch.float64).index_add_(0, layer.child[layer.exists], ways)
        return tuple(found)

    def longest(self, weights: Sequence[Tensor]) -> list[Tensor]:
        """The most that can be gained from every node on, for b weightings of the edges at once.

        Args:
            weights: For each layer `(symbols, b)`, what its edges gain.

        Returns:
            For each layer `(nodes, b)`; after the last one zeros `(1, b)`.
        """
        gains = [weights[0].new_zeros(1, weights[0].shape[1])]
        for layer, weight in zip(reversed(self.layers), reversed(weights), strict=True):
            reached = weight[layer.symbol] + gains[-1][layer.target]
            if not layer.is_full:
                reached.masked_fill_(~layer.exists[:, :, None], -torch.inf)
            gains.append(reached.amax(dim=1))
        return gains[::-1]

    @cached_property
    def content_hash(self) -> str:
        """A hash of its edges."""
        digest = hashlib.blake2b(digest_size=16)
        for layer in self.layers:
            digest.update(repr(tuple(layer.child.shape)).encode())
            digest.update(layer.child.contiguous().numpy().data)
            digest.update(layer.symbol.contiguous().numpy().data)
        return digest.hexdigest()


def reduced(children: Sequence[Ints], symbols: Sequence[Ints]) -> Diagram | None:
    """The smallest diagram with these edges: no dead ends, and no two nodes of a layer that allow the same.

    Args:
        children: For each layer `(nodes, values)`, the node of the next layer or `NO_EDGE`.
        symbols: For each layer `(nodes, values)`, what the choice settles.

    Returns:
        None if no path reaches the end.
    """
    layers: list[Layer] = []
    alive: Ints = np.zeros(1, dtype=np.int64)  # for each node of the next layer its new number, NO_EDGE if dead
    for child, symbol in zip(reversed(children), reversed(symbols), strict=True):
        moved = np.where(child >= 0, alive[child], NO_EDGE)
        shown = np.where(moved >= 0, symbol, 0)
        living = (moved >= 0).any(axis=1)
        rows = np.concatenate([moved[living], shown[living]], axis=1)
        distinct, first, inverse = np.unique(rows, axis=0, return_index=True, return_inverse=True)
        # In the order of their first occurrence: the root is the first node of the first layer.
        order = first.argsort(kind="stable")
        position = np.empty_like(order)
        position[order] = np.arange(len(order))
        alive = np.full(len(child), NO_EDGE)
        alive[living] = position[inverse.ravel()]
        kept = distinct[order]
        values = child.shape[1]
        layers.append(
            Layer(
                torch.from_numpy(kept[:, :values].copy()),
                torch.from_numpy(kept[:, values:].copy()),
                int(symbol.max(initial=0)) + 1,
            )
        )
    return Diagram(tuple(reversed(layers))) if alive[0] == 0 and layers[-1].nodes else None
