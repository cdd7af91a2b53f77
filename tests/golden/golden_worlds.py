"""Everything of the library that the golden tests build or call: worlds, sessions, simulations.

What is renamed or reshaped in the library is adapted here and nowhere else; what was recorded stays as it is. The
service and the command line are in `golden_edges.py`.
"""

import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import torch

from rather import ATTRIBUTE_STRATEGIES as NOW_FOR_ATTRIBUTES
from rather import (
    STRATEGIES,
    Attribute,
    Belief,
    Catalog,
    Logistic,
    Noiseless,
    Policy,
    Question,
    ReadingCost,
    Rejuvenation,
    Session,
    Stopping,
)

Plain = dict[str, Any]
"""What stands in a recorded file: texts, numbers, lists, mappings."""

DATA = Path(os.environ.get("RATHER_DATA", "no such folder"))

RESPONSES = {"logistic": Logistic, "noiseless": Noiseless}

# What the strategies for attributes were called when the conversations were recorded.
RECORDED_NAMES = {
    "auto": "auto-partial",
    "cont-partial": "cont-partial",
    "exhaustive-search": "exhaustive-partial",
    "greedy": "greedy-partial",
    "random": "random-partial",
}
CURRENT_NAMES = {then: now for now, then in RECORDED_NAMES.items()}
ITEM_STRATEGIES = tuple(STRATEGIES)
ATTRIBUTE_STRATEGIES = tuple(RECORDED_NAMES[name] for name in NOW_FOR_ATTRIBUTES)


@dataclass(frozen=True)
class World:
    """A catalogue and the belief that its conversations start from."""

    catalog: Catalog
    belief: Belief


# Worlds


def normal(n: int, d: int, seed: int) -> torch.Tensor:
    """`(n, d)` standard normal numbers."""
    return torch.randn(n, d, generator=torch.Generator().manual_seed(seed), dtype=torch.float32)


def films() -> World:
    """The bundled films."""
    return _opened("films")


