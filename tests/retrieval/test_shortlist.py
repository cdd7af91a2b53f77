from dataclasses import dataclass, field, replace

import pytest
import torch

from rather import Belief, Catalog, ExactRetriever, Policy, Session, SimulatedUser, Stopping
from rather.retrieval import ExactSettings, ShortlistRetriever, ShortlistSettings
from rather.strategies.discrete import Greedy
from rather.testing import check_retriever
from worlds import World, brute_force, normal

FEW = ShortlistSettings(directions=200, checks=64, refresh=64)

EVERY_BELIEF = replace(FEW, check_one_in=1, scan_one_in=1)

NO_BELIEF = replace(FEW, check_one_in=10**9, scan_one_in=10**9)

NEVER_SMALL = ExactSettings(small_catalog=0, first_ring=16)


def learnt(n=3000, m=60, d=4, seed=0, tail=0.4) -> World:
    """Items whose norms vary as learnt ones do, and a population with a density, all on one side."""
    generator = torch.Generator().manual_seed(seed)
    lengths = torch.rand(n, 1, generator=generator).clamp_min(1e-3).pow(-tail)
    return World(Catalog(normal(n, d, seed=seed) * lengths), Belief.from_users(normal(m, d, seed=seed + 1) / 2 + 1.0))


ELSEWHERE = Belief.from_users(normal(40, 4, seed=7) / 2 - 1.0)


def build(here: World, settings: ShortlistSettings = FEW, **parts) -> ShortlistRetriever:
    return ShortlistRetriever.build(here.catalog, here.belief, settings=settings, **parts)


def with_cheap_exact_searches(shortlist: ShortlistRetriever, cheap: bool = True) -> ShortlistRetriever:
    return replace(shortlist, report=replace(shortlist.report, exact_is_cheap=cheap))


def test_it_meets_the_contract_of_retrievers():
    def make(catalog: Catalog) -> ShortlistRetriever:
        return ShortlistRetriever.build(catalog, Belief.from_users(normal(30, catalog.dimensions)), settings=FEW)

    check_retriever(make, exact=False)


def test_it_is_small_and_loses_next_to_nothing_for_users_it_was_not_built_from():
    here = learnt()
    shortlist = build(here)
    assert len(shortlist.rows) < 400
    users = here.belief.prior.sample(500, torch.Generator().manual_seed(99))
    best = (users @ here.catalog.items.T).amax(dim=1)
    lost = best - shortlist.top(users, 1).scores[:, 0]
    assert lost.min() >= -1e-4
    assert float(lost.mean() / best.std()) < 0.01


def test_it_does_not_grow_with_the_catalogue():
    small, large = build(learnt(n=3000)), build(learnt(n=30_000))
    assert len(large.rows) < 1.5 * len(small.rows)


def test_its_report_counts_its_items_and_those_of_the_catalogue():
    shortlist = build(learnt())
    assert shortlist.report.items == len(shortlist.rows) == len(shortlist.items)
    assert shortlist.report.catalog == 3000
    assert torch.equal(shortlist.items, learnt().catalog.items[shortlist.rows])


@dataclass(frozen=True)
class Recording(ExactRetriever):
    """Keeps the directions it was searched in, one after the other."""

    searched: list = field(default_factory=list)
    counts: list = field(default_factory=list)

    def top(self, directions, count, allowed=None):
        self.searched.append(directions)
        self.counts.append(count)
        return super().top(directions, count, allowed)

    def refine(self, directions, found, allowed=None):
        refined = super().refine(directions, found, allowed)
        if refined is not None:
            self.searched.append(directions)
        return refined


@pytest.mark.parametrize("cheap", [False, True])
def test_the_loss_it_reports_is_what_exact_searches_find_beyond_it(cheap):
    here = learnt(tail=0.22)
    items = here.catalog.items
    # Tastes along the axes: a mean of 8 particles is an eighth of how often each axis was drawn.
    belief = Belief.from_users(-2 * torch.eye(4))
    exact = Recording(here.catalog, population=here.belief, settings=NEVER_SMALL if cheap else ExactSettings())
    shortlist = ShortlistRetriever.build(exact, here.belief, settings=EVERY_BELIEF)
    del exact.searched[:]
    report = with_cheap_exact_searches(shortlist, cheap).fitted(belief).report

    checked, on_list = exact.searched[0], items[shortlist.rows]
    missed = (checked @ items.T).amax(dim=1) - (checked @ on_list.T).amax(dim=1)
    gain = (on_list @ belief.particles.T).amax(dim=0).mean() - (on_list @ belief.particles.mean(dim=0)).max()
    assert report.loss == pytest.approx(float(missed.mean() / gain), rel=1e-3)
    assert report.loss > FEW.bound
    # The mean and four groups, or those of them for which the longest items settle the search.
    assert report.checks == len(checked)
    assert (0 < len(checked) < 5) if cheap else len(checked) == 5
    drawn = checked / -2 * 8
    assert torch.equal(drawn, drawn.round())
    assert drawn.sum(dim=1).tolist() == [8.0] * len(checked)
    assert (drawn > 0).sum(dim=1).min() > 1


