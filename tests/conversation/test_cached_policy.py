import json
from dataclasses import replace

import pytest
import torch

from rather import Belief, Catalog, Logistic, Policy, Session
from rather.caching import user_cache
from rather.conversation import keys
from rather.conversation.cached import CachedPolicy
from rather.model.rejuvenation import Rejuvenation
from rather.strategies.auto import Auto
from worlds import world


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A memory of its own, which keeps everything in files too."""
    monkeypatch.setenv("RATHER_CACHE", str(tmp_path / "cache"))
    return user_cache().subfolder("entries")


@pytest.fixture
def chosen(monkeypatch):
    """Counts the questions that are computed."""
    count = []
    compute = Policy.question
    monkeypatch.setattr(Policy, "question", lambda *arguments: count.append(1) or compute(*arguments))
    return count


def forget():
    user_cache()._kept.clear()


def policy(seed=0, **settings) -> Policy:
    small = world(n=60, m=40, d=4, smooth=True)
    return Policy(small.catalog, small.belief, seed=seed, **{"response": Logistic(0.3), **settings})


def opened(seed=0, *, cached=True, **settings) -> Session:
    """A session that keeps its questions in files as well, however fast they are."""
    session = Session(policy(seed, **settings), cache=user_cache() if cached else None)
    if isinstance(session._step, CachedPolicy):
        session._step = replace(session._step, worth_a_file_ms=-1.0)
    return session


def talk(session, answers=(0, 1, 0, 1)):
    asked = []
    for answer in answers:
        asked.append(session.ask())
        session.tell(asked[-1], answer)
    return [*asked, session.ask()]


def same(questions, others):
    return [(q.number, q.slate, q.attributes, q.evoi) for q in questions] == [
        (q.number, q.slate, q.attributes, q.evoi) for q in others
    ]


@pytest.mark.parametrize("between", [lambda: None, forget], ids=["in the process", "from files"])
def test_a_remembered_conversation_is_the_computed_one(folder, chosen, between):
    computed, recalled = opened(cached=False), opened()
    expected = talk(computed)
    assert same(talk(opened()), expected)
    between()
    chosen.clear()
    assert same(talk(recalled), expected)
    assert len(chosen) == 5 - CachedPolicy.levels
    assert torch.equal(recalled.belief.particles, computed.belief.particles)
    assert torch.equal(recalled.belief.log_weights, computed.belief.log_weights)
    assert recalled.recommend(3) == computed.recommend(3)


@pytest.mark.usefixtures("folder")
def test_particles_are_renewed_once_for_the_same_answers(monkeypatch):
    renewals = []
    renew = Rejuvenation.__call__
    monkeypatch.setattr(Rejuvenation, "__call__", lambda *parts: renewals.append(1) or renew(*parts))
    first, second = opened(rejuvenation=Rejuvenation(threshold=1.0)), opened(rejuvenation=Rejuvenation(threshold=1.0))
    talk(first, (0, 0))
    assert len(renewals) == 2
    talk(second, (0, 0))
    assert len(renewals) == 2
    assert torch.equal(first.belief.particles, second.belief.particles)


@pytest.mark.usefixtures("folder")
def test_fewer_particles_than_before_are_cached_too():
    settings = {"rejuvenation": Rejuvenation(threshold=1.0, max_particles=10)}
    computed, first, second = opened(cached=False, **settings), opened(**settings), opened(**settings)
    for session in (computed, first, second):
        talk(session, (0, 1))
        assert session.belief.particles.shape == (10, 4)
        assert torch.equal(session.belief.particles, computed.belief.particles)
        assert torch.equal(session.belief.log_weights, computed.belief.log_weights)


@pytest.mark.parametrize(
    "other",
    [
        {"seed": 1},
        {"k": 3},
        {"response": Logistic(0.31)},
        {"strategy": "greedy"},
        {"strategy": Auto(drawn=3)},
        {"rejuvenation": None},
        {"allowed": torch.arange(60) > 0},
        {"retriever": "shortlist"},
    ],
    ids=str,
)
def test_other_settings_have_another_name(other):
    assert keys.policy_key(policy(**other)) != keys.policy_key(policy())


def test_other_beliefs_and_items_have_another_name():
    small = world(n=60, m=40, d=4, smooth=True)
    names = {
        keys.policy_key(Policy(Catalog(items), belief))
        for items in (small.catalog.items, small.catalog.items * 1.001)
        for belief in (
            small.belief,
            Belief.from_users(small.belief.particles, smooth=False),
            Belief.from_users(small.belief.particles, bandwidth=0.9),
        )
    }
    assert len(names) == 6


@pytest.mark.usefixtures("folder")
def test_answers_lead_to_different_places(chosen):
    for answers in ((0, 0), (0, 1), (1, 0), (1, 1)):
        talk(opened(), answers)
    assert len(chosen) == 1 + 2 + 4
    skipped = opened()
    skipped.tell(skipped.ask(), "skip")
    assert skipped.ask().slate != skipped.turns[0].question.slate


@pytest.mark.usefixtures("folder")
def test_a_filter_made_later_is_asked_about_its_own_items(chosen):
    session = opened()
    session.ask()
    narrow = session.restricted(torch.arange(60) < 30)
    assert max(narrow.ask().slate) < 30
    assert len(chosen) == 2


@pytest.mark.usefixtures("folder")
def test_a_strategy_from_elsewhere_is_never_remembered(chosen):
    for _ in range(2):
        opened(strategy=lambda problem: problem.random_slates(1)).ask()
    assert len(chosen) == 2


@pytest.mark.usefixtures("folder")
def test_a_budget_that_was_not_spent_changes_nothing(chosen):
    opened(strategy=Auto(budget_ms=1e9)).ask()
    assert opened().ask().slate == opened(strategy=Auto(budget_ms=1e8)).ask().slate
    assert len(chosen) == 1


@pytest.mark.usefixtures("folder")
def test_a_question_cut_short_by_its_budget_is_not_remembered(chosen):
    opened(strategy=Auto(budget_ms=0)).ask()
    opened(strategy=Auto(budget_ms=0)).ask()
    assert len(chosen) == 2


def test_off_keeps_and_finds_nothing(monkeypatch, folder, chosen):
    monkeypatch.setenv("RATHER_CACHE", "off")
    opened().ask()
    opened().ask()
    assert len(chosen) == 2
    assert not folder.exists()


def test_without_cache_a_session_computes_and_leaves_nothing(folder, chosen):
    opened(cached=False).ask()
    opened(cached=False).ask()
    assert len(chosen) == 2
    assert not folder.exists()


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: content[:-1],
        lambda content: content[:-2] + b"xx",
        lambda content: b"\0" * 99,
    ],
    ids=["empty", "cut", "altered", "zeros"],
)
def test_a_damaged_file_is_ignored_and_written_anew(folder, chosen, damage):
    expected = opened().ask()
    (file,) = folder.iterdir()
    whole = file.read_bytes()
    file.write_bytes(damage(whole))
    forget()
    assert opened().ask() == expected
    assert len(chosen) == 2
    assert file.read_bytes() == whole


def test_what_says_another_thing_than_it_should_is_computed_again(folder, chosen):
    expected = opened().ask()
    (file,) = folder.iterdir()
    for content in (b"{}", b"[1]", b"not json", json.dumps({"items": [0, 999], "evoi": 1.0}).encode()):
        user_cache().put(file.name, content)
        assert opened().ask() == expected