def laptops() -> World:
    """A table that is generated here, with a column of every kind."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "laptops.csv"
        path.write_text(laptops_csv(), encoding="utf-8")
        return _opened(str(path))


def laptops_csv(rows: int = 90) -> str:
    """Whole numbers that a linear congruential generator draws, so that no library decides what they are."""
    state = 12345

    def draw(below: int) -> int:
        nonlocal state
        state = (1103515245 * state + 12345) % 2**31
        return (state >> 8) % below

    lines = ["id,maker,model,price_eur,weight_kg,battery_hours,screen,touch,ports,released"]
    for row in range(rows):
        maker = ("Ada", "Bel", "Cor", "Dix")[draw(4)]
        price, weight = 300 + 25 * draw(90), 9 + draw(22)
        hours = "" if draw(9) == 0 else str(4 + draw(17))
        screen, touch = ("13 inch", "15 inch", "17 inch")[draw(3)], ("yes", "no")[draw(2)]
        ports = "|".join(port for port in ("usb-c", "hdmi", "card reader", "ethernet") if draw(2))
        released = f"{2019 + draw(6)}-{1 + draw(12):02d}-{1 + draw(28):02d}"
        fields = [
            row + 1,
            maker,
            f"{maker} {row + 1}",
            price,
            f"{weight / 10:.1f}",
            hours,
            screen,
            touch,
            ports,
            released,
        ]
        lines.append(",".join(map(str, fields)))
    return "\n".join(lines) + "\n"


def ratings() -> World:
    """Vectors that PMF learns from generated ratings, saved to a file and loaded from it."""
    from rather.formats.vectors.vector_files import Vectors, save_vectors
    from rather.learn import pmf
    from rather.research.experiments.population import generated_ratings

    given, _ = generated_ratings(users=70, items=90, seed=3)
    factors = pmf(given, dimensions=5, epochs=30, seed=2)
    vectors = Vectors(factors.items.numpy(), factors.users.numpy(), given.item_ids, given.labels, name="book")
    with tempfile.TemporaryDirectory() as folder:
        return _opened(str(save_vectors(vectors, Path(folder) / "books.npz")))


def gaussian() -> World:
    """Items and users from N(0, I)."""
    return World(Catalog(normal(300, 8, 1)), Belief.from_users(normal(60, 8, 2)))


def large() -> World:
    """Enough items from N(0, I) that they are searched by a shortlist."""
    return World(Catalog(normal(60_000, 8, 3)), Belief.from_users(normal(60, 8, 4)))


def tiny() -> World:
    """Few enough items and statements for exhaustive search; two of the statements are about the same column."""
    unit = torch.eye(4)
    said = [
        Attribute("funny", "funny", unit[0], "that is **funny**"),
        Attribute("dark", "dark", unit[1], "that is **dark**"),
        Attribute("two hours", "length", unit[2], "with **two hours**"),
        Attribute("three hours", "length", unit[3], "with **three hours**"),
    ]
    labels = [f"Play {letter}" for letter in "ABCDEFGHI"]
    items = Catalog(normal(9, 4, 5), ids=[label[-1] for label in labels], labels=labels, name="play", attributes=said)
    return World(items, Belief.gaussian([0.5, 0.0, 0.0, -0.5], torch.eye(4).tolist(), particles=80, seed=6))


def three() -> World:
    """So few items that every question is soon asked."""
    return World(Catalog(normal(3, 2, 7)), Belief.from_users(normal(25, 2, 8)))


def epa_cars() -> World:
    """The cars of the EPA, where they are on this machine."""
    return _opened(str(_data("epa-vehicles/cars_2025_2026.csv")))


def candy() -> World:
    """Sweets, where they are on this machine."""
    return _opened(str(_data("candy/candy-data.csv")))


class NotHereError(Exception):
    """A data set that is not on this machine."""


def _data(name: str) -> Path:
    path = DATA / name
    if not path.exists():
        raise NotHereError(f"needs {name} in RATHER_DATA")
    return path


def _opened(name: str) -> World:
    from rather.formats.opening import open_source

    source = open_source(name)
    return World(source.catalog, source.belief)


WORLDS = {make.__name__: make for make in (films, laptops, ratings, gaussian, large, tiny, three, epa_cars, candy)}


@cache
def world(name: str) -> World:
    """The world of this name, built once."""
    return WORLDS[name]()


_world = world  # where an argument has that name


def describe_world(world: World) -> Plain:
    """What identifies a world: stored logs carry these hashes."""
    catalog = world.catalog
    return {
        "items": len(catalog),
        "dimensions": catalog.dimensions,
        "particles": len(world.belief),
        "statements": len(catalog.attributes),
        "catalog": catalog.content_hash,
        "belief": world.belief.content_hash,
    }


# Conversations


def open_session(world: World, settings: Plain) -> Session:
    """A session with the settings of a recorded conversation, which takes nothing from the user's cache."""
    parts = dict(settings)
    if (response := parts.pop("response", None)) is not None:
        parts["response"] = RESPONSES[response["model"]](**{key: response[key] for key in response if key != "model"})
    if parts.get("rejuvenation") is not None:
        parts["rejuvenation"] = Rejuvenation(**parts["rejuvenation"])
    bounds = parts.pop("stopping", None)
    if (strategy := parts.pop("partial_strategy", None)) is not None:
        parts["attribute_strategy"] = CURRENT_NAMES[strategy]
    if (effort := parts.pop("effort", None)) is not None:
        parts["reading_cost"] = ReadingCost(card=effort["card"], attribute=effort["statement"])
    if parts.pop("all but every third", False):
        parts["allowed"] = torch.arange(len(world.catalog)) % 3 > 0
    if (where := parts.pop("where", None)) is not None:
        parts["allowed"] = world.catalog.where(where)
    return Session(Policy(world.catalog, world.belief, **parts), None if bounds is None else Stopping(**bounds))


def load_session(world: World, log: str) -> Session:
    """The session of a stored log."""
    return Session.from_json(log, world.catalog, world.belief)


def save_session(session: Session) -> str:
    """The stored log of a session."""
    return session.to_json()


def log_as_recorded(log: Plain) -> Plain:
    """A log of version 2 as version 1 had it: without what was shown."""
    if log.get("rather") != 2:
        return log
    kept = {
        key: value for key, value in log.items() if key not in ("name", "space", "spaces", "allowed_ids", "served_as")
    }
    events = [without(event, "shown") for event in log["events"]]
    return {**kept, "rather": 1, "events": events, "open": log["open"] and without(log["open"], "shown")}