def test_the_loss_it_was_built_with_is_what_exact_searches_find_beyond_it():
    items = torch.nn.functional.normalize(normal(5000, 5), dim=1)
    exact = Recording(Catalog(items))
    settings = replace(FEW, directions=60, depth=1, enlargements=0)
    shortlist = ShortlistRetriever.build(exact, Belief.from_users(normal(60, 5, seed=1)), settings=settings)
    # Searched: the mean and groups, for items to ask about; the mean alone; the checks; then what is to be found.
    _, mean, checks, *_ = exact.searched
    best, best_on_average = (checks @ items.T).amax(dim=1), items[(items @ mean[0]).argmax()]
    missed, gain = best - (checks @ items[shortlist.rows].T).amax(dim=1), best - checks @ best_on_average
    # 64 means of beliefs, then 16 users.
    for loss, part in ((shortlist.report.loss, slice(64)), (shortlist.report.user_loss, slice(64, 80))):
        wanted = float(missed[part].sum() / gain[part].sum())
        assert loss == pytest.approx(wanted, rel=1e-3)
        assert wanted > 0.01
    assert shortlist.report.checks == 64
    assert len(checks) == 80
    assert checks[:64].norm(dim=1).mean() < checks[64:].norm(dim=1).mean()


def test_it_is_trusted_only_if_it_loses_little_for_beliefs_and_for_users():
    report = build(learnt()).report
    assert report.trusted
    assert not replace(report, loss=2 * report.bound).trusted
    assert not replace(report, user_loss=2 * report.user_bound).trusted


@pytest.mark.parametrize("cheap", [False, True])
def test_of_so_many_beliefs_one_is_checked(cheap):
    here = learnt()
    one_in = {"check_one_in": 4 if cheap else 10**9, "scan_one_in": 10**9 if cheap else 4}
    base = with_cheap_exact_searches(build(here, replace(FEW, **one_in)), cheap)
    beliefs = [Belief.from_users(normal(40, 4, seed=seed) / 2 - 1.0) for seed in range(100)]
    unchecked = sum(base.fitted(belief).report is base.report for belief in beliefs)
    assert abs(unchecked - 75) < 5 * (100 * 0.75 * 0.25) ** 0.5


def test_it_is_enlarged_while_that_helps_and_the_loss_is_above_the_bound():
    items = torch.nn.functional.normalize(normal(5000, 5), dim=1)
    here = World(Catalog(items), Belief.from_users(normal(60, 5, seed=1)))
    settings = replace(FEW, directions=60, depth=1, bound=1e-4)
    few, more = (build(here, replace(settings, enlargements=times)) for times in (0, 9))
    assert few.report.loss > settings.bound
    assert more.report.enlargements >= 1
    assert more.report.loss < few.report.loss
    assert more.report.directions == few.report.directions + 60 * more.report.enlargements


def test_every_enlargement_takes_twice_as_many_items_for_each_direction():
    items = torch.nn.functional.normalize(normal(5000, 5), dim=1)
    exact = Recording(Catalog(items))
    settings = replace(FEW, directions=60, depth=3, bound=0.0, enlargements=1)
    shortlist = ShortlistRetriever.build(exact, Belief.from_users(normal(60, 5, seed=1)), settings=settings)
    assert shortlist.report.enlargements == 1
    assert exact.counts[-3:] == [3, 1, 6]  # directions, users, directions again


def test_it_is_not_enlarged_further_where_that_hardly_helps():
    items = torch.nn.functional.normalize(normal(5000, 24), dim=1)
    here = World(Catalog(items), Belief.from_users(normal(60, 24, seed=1)))
    assert build(here, replace(FEW, directions=20, depth=1, enlargements=9)).report.enlargements == 1


