import itertools

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from rather.model.diagrams import NO_EDGE, Diagram, reduced


@st.composite
def graphs(draw, most_layers=5):
    """Random layers of edges and symbols; some lead nowhere, some nodes allow the same."""
    widths = [1, *draw(st.lists(st.integers(1, 4), min_size=0, max_size=most_layers - 1)), 1]
    children, symbols = [], []
    for nodes, following in itertools.pairwise(widths):
        values = draw(st.integers(1, 4))
        rows = st.lists(st.integers(NO_EDGE, following - 1), min_size=values, max_size=values)
        children.append(np.array(draw(st.lists(rows, min_size=nodes, max_size=nodes))))
        marks = st.lists(st.integers(0, 2), min_size=values, max_size=values)
        symbols.append(np.array(draw(st.lists(marks, min_size=nodes, max_size=nodes))))
    return children, symbols


def every_path(children, symbols):
    """For all paths, in the order of their values, the values and the symbols."""
    found = []
    for values in itertools.product(*(range(child.shape[1]) for child in children)):
        node, shown = 0, []
        for child, symbol, value in zip(children, symbols, values, strict=True):
            if node == NO_EDGE:
                break
            shown.append(int(symbol[node, value]))
            node = int(child[node, value])
        if node != NO_EDGE:
            found.append((values, tuple(shown)))
    return found


@st.composite
def diagrams(draw):
    children, symbols = draw(graphs().filter(lambda graph: len(every_path(*graph)) > 0))
    return reduced(children, symbols), every_path(children, symbols)


@given(graphs())
def test_a_reduced_diagram_has_the_same_paths_in_the_same_order(graph):
    diagram, paths = reduced(*graph), every_path(*graph)
    if not paths:
        assert diagram is None
        return
    choices = diagram.choices(torch.arange(diagram.count))
    assert [tuple(row) for row in choices.tolist()] == [values for values, _ in paths]
    assert [tuple(row) for row in diagram.symbols(choices).tolist()] == [shown for _, shown in paths]


@given(diagrams())
def test_a_reduced_diagram_has_no_dead_ends_and_no_two_nodes_that_allow_the_same(found):
    diagram, _ = found
    for layer, ways in zip(diagram.layers, diagram.counts, strict=False):
        assert (ways > 0).all()
        rows = torch.cat([layer.child, layer.symbol], dim=1)
        assert len(torch.unique(rows, dim=0)) == layer.nodes
    assert diagram.layers[0].nodes == 1


@given(diagrams())
def test_numbers_and_choices_are_inverse_to_each_other(found):
    diagram, paths = found
    choices = torch.tensor([values for values, _ in paths])
    assert diagram.numbers(choices).tolist() == list(range(len(paths)))


@given(diagrams())
def test_choices_that_are_not_valid_have_no_number(found):
    diagram, paths = found
    every = list(itertools.product(*(range(layer.values) for layer in diagram.layers)))
    valid = {values for values, _ in paths}
    assert (diagram.numbers(torch.tensor(every)) >= 0).tolist() == [values in valid for values in every]


@given(diagrams())
def test_shares_are_the_relative_frequencies_of_symbols(found):
    diagram, paths = found
    for layer, shares in enumerate(diagram.shares):
        counted = [sum(shown[layer] == symbol for _, shown in paths) for symbol in range(len(shares))]
        assert shares.tolist() == pytest.approx([count / len(paths) for count in counted])


@given(diagrams(), st.integers(0, 99))
def test_the_longest_path_is_the_best_of_all(found, seed):
    diagram, paths = found
    generator = torch.Generator().manual_seed(seed)
    weights = [torch.randn(layer.symbols, 3, generator=generator, dtype=torch.float64) for layer in diagram.layers]
    sums = torch.stack(
        [sum(weight[symbol] for weight, symbol in zip(weights, shown, strict=True)) for _, shown in paths]
    )
    assert torch.allclose(diagram.longest(weights)[0][0], sums.max(dim=0).values)


@given(diagrams(), st.data())
def test_configurations_with_a_value_are_those_of_all_that_have_it(found, data):
    diagram, paths = found
    layer = data.draw(st.integers(0, len(diagram.layers) - 1))
    value = data.draw(st.integers(0, diagram.layers[layer].values - 1))
    having = diagram.having(layer, value)
    expected = [path for path in paths if path[0][layer] == value]
    if having is None:
        assert not expected
        return
    choices = having.choices(torch.arange(having.count))
    assert [tuple(row) for row in choices.tolist()] == [values for values, _ in expected]
    assert [tuple(row) for row in having.symbols(choices).tolist()] == [shown for _, shown in expected]


def test_nodes_that_allow_the_same_become_one():
    diagram = reduced([np.array([[0, 1]]), np.array([[0, 0], [0, 0]])], [np.array([[0, 1]]), np.zeros((2, 2), int)])
    assert [layer.nodes for layer in diagram.layers] == [1, 1]
    assert (diagram.count, diagram.edges, diagram.width) == (4, 4, 1)


def test_quintillions_of_configurations_are_counted_and_numbered_exactly():
    layers = 62
    diagram = reduced([np.zeros((1, 2), int)] * layers, [np.array([[0, 1]])] * layers)
    assert diagram.count == 2**62
    for number in (0, 1, 2**53 + 1, 2**62 - 1):
        digits = [int(digit) for digit in f"{number:0{layers}b}"]
        assert diagram.choices(torch.tensor([number]))[0].tolist() == digits
        assert diagram.numbers(torch.tensor([digits])).tolist() == [number]


def test_the_hash_of_a_diagram_is_that_of_its_edges():
    def diagram(child, symbol) -> Diagram:
        return reduced([np.array(child)], [np.array(symbol)])

    first = diagram([[0, 0]], [[0, 1]])
    assert first.content_hash == diagram([[0, 0]], [[0, 1]]).content_hash
    others = [diagram([[0, NO_EDGE]], [[0, 1]]), diagram([[0, 0]], [[0, 0]]), diagram([[0, 0, 0]], [[0, 1, 1]])]
    assert len({first.content_hash, *(other.content_hash for other in others)}) == 4
