from dataclasses import replace

import pytest
import torch

from rather import Belief, Catalog, ExactRetriever, Session, SimulatedUser, Stopping
from rather.numerics.randomness import derive_generator
from rather.retrieval import exact as exact_module
from rather.retrieval import shortlist as shortlist_module
from rather.retrieval.shortlist import ShortlistRetriever
from rather.retrieval.shortlist_settings import ShortlistPlan
from rather.strategies.discrete import Greedy
from rather.testing import check_retriever
from worlds import World, normal

FEW = ShortlistPlan(directions=200, checks=64, refresh=64)


def learnt(n=3000, m=60, d=4, seed=0, tail=0.4) -> World:
    """Items whose norms spread as learnt ones do, and a population with a density, all on one side."""
    generator = torch.Generator().manual_seed(seed)
    lengths = torch.rand(n, 1, generator=generator).clamp_min(1e-3).pow(-tail)
    return World(Catalog(normal(n, d, seed=seed) * lengths), Belief.from_users(normal(m, d, seed=seed + 1) / 2 + 1.0))


ELSEWHERE = Belief.from_users(normal(40, 4, seed=7) / 2 - 1.0)


def build(here: World, **parts) -> ShortlistRetriever:
    return ShortlistRetriever.build(here.catalog, here.belief, plan=FEW, **parts)


def test_it_keeps_the_contract_of_retrievers():
    def make(catalog: Catalog) -> ShortlistRetriever:
        return ShortlistRetriever.build(catalog, Belief.from_users(normal(30, catalog.dimensions)), plan=FEW)

    check_retriever(make, exact=False)


def test_it_is_small_and_loses_next_to_nothing_for_people_it_has_not_met():
    here = learnt()
    shortlist = build(here)
    assert len(shortlist.rows) < 400
    people = here.belief.prior.sample(500, torch.Generator().manual_seed(99))
    best = ExactRetriever(here.catalog).top(people, 1).scores
    lost = best - shortlist.top(people, 1).scores
    assert lost.min() >= -1e-4
    assert float(lost.mean() / best.std()) < 0.01


def test_it_does_not_grow_with_the_catalogue():
    small, large = build(learnt(n=3000)), build(learnt(n=30_000))
    assert len(large.rows) < 1.5 * len(small.rows)


@pytest.mark.parametrize("cheap", [False, True])
def test_the_loss_it_reports_is_what_exact_searches_find_beyond_it(cheap, monkeypatch):
    monkeypatch.setattr(shortlist_module, "CHECK_ONE_IN", 1)
    here = learnt(tail=0.0)
    base = build(here)
    base = replace(base, report=replace(base.report, exact_is_cheap=cheap))
    report = base.fitted(ELSEWHERE).report
    generator = derive_generator(FEW.seed, "fit", ELSEWHERE.content_hash)
    torch.randint(1, (), generator=generator)
    checked, known = base._to_check(ELSEWHERE, generator), here.catalog.items[base.rows]
    missed = (checked @ here.catalog.items.T).amax(dim=1) - (checked @ known.T).amax(dim=1)
    gain = (known @ ELSEWHERE.particles.T).amax(dim=0) @ ELSEWHERE.weights - (known @ ELSEWHERE.mean).max()
    assert report.loss == pytest.approx(float(missed.mean() / gain), rel=1e-3)
    assert report.loss > FEW.bound
    assert report.checks == len(checked)


def test_most_beliefs_are_not_checked(monkeypatch):
    monkeypatch.setattr(shortlist_module, "CHECK_ONE_IN", 10**9)
    base = build(learnt())
    assert base.fitted(ELSEWHERE).report == base.report


def test_it_is_enlarged_while_that_helps_and_the_loss_is_above_the_bound():
    items = torch.nn.functional.normalize(normal(5000, 5), dim=1)
    here = World(Catalog(items), Belief.from_users(normal(60, 5, seed=1)))
    plan = replace(FEW, directions=60, depth=1, bound=1e-4)
    few, more = (
        ShortlistRetriever.build(here.catalog, here.belief, plan=replace(plan, enlargements=times)) for times in (0, 9)
    )
    assert few.report.loss > plan.bound
    assert more.report.enlargements >= 1
    assert more.report.loss < few.report.loss
    assert more.report.directions == few.report.directions + 60 * more.report.enlargements


