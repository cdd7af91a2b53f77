import pytest

import rather
from rather.strategies.auto import Auto


def space(options):
    return rather.ProductSpace(
        "thing", [rather.Option(f"option {o}", [f"{o}{v}" for v in "abcd"]) for o in range(options)]
    )


@pytest.mark.parametrize(("options", "k", "groups"), [(11, 2, 64), (11, 4, 32), (6, 2, 32)])
def test_where_configurations_are_too_many_to_list_more_of_them_are_looked_at(monkeypatch, options, k, groups):
    met = []
    searched = Auto._searched
    monkeypatch.setattr(Auto, "_searched", lambda self, problem: met.append(self) or searched(self, problem))
    catalog, belief = rather.open(space(options))
    policy = rather.Policy(catalog, belief, k)
    first = policy.question(belief, ())
    policy.question(policy.after(belief, first, 0), [first])
    # For the first question, which many people are asked, twice as many.
    assert [each.groups for each in met] == [2 * groups, groups]