def ask(session: Session) -> Question | None:
    """The open question; None when every question has been asked."""
    from rather.errors import NoQuestionLeftError

    try:
        return session.ask()
    except NoQuestionLeftError:
        return None


def tell(session: Session, question: Question, answer: int | str) -> Session:
    """The session after an answer."""
    session.tell(question, answer)
    return session


def undo(session: Session) -> Session:
    """The session after its last answer is taken back."""
    session.undo()
    return session


def describe_question(question: Question | None) -> Plain:
    """What a question asks; what is stressed in its words stands between `**`."""
    if question is None:
        return {"exhausted": True}
    words = "".join(f"**{piece.text}**" if piece.stressed else piece.text for piece in question.words)
    assert question.text == words.replace("**", "")
    compared = {"items": list(question.slate)} if question.kind == "items" else {"attributes": _lists(question)}
    return {**compared, "evoi": question.evoi, "words": words}


def _lists(question: Question) -> list[list[int]]:
    return [list(said) for said in question.attributes]


def describe_state(session: Session) -> Plain:
    """What follows from the answers so far."""
    best, stop = session.recommend(3), session.stop
    return {
        "best": [item.id for item in best],
        "utility": [item.expected_utility for item in best],
        "sure": [item.probability_best for item in best],
        "regret": session.expected_regret,
        "ess": session.belief.effective_sample_size,
        "stop": None if stop is None else stop.code,
    }


# Simulations and experiments


def simulated(*, world: str, users: int, strategies: Sequence[str], questions: int, settings: Plain) -> list[Plain]:
    """Simulated conversations, without their times."""
    from rather import Policy
    from rather.simulation import draw_users, simulate

    here = _world(world)
    settings = dict(settings)
    seed, users_per_seed = settings.pop("seed", 0), settings.pop("share", 1)
    about_attributes = settings.get("ask") == "attributes"
    policies = {}
    for name in strategies:
        chosen = {"attribute_strategy": CURRENT_NAMES[name]} if about_attributes else {"strategy": name}
        policies[name] = Policy(here.catalog, here.belief, response=Logistic(0.2), **chosen, **settings)
    drawn = draw_users(here.belief, users, seed=5)
    return [
        {
            "strategy": talk.policy,
            "regret": list(talk.regret),
            "ndcg": list(talk.ndcg),
            "hit": list(talk.hit),
            "evoi": list(talk.evoi),
        }
        for talk in simulate(policies, drawn, questions, seed=seed, users_per_seed=users_per_seed)
    ]


def experiment(*, experiment: str, methods: Sequence[str]) -> list[Plain]:
    """The jobs of some methods of an experiment in its quick form on generated data, without their times."""
    from rather.research.experiments.population import prepare
    from rather.research.experiments.run import KINDS
    from rather.research.experiments.spec import load_spec

    spec = load_spec(experiment, quick=True)
    kind = KINDS[spec.kind]
    with tempfile.TemporaryDirectory() as folder:
        nowhere = Path(folder) / "nowhere"
        files = {
            variant.label: prepare(
                _generated(variant.population),
                Path(folder),
                folder=nowhere,
                generate=True,
                on_progress=lambda text: None,
            )
            for variant in spec.variants
        }
        now = RECORDED_NAMES if spec.kind == "first-questions" else {}
        jobs = [job for job in kind.jobs(spec, files) if now.get(job.method, job.method) in methods]
        outcomes = [(job, kind.work(job)) for job in jobs]
    variants = [variant.label for variant in spec.variants]
    return [
        {
            "variant": variants.index(job.variant),
            "method": now.get(job.method, job.method),
            "trial": job.trial,
            **without(outcome, "seconds"),
        }
        for job, outcome in outcomes
    ]


def _generated(population: Mapping[str, Any]) -> Plain:
    """The population with generated data, whatever data sets are on this machine."""
    given = dict(population)
    return given if given["source"] == "gaussian" else {**without(given, "attributes"), "source": "generated"}


def without(given: Mapping[str, Any], name: str) -> Plain:
    """All but the value of this name."""
    return {key: value for key, value in given.items() if key != name}