def test_where_every_item_may_be_somebodys_best_it_is_not_trusted():
    items = torch.nn.functional.normalize(normal(20_000, 24), dim=1)
    here = World(Catalog(items), Belief.from_users(normal(60, 24, seed=1)))
    assert not build(here).report.trusted


@pytest.mark.parametrize("cheap", [False, True])
def test_fitted_to_a_belief_it_holds_the_best_items_of_its_mean(cheap, monkeypatch):
    monkeypatch.setattr(shortlist_module, "CHECK_ONE_IN", 1)
    here = learnt()
    base = build(here)
    base = replace(base, report=replace(base.report, exact_is_cheap=cheap))
    fitted, exact = base.fitted(ELSEWHERE), ExactRetriever(here.catalog)
    mean = ELSEWHERE.mean[None]
    for count in (1, 5):
        assert torch.equal(fitted.top(mean, count).rows, exact.top(mean, count).rows)
    assert fitted.report.enlargements == base.report.enlargements + 1
    before, after = (_missed(one, ELSEWHERE, exact) for one in (base, fitted))
    assert after < 0.3 * before


def _missed(shortlist, belief, exact) -> float:
    items = exact.catalog.items[shortlist.rows]
    return float((exact.top(belief.particles, 1).scores[:, 0] - (items @ belief.particles.T).amax(dim=0)).mean())


def test_the_same_belief_gives_the_same_list_again():
    base, again = build(learnt()), build(learnt())
    assert torch.equal(base.rows, again.rows)
    assert torch.equal(base.fitted(ELSEWHERE).rows, again.fitted(ELSEWHERE).rows)


def test_few_directions_are_searched_exactly_where_that_is_cheap():
    here = learnt()
    base = build(here)
    tiny = replace(base, rows=base.rows[:10], _items=here.catalog.items[base.rows[:10]])
    directions, exact = normal(5, 4, seed=3), ExactRetriever(here.catalog)
    cheap = replace(tiny, report=replace(tiny.report, exact_is_cheap=True))
    assert torch.equal(cheap.top(directions, 3).rows, exact.top(directions, 3).rows)
    assert torch.isin(tiny.top(directions, 3).rows, tiny.rows).all()


def test_a_catalogue_whose_norms_spread_makes_exact_searches_cheap(monkeypatch):
    monkeypatch.setattr(exact_module, "SMALL_CATALOG", 0)
    monkeypatch.setattr(exact_module, "FIRST_RING", 16)
    assert build(learnt()).report.exact_is_cheap
    flat = World(Catalog(torch.nn.functional.normalize(normal(3000, 4), dim=1)), learnt().belief)
    assert not build(flat).report.exact_is_cheap


def test_more_items_than_it_holds_are_searched_exactly():
    here = learnt()
    shortlist = build(here)
    count = len(shortlist.rows) + 1
    directions = normal(12, 4, seed=3)
    found = shortlist.top(directions, count)
    assert torch.equal(found.rows, ExactRetriever(here.catalog).top(directions, count).rows)


def test_a_long_ranking_for_one_person_is_exact():
    here = learnt()
    shortlist = build(here)
    assert not shortlist.report.exact_is_cheap
    wanted = ExactRetriever(here.catalog).top(here.belief.mean[None], 50).rows
    assert not set(wanted[0].tolist()) <= set(shortlist.rows.tolist())
    assert torch.equal(shortlist.top(here.belief.mean[None], 50).rows, wanted)


