import torch
from hypothesis import given
from hypothesis import strategies as st

from rather.numerics.randomness import derive_generator, derive_seed, systematic_rows


def test_a_seed_depends_on_every_part_of_the_path():
    seeds = [
        derive_seed(0),
        derive_seed(1),
        derive_seed(0, "ask"),
        derive_seed(0, "ask", 1),
        derive_seed(0, "ask", 2),
        derive_seed(0, "renew", 1),
        derive_seed(0, "ask", "1", 1),
    ]
    assert len(set(seeds)) == len(seeds)


def test_a_derived_seed_stays_the_same_in_every_release():
    """Stored sessions replay to the same questions only while this holds."""
    assert derive_seed(0, "ask", 1) == 3230814104986143788


def test_the_same_path_draws_the_same_numbers():
    one, other = derive_generator(3, "ask", 1), derive_generator(3, "ask", 1)
    assert torch.equal(torch.rand(5, generator=one), torch.rand(5, generator=other))


@given(st.integers(-(2**70), 2**70))
def test_any_whole_number_is_a_seed(seed):
    assert 0 <= derive_seed(seed, "ask") < 2**63
    derive_generator(seed, "ask")


def test_deriving_leaves_the_global_generator_alone():
    before = torch.get_rng_state()
    torch.rand(3, generator=derive_generator(0, "ask"))
    assert torch.equal(torch.get_rng_state(), before)


def test_systematic_rows_spread_evenly():
    weights = torch.tensor([0.5, 0.25, 0.25])
    for seed in range(20):
        rows = systematic_rows(weights.log(), 8, torch.Generator().manual_seed(seed))
        assert torch.bincount(rows).tolist() == [4, 2, 2]


def test_systematic_rows_pass_over_rows_without_weight_even_at_offset_zero(monkeypatch):
    monkeypatch.setattr(torch, "rand", lambda *shape, **settings: torch.zeros((), dtype=torch.float64))
    rows = systematic_rows(torch.tensor([0.0, 0.5, 0.0, 0.5]).log(), 4, torch.Generator())
    assert rows.tolist() == [1, 1, 3, 3]