def test_where_every_item_may_be_somebodys_best_it_is_not_trusted():
    items = torch.nn.functional.normalize(normal(20_000, 24), dim=1)
    here = World(Catalog(items), Belief.from_users(normal(60, 24, seed=1)))
    assert not build(here).report.trusted
    assert build(learnt()).report.trusted


@pytest.mark.parametrize("cheap", [False, True])
def test_fitted_to_a_belief_it_holds_the_best_item_of_its_mean(cheap):
    here = learnt(tail=0.0)
    items = here.catalog.items
    base = with_cheap_exact_searches(build(here, EVERY_BELIEF), cheap)
    fitted = base.fitted(ELSEWHERE)
    best = int((items @ ELSEWHERE.mean).argmax())
    assert best not in base.rows
    assert best in fitted.rows
    for count in (1, 5):
        wanted = brute_force(ELSEWHERE.mean[None], items, count)
        assert torch.equal(fitted.top(ELSEWHERE.mean[None], count).rows, wanted)
    assert fitted.report.enlargements == base.report.enlargements + 1
    before, after = (missed_by(one, ELSEWHERE.particles, items) for one in (base, fitted))
    assert after < 0.3 * before


def missed_by(shortlist, users, items) -> float:
    """How much better the best of all items is than the best on the list, on average over users."""
    best, on_list = (users @ items.T).amax(dim=1), (users @ items[shortlist.rows].T).amax(dim=1)
    return float((best - on_list).mean())


def test_the_same_belief_gives_the_same_list_again():
    base, again = build(learnt(), EVERY_BELIEF), build(learnt(), EVERY_BELIEF)
    assert torch.equal(base.rows, again.rows)
    fitted = base.fitted(ELSEWHERE)
    assert len(fitted.rows) > len(base.rows)
    assert torch.equal(fitted.rows, again.fitted(ELSEWHERE).rows)


def test_few_directions_are_searched_exactly_where_that_is_cheap():
    here = learnt()
    base = build(here)
    tiny = replace(base, rows=base.rows[:10], items=here.catalog.items[base.rows[:10]])
    directions = normal(9, 4, seed=3)
    wanted = brute_force(directions, here.catalog.items, 3)
    cheap = with_cheap_exact_searches(tiny)
    assert torch.equal(cheap.top(directions, 3).rows, wanted)
    assert torch.isin(cheap.top(directions.repeat(2, 1), 3).rows, tiny.rows).all()
    assert torch.isin(tiny.top(directions, 3).rows, tiny.rows).all()
    assert not torch.isin(wanted, tiny.rows).all()


def test_a_catalogue_whose_norms_vary_makes_exact_searches_cheap():
    here = learnt()
    equal_norms = Catalog(torch.nn.functional.normalize(normal(3000, 4), dim=1))
    for catalog, cheap in ((here.catalog, True), (equal_norms, False)):
        exact = ExactRetriever(catalog, settings=NEVER_SMALL)
        assert ShortlistRetriever.build(exact, here.belief, settings=FEW).report.exact_is_cheap == cheap


def test_more_items_than_it_holds_are_searched_exactly():
    here = learnt()
    shortlist = build(here)
    count = len(shortlist.rows) + 1
    directions = normal(12, 4, seed=3)
    assert torch.equal(shortlist.top(directions, count).rows, brute_force(directions, here.catalog.items, count))


def test_a_long_ranking_for_one_user_is_exact():
    here = learnt()
    shortlist = build(here)
    assert not shortlist.report.exact_is_cheap
    wanted = brute_force(here.belief.mean[None], here.catalog.items, 40)
    assert len(shortlist.rows) > 40
    assert not set(wanted[0].tolist()) <= set(shortlist.rows.tolist())
    assert torch.equal(shortlist.top(here.belief.mean[None], 40).rows, wanted)


def test_an_unknown_filter_is_searched_exactly_and_a_fitted_one_by_its_own_list():
    here = learnt()
    items, users = here.catalog.items, here.belief.particles
    allowed = torch.arange(3000) % 7 == 0
    base = build(here)
    directions = normal(20, 4, seed=3)
    assert torch.equal(base.top(directions, 3, allowed).rows, brute_force(directions, items, 3, allowed))
    fitted = base.fitted(here.belief, allowed)
    assert len(fitted.rows) < 200
    assert allowed[fitted.rows].all()
    assert torch.isin(fitted.top(users, 2, allowed).rows, fitted.rows).all()
    best = (users @ items[allowed].T).amax(dim=1)
    assert float((best - fitted.top(users, 1, allowed).scores[:, 0]).mean() / best.std()) < 0.02
    assert torch.equal(base.candidates(allowed), allowed.nonzero()[:, 0])
    assert torch.equal(fitted.candidates(allowed), fitted.rows)
    assert torch.equal(fitted.candidates(None), torch.arange(3000))