def test_an_unknown_filter_is_searched_exactly_and_a_fitted_one_by_its_own_list():
    here = learnt()
    allowed = torch.arange(3000) % 7 == 0
    base, exact = build(here), ExactRetriever(here.catalog)
    directions = normal(20, 4, seed=3)
    assert torch.equal(base.top(directions, 3, allowed).rows, exact.top(directions, 3, allowed).rows)
    fitted = base.fitted(here.belief, allowed)
    assert allowed[fitted.rows].all()
    assert allowed[fitted.top(here.belief.particles, 2, allowed).rows].all()
    assert _missed_among(fitted, here, exact, allowed) < 0.02
    assert base.fitted(here.belief, allowed.clone()).rows.tolist() == fitted.rows.tolist()
    assert torch.equal(base.candidates(allowed), allowed.nonzero()[:, 0])
    assert torch.equal(fitted.candidates(allowed), fitted.rows)
    assert torch.equal(fitted.candidates(None), torch.arange(3000))


def _missed_among(shortlist, here, exact, allowed) -> float:
    best = exact.top(here.belief.particles, 1, allowed).scores
    return float((best - shortlist.top(here.belief.particles, 1, allowed).scores).mean() / best.std())


def test_a_filter_that_leaves_few_items_is_served():
    here = learnt()
    allowed = torch.zeros(3000, dtype=torch.bool)
    allowed[[5, 70, 1999]] = True
    fitted = build(here).fitted(here.belief, allowed)
    assert fitted.rows.tolist() == [5, 70, 1999]
    assert sorted(fitted.top(normal(30, 4), 3, allowed).rows[0].tolist()) == [5, 70, 1999]


def converse(here: World, retriever, **parts) -> list[tuple[tuple[int, ...], float]]:
    session = Session(here.catalog, here.belief, k=3, retriever=retriever, stopping=Stopping(), **parts)
    person, asked = SimulatedUser(here.belief.prior.centres[5], session.response, 3), []
    for _ in range(4):
        question = session.ask()
        asked.append((question.slate, question.evoi, session.expected_regret, session.recommend(1)[0].row))
        session.tell(question, person.answer(question))
    return asked


def test_a_conversation_on_a_shortlist_is_worth_what_one_on_all_items_is():
    here = learnt()
    short, whole = converse(here, build(here)), converse(here, "exact")
    assert short[0][1] >= 0.995 * whole[0][1]
    assert short[0][2] == pytest.approx(whole[0][2], rel=0.02)
    assert short[0][3] == whole[0][3]
    total, most = sum(turn[1] for turn in short), sum(turn[1] for turn in whole)
    assert total >= 0.9 * most


def test_a_conversation_on_a_shortlist_is_replayed_to_the_same_question():
    here = learnt()
    shortlist = build(here)
    session = Session(here.catalog, here.belief, retriever=shortlist)
    for choice in (0, 1, 0):
        session.tell(session.ask(), choice)
    text = session.to_json()
    again = Session.from_json(text, here.catalog, here.belief, retriever=build(here))
    assert again.ask() == session.ask()


def test_a_conversation_under_a_filter_asks_about_allowed_items_alone():
    here = learnt()
    allowed = torch.arange(3000) % 5 == 0
    for slate, *_ in converse(here, build(here), allowed=allowed):
        assert allowed[list(slate)].all()


def test_greedy_tries_the_shortlist_alone():
    here = learnt()
    shortlist = build(here)
    assert torch.isin(Greedy()(here.problem(retriever=shortlist)), shortlist.rows).all()
    allowed = torch.arange(3000) % 5 == 0
    slate = Greedy()(here.problem(retriever=shortlist, allowed=allowed))
    assert allowed[slate].all()


def test_no_directions_find_nothing():
    base = build(learnt())
    cheap = replace(base, report=replace(base.report, exact_is_cheap=True))
    for shortlist in (base, cheap):
        assert shortlist.top(torch.zeros(0, 4), 2).rows.shape == (0, 2)


def test_a_ranking_is_as_long_as_asked_whatever_was_asked_before():
    here = learnt()
    base = build(here)
    fitted = replace(base, report=replace(base.report, exact_is_cheap=True)).fitted(here.belief)
    for count in (1, 5, 3, 1):
        best = (here.belief.mean @ here.catalog.items.T).topk(count).indices
        assert torch.equal(fitted.top(here.belief.mean[None], count).rows[0], best)
