import pytest
import torch

import rather
from product_spaces import bicycle
from rather import Catalog, Policy
from rather.errors import InvalidInputError, NeedsListError
from rather.model.allowed import allowed_rows, are_allowed, both_allowed, count_allowed, numbered_rows
from worlds import normal

CATALOG, BELIEF = rather.open(bicycle())
LISTED = rather.open(bicycle().table(), settings=bicycle().table_settings)[0]
WHERE = "gears == 8 and not lights"


@pytest.fixture(params=["rules", "mask"])
def allowed(request):
    return (CATALOG if request.param == "rules" else LISTED).where(WHERE)


def rows() -> list[int]:
    table = bicycle().table()
    return [row for row in range(len(CATALOG)) if table["gears"][row] == 8 and not table["lights"][row]]


def test_rules_and_masks_allow_the_same_rows(allowed):
    assert count_allowed(allowed, len(CATALOG)) == len(rows())
    assert allowed_rows(allowed, CATALOG.storage).tolist() == rows()
    some = torch.tensor([[0, 5, 9], rows()[:3]])
    assert are_allowed(allowed, some).tolist() == [[row in rows() for row in line] for line in some.tolist()]
    numbers = torch.tensor([[0, 3], [2, 1]])
    assert numbered_rows(allowed, numbers).tolist() == [[rows()[0], rows()[3]], [rows()[2], rows()[1]]]


@pytest.mark.parametrize("catalog", [CATALOG, LISTED], ids=["rules", "mask"])
def test_both_are_what_each_allows(catalog):
    both = both_allowed(catalog.where(WHERE), catalog.where("price <= 900"))
    expected = LISTED.where(f"({WHERE}) and price <= 900").nonzero()[:, 0]
    assert torch.equal(allowed_rows(both, catalog.storage), expected)


def test_the_same_rules_in_any_order_are_the_same_filter():
    first, second = CATALOG.where(WHERE), CATALOG.where("price <= 900")
    assert (first & second).expressions == (second & first).expressions
    assert (first & second & first).expressions == (first & second).expressions


def test_everything_is_allowed_without_a_filter():
    assert count_allowed(None, 7) == 7
    assert allowed_rows(None, Catalog(normal(4, 2)).storage).tolist() == [0, 1, 2, 3]
    assert are_allowed(None, torch.tensor([[1, 2]])).tolist() == [[True, True]]
    assert numbered_rows(None, torch.tensor([3, 1])).tolist() == [3, 1]


def test_rules_that_leave_too_many_rows_to_list_need_a_list():
    with pytest.raises(NeedsListError):
        CATALOG.where("price <= 1400").every_row(most_listed=10)


def test_a_mask_is_rejected_for_a_product_space():
    with pytest.raises(InvalidInputError, match=r"`allowed` must be rules for a product space, as `catalog\.where`"):
        Policy(CATALOG, BELIEF, allowed=torch.ones(len(CATALOG), dtype=torch.bool))


def test_the_rules_of_a_product_space_are_rejected_for_a_list_and_for_another_space():
    rules = CATALOG.where(WHERE)
    with pytest.raises(InvalidInputError, match="must be a mask for a list of items, got the rules"):
        Policy(LISTED, BELIEF, allowed=rules)
    other = rather.open(bicycle(rules=[]))
    with pytest.raises(InvalidInputError, match=r"must be what `catalog\.where` of this product space returned"):
        Policy(*other, allowed=rules)
    again = rather.open(bicycle())
    assert Policy(*again, allowed=rules).available == len(rows())


def test_a_mask_and_rules_cannot_be_joined():
    with pytest.raises(InvalidInputError, match="a mask for a list of items, and rules for a product space"):
        both_allowed(CATALOG.where(WHERE), LISTED.where(WHERE))
