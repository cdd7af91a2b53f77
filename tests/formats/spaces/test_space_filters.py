import threading

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import rather
from product_spaces import bicycle, expressions, product_spaces
from rather.errors import InvalidInputError
from rather.formats.spaces import space_filters
from rather.model.filters import NumberColumn


@given(product_spaces(most=300), st.data())
def test_a_filter_allows_the_rows_of_the_tables_mask(space, data):
    catalog, listed = rather.open(space)[0], rather.open(space.table(), settings=space.table_settings)[0]
    where = data.draw(expressions(space))
    mask = listed.where(where)
    if mask.any():
        allowed = catalog.where(where)
        assert allowed.count == int(mask.sum())
        assert allowed.every_row().tolist() == mask.nonzero()[:, 0].tolist()
        assert torch.equal(allowed.holds(torch.arange(len(catalog))), mask)
        assert torch.allclose(allowed.average, listed.items[mask].mean(dim=0), atol=1e-5)


def test_what_nothing_satisfies_is_rejected_with_the_expression():
    with pytest.raises(InvalidInputError, match="No bicycle satisfies \"frame == 'carbon' and brakes == 'rim'\""):
        rather.open(bicycle())[0].where("frame == 'carbon' and brakes == 'rim'")


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ("frame == 'carbn'", "did you mean 'carbon'"),
        ("frme == 'carbon'", "frame"),
        ("frame < 'carbon'", "not be above or below"),
        ("price < gears", "a total can be compared with a value, not with another column"),
        ("price <", "where"),
    ],
)
def test_a_filter_that_means_nothing_is_rejected_with_a_suggestion(where, message):
    with pytest.raises(InvalidInputError, match=message):
        rather.open(bicycle())[0].where(where)


def test_filters_have_the_columns_and_counts_of_the_table():
    catalog = rather.open(bicycle())[0]
    listed = rather.open(bicycle().table(), settings=bicycle().table_settings)[0]
    own = {column.name: column for column in catalog.filters.columns(50)}
    expected = {column.name: column for column in listed.filters.columns(50)}
    assert list(own) == list(expected)
    for name, column in expected.items():
        if isinstance(column, NumberColumn):
            assert float(own[name].values.min()) == float(column.values.min())
            assert float(own[name].values.max()) == float(column.values.max())
        else:
            assert own[name].counts == column.counts


def test_filters_that_are_used_by_many_threads_at_once_stay_right(monkeypatch):
    monkeypatch.setattr(space_filters, "MAX_FILTERS", 2)
    catalog, failures = rather.open(bicycle())[0], []
    expected = {price: catalog.where(f"price <= {price}").count for price in range(700, 1400, 50)}

    def work():
        try:
            for price, count in expected.items():
                assert catalog.where(f"price <= {price}").count == count
                assert catalog.find(catalog.ids[price]) == price
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