def test_the_shortlist_of_a_filter_is_built_once():
    here = learnt()
    allowed = torch.arange(3000) % 7 == 0
    recording = Recording(here.catalog)
    base = ShortlistRetriever.build(recording, here.belief, settings=NO_BELIEF)
    first = base.fitted(here.belief, allowed)
    searches = len(recording.searched)
    assert torch.equal(base.fitted(here.belief, allowed.clone()).rows, first.rows)
    assert len(recording.searched) == searches


def test_a_filter_that_leaves_few_items_is_served():
    here = learnt()
    allowed = torch.zeros(3000, dtype=torch.bool)
    allowed[[5, 70, 1999]] = True
    fitted = build(here).fitted(here.belief, allowed)
    assert fitted.rows.tolist() == [5, 70, 1999]
    assert sorted(fitted.top(normal(30, 4), 3, allowed).rows[0].tolist()) == [5, 70, 1999]


def converse(here: World, retriever, **parts) -> list[tuple[tuple[int, ...], float]]:
    session = Session(Policy(here.catalog, here.belief, k=3, retriever=retriever, **parts), Stopping())
    user, asked = SimulatedUser(here.belief.prior.centres[5], session.policy.response, 3), []
    for _ in range(4):
        question = session.ask()
        asked.append((question.slate, question.evoi, session.expected_regret, session.recommend(1)[0].row))
        session.tell(question, user.answer(question))
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
    session = Session(Policy(here.catalog, here.belief, retriever=shortlist))
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


def test_the_best_items_of_particles_are_searched_once_whatever_belief_it_is_fitted_to():
    here = learnt()
    base = build(here, EVERY_BELIEF)
    particles = ELSEWHERE.particles
    first = base.favourites(particles)
    assert torch.equal(first.rows, base.rows[(particles @ base.items.T).argmax(dim=1)][:, None])
    grown = base.fitted(ELSEWHERE)
    assert len(grown.rows) > len(base.rows)
    assert grown.favourites(particles) is first
    assert torch.equal(grown.favourites(particles.clone()).rows, first.rows)
    allowed = torch.arange(3000) % 7 == 0
    assert torch.equal(base.favourites(particles, allowed).rows, brute_force(particles, here.catalog.items, 1, allowed))


def test_no_directions_find_nothing():
    here = learnt()
    exact = ExactRetriever(here.catalog, population=here.belief, settings=NEVER_SMALL)
    cheap = ShortlistRetriever.build(exact, here.belief, settings=FEW)
    assert cheap.report.exact_is_cheap
    for shortlist in (build(here), cheap):
        assert shortlist.top(torch.zeros(0, 4), 2).rows.shape == (0, 2)


def test_a_ranking_is_as_long_as_asked_whatever_was_asked_before():
    here = learnt()
    fitted = with_cheap_exact_searches(build(here)).fitted(here.belief)
    for count in (1, 5, 3, 1):
        best = (here.belief.mean @ here.catalog.items.T).topk(count).indices
        assert torch.equal(fitted.top(here.belief.mean[None], count).rows[0], best)


def test_the_ranking_for_the_mean_of_a_fitted_belief_is_searched_once():
    here = learnt()
    recording = Recording(here.catalog)
    base = ShortlistRetriever.build(recording, here.belief, settings=NO_BELIEF)
    fitted = with_cheap_exact_searches(base).fitted(here.belief)
    del recording.searched[:]
    for count in (2, 1, 2, 3, 2):
        fitted.top(here.belief.mean[None], count)
    assert len(recording.searched) == 2
    fitted.top(here.belief.mean[None] * 2, 1)
    assert len(recording.searched) == 3


def test_a_fitted_shortlist_that_did_not_grow_shares_its_items():
    here = learnt()
    base = build(here, EVERY_BELIEF)
    same, grown = base.fitted(here.belief), base.fitted(ELSEWHERE)
    assert len(same.rows) == len(base.rows) < len(grown.rows)
    assert same.bytes_not_shared_with(base) == 8 * len(base.rows)
    assert grown.bytes_not_shared_with(base) == (8 + 4 * 4) * len(grown.rows)
