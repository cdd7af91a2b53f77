"""Record the golden conversations: `python tests/golden/record.py [name ...]`, names of files in `recorded`.

They say what the package asked and recommended when they were recorded, so that a change of its structure can be shown
to change nothing else. Record again only when a change of questions or numbers is intended and stated in CHANGELOG.md
under Results, never to make a test pass. A conversation may be added at any time; the others must then come out as they
were (`git diff`).
"""

import os
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

os.environ["RATHER_CACHE"] = "off"
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "src"))

import golden_edges as edges
import golden_files as files
import golden_worlds as worlds
import torch
from golden_conversations import Act, go_on, play, play_on_the_command_line, play_over_http
from golden_worlds import Plain

# Answers, in turn to the next conversation; 1 stands for the last option of a slate.
SCRIPTS: list[list[Act]] = [
    [0, 1, "none", 0],
    [1, "same", "undo", 0, 1],
    [0, "skip", 1, "undo", "none"],
    ["same", 0, 1, 1],
    [1, 0, "undo", "undo", 0, "skip"],
]
# Where "none" and "same" are not on offer.
PLAIN_SCRIPT: list[Act] = [0, 1, "skip", "undo", 0, 0]

STRATEGIES = tuple(name for name in worlds.ITEM_STRATEGIES if name != "exhaustive-search")
SOME_STRATEGIES = ("auto", "query-iteration", "cont-alter", "cont-free", "greedy", "random", "qeubo")
PARTIAL = tuple(name for name in worlds.ATTRIBUTE_STRATEGIES if name != "exhaustive-partial")


def items(strategies: tuple[str, ...], *cases: tuple[int, int], **also: object) -> list[Plain]:
    """Settings of conversations about items, for `(k, seed)`."""
    return [{"k": k, "seed": seed, "strategy": name, **also} for name in strategies for k, seed in cases]


def attributes(strategies: tuple[str, ...], *cases: tuple[int, int, int]) -> list[Plain]:
    """Settings of conversations about attributes, for `(k, p, seed)`."""
    return [
        {"ask": "attributes", "k": k, "p": p, "seed": seed, "partial_strategy": name}
        for name in strategies
        for k, p, seed in cases
    ]


def either(*cases: tuple[int, int, int]) -> list[Plain]:
    """Settings of conversations about whichever is worth more, for `(k, p, seed)`."""
    return [{"ask": "auto", "k": k, "p": p, "seed": seed} for k, p, seed in cases]


OPTIONS: list[Plain] = [
    {"seed": 1, "all but every third": True},
    {"seed": 0, "rejuvenation": None},
    {"seed": 7, "rejuvenation": {"threshold": 0.9, "moves": 2}},
    {"seed": 0, "response": {"model": "logistic", "temperature": 0.3}},
    {"seed": 1, "response": {"model": "noiseless"}, "rejuvenation": None},
    {"seed": 0, "stopping": {"questions": 2}},
    {"seed": 7, "retriever": "shortlist"},
]
ATTRIBUTE_OPTIONS: list[Plain] = [
    {"ask": "attributes", "seed": 1, "all but every third": True},
    {"ask": "attributes", "seed": 0, "rejuvenation": None},
    {"ask": "auto", "seed": 7, "effort": {"card": 0.05, "statement": 0.0}},
    {"ask": "auto", "seed": 0, "effort": {"card": 0.0, "statement": 0.05}, "strategy": "greedy"},
]

SESSIONS: dict[str, tuple[str, list[Plain]]] = {
    "films-items": (
        "films",
        items(STRATEGIES, (2, 0))
        + items(STRATEGIES, (3, 1), rejuvenation=None)
        + items(("auto",), (2, 1), (2, 7), (3, 7)),
    ),
    "films-attributes": (
        "films",
        attributes(PARTIAL, (2, 1, 0), (3, 1, 1), (2, 2, 7)) + attributes(("exhaustive-partial",), (2, 1, 0)),
    ),
    "films-either": ("films", either((2, 1, 0), (3, 1, 7))),
    "films-options": ("films", OPTIONS + ATTRIBUTE_OPTIONS),
    "laptops-items": ("laptops", items(STRATEGIES, (2, 1), rejuvenation=None) + items(SOME_STRATEGIES, (3, 7))),
    "laptops-attributes": (
        "laptops",
        attributes(PARTIAL, (2, 1, 0))
        + attributes(("greedy-partial", "random-partial"), (3, 1, 7), (2, 2, 1))
        + attributes(("exhaustive-partial",), (2, 1, 7)),
    ),
    "laptops-either": ("laptops", either((2, 1, 0), (3, 1, 7))),
    "laptops-options": (
        "laptops",
        [
            {"seed": 0, "where": "price_eur < 1500 and touch"},
            {"ask": "auto", "seed": 1, "where": "'hdmi' in ports or battery_hours is missing"},
            *ATTRIBUTE_OPTIONS,
        ],
    ),
    "ratings-items": ("ratings", items(STRATEGIES, (2, 7)) + items(SOME_STRATEGIES, (3, 0))),
    "gaussian-items": ("gaussian", items(STRATEGIES, (3, 0)) + items(SOME_STRATEGIES, (2, 7))),
    "gaussian-options": ("gaussian", OPTIONS),
    "large-items": (
        "large",
        [
            *items(STRATEGIES, (2, 0)),
            *items(("auto", "query-iteration", "greedy"), (3, 7)),
            {"seed": 1, "retriever": "exact"},
            {"seed": 0, "all but every third": True},
        ],
    ),
    "tiny-items": ("tiny", items(("auto", "exhaustive-search"), (2, 0), (3, 1), (2, 7))),
    "tiny-attributes": (
        "tiny",
        attributes(worlds.ATTRIBUTE_STRATEGIES, (3, 1, 1), (2, 2, 7)) + either((2, 1, 0), (3, 2, 1)),
    ),
    "three-items": ("three", [{"seed": 0}, {"seed": 1, "strategy": "random"}]),
    "epa-cars": (
        "epa_cars",
        [
            {"seed": 0},
            {"k": 3, "seed": 1, "where": "electric and awd"},
            *attributes(("greedy-partial",), (2, 1, 7)),
        ],
    ),
    "candy": (
        "candy",
        items(("auto",), (2, 0))
        + items(("query-iteration",), (3, 1))
        + attributes(("auto-partial",), (2, 1, 7))
        + either((2, 1, 1)),
    ),
}


def script(settings: Plain, number: int) -> list[Act]:
    """What is answered in the conversation of this number."""
    acts = PLAIN_SCRIPT if "response" in settings else SCRIPTS[number % len(SCRIPTS)]
    last = settings.get("k", 2) - 1
    return [last if act == 1 else act for act in acts]


def record_sessions(name: str) -> None:
    """The conversations of one file."""
    world_name, cases = SESSIONS[name]
    world = worlds.world(world_name)
    start = worlds.describe_state(worlds.open_session(world, {}))
    played = [play(world, settings, script(settings, number)) for number, settings in enumerate(cases)]
    content = {"world": world_name, "identity": worlds.describe_world(world), "start": start, "conversations": played}
    files.write(f"sessions-{name}", content)


LOGS: dict[str, tuple[str, Plain, list[Act], bool]] = {
    "films-new": ("films", {"seed": 7}, [], False),
    "films-asked": ("films", {"seed": 1, "k": 3}, [], True),
    "films-answers": ("films", {"seed": 0}, [0, "none", 1, "same", "skip"], False),
    "films-undone": ("films", {"seed": 0, "strategy": "query-iteration"}, [0, 1, "undo", 0, 1, 0], True),
    "films-attributes": ("films", {"seed": 7, "ask": "attributes", "p": 2}, [0, "skip", 1, "same"], True),
    "films-either": ("films", {"seed": 1, "ask": "auto", "k": 3}, [2, "none", 0, "undo"], True),
    "laptops-where": ("laptops", {"seed": 0, "where": "price_eur < 1500"}, [0, 1, 1, 0], True),
    "laptops-either": (
        "laptops",
        {"seed": 7, "ask": "auto", "effort": {"card": 0.05, "statement": 0.0}, "partial_strategy": "greedy-partial"},
        [0, 1, "none"],
        True,
    ),
    "ratings-only-weights": ("ratings", {"seed": 1, "rejuvenation": None, "strategy": "thompson"}, [0, 1, 0, 0], True),
    "gaussian-noiseless": (
        "gaussian",
        {"seed": 0, "response": {"model": "noiseless"}, "rejuvenation": None, "stopping": {"regret": 0.1}},
        [0, 1, 0],
        True,
    ),
    "gaussian-often-rejuvenated": (
        "gaussian",
        {"seed": 7, "rejuvenation": {"threshold": 0.95, "moves": 3}, "response": {"model": "logistic", "tie": 0.4}},
        [0, 1, "same", 0],
        True,
    ),
    "large-allowed": ("large", {"seed": 0, "all but every third": True}, [0, 1, 1], True),
    "three-exhausted": ("three", {"seed": 0}, ["skip", 0, 1], False),
}


def record_log(name: str) -> None:
    """What the session says that is loaded from a stored log.

    A log that is there already stays: it was written by an earlier version, and must be read by all later ones.
    """
    world_name, settings, acts, asked = LOGS[name]
    world, path = worlds.world(world_name), files.RECORDED / f"log-{name}.json"
    if not path.exists():
        session = worlds.open_session(world, settings)
        for act in acts:
            session = worlds.undo(session) if act == "undo" else worlds.tell(session, worlds.ask(session), act)
        if asked:
            worlds.ask(session)
        path.write_text(worlds.save_session(session) + "\n", encoding="utf-8")
    log = path.read_text(encoding="utf-8")
    files.write(f"loaded-{name}", {"world": world_name, **go_on(worlds.load_session(world, log))})


def get(path: str) -> Plain:
    """A request that reads."""
    return {"method": "GET", "path": path}


def post(path: str, body: object = None) -> Plain:
    """A request that sends a body."""
    return {"method": "POST", "path": path, "body": body}


def answer(choice: Act) -> Plain:
    """The request that answers the open question."""
    return post("/v1/sessions/{session}/answers", {"question": "{question}", "choice": choice})


def filter_by(**body: object) -> Plain:
    """The request that sets must-haves."""
    return {"method": "PUT", "path": "/v1/sessions/{session}/filters", "body": body}


RESULTS = [
    get("/v1/sessions/{session}/question"),
    get("/v1/sessions/{session}/history"),
    get("/v1/sessions/{session}/profile"),
    get("/v1/sessions/{session}/export"),
]
REST: dict[str, list[Plain]] = {
    "films": [
        get("/v1/catalogs/films"),
        post("/v1/sessions", {"catalog": "films", "seed": 7}),
        answer(0),
        answer("none"),
        post("/v1/sessions/{session}/undo"),
        answer(1),
        post("/v1/sessions/{session}/answers", {"question": "1-0", "choice": 1}),
        post("/v1/sessions/{session}/answers", {"question": "{question}", "choice": 9}),
        filter_by(filters=[{"attribute": "year", "minimum": 1990}, {"attribute": "genres", "any_of": ["comedy"]}]),
        answer("same"),
        get("/v1/sessions/{session}/recommendations?limit=2&offset=1"),
        *RESULTS,
        post("/v1/sessions/import", "{export}"),
        answer(0),
    ],
    "laptops": [
        post("/v1/sessions", {"catalog": "laptops", "seed": 1, "k": 3, "ask": "auto", "where": "price_eur < 1800"}),
        answer(2),
        answer("skip"),
        answer(0),
        filter_by(where="touch"),
        post("/v1/sessions/{session}/undo"),
        answer(1),
        get("/v1/sessions/{session}/recommendations?limit=2&where=battery_hours%20%3E%208"),
        *RESULTS,
        get("/v1/shared/{share}"),
        post("/v1/sessions", {"catalog": "laptops", "seed": 0, "ask": "attributes", "p": 1, "strategy": "greedy"}),
        answer(1),
        post("/v1/sessions", {"catalog": "laptops", "where": "price_eur <"}),
    ],
}


def record_rest(name: str) -> None:
    """A conversation over HTTP."""
    with tempfile.TemporaryDirectory() as folder, edges.client(Path(folder), (name,)) as client:
        files.write(f"rest-{name}", {"world": name, "requests": play_over_http(client, REST[name])})


COMMANDS: list[tuple[list[str], list[object]]] = [
    (
        ["ask", "films", "--json", "--seed", "7", "--ask", "auto", "--no-cache"],
        [{"choice": 0}, {"choice": "none"}, {"undo": True}, {"choice": 9}, {"quit": True}],
    ),
    (["ask", "{laptops}", "--json", "--k", "3", "--where", "price_eur < 1500", "--no-cache"], [2, "skip"]),
    (
        [
            "simulate",
            "films",
            "--strategy",
            "greedy",
            "--strategy",
            "random",
            "--users",
            "3",
            "--questions",
            "2",
            "--json",
        ],
        [],
    ),
]


def record_commands() -> None:
    """What commands print."""
    with tempfile.TemporaryDirectory() as folder:
        played = [
            {"arguments": given, "lines": lines, "printed": play_on_the_command_line(Path(folder), given, lines)}
            for given, lines in COMMANDS
        ]
    files.write("commands", {"commands": played})


SIMULATIONS: list[Plain] = [
    {"world": "films", "users": 3, "strategies": ["auto", "random"], "questions": 4, "settings": {}},
    {
        "world": "films",
        "users": 2,
        "strategies": ["greedy-partial", "random-partial"],
        "questions": 3,
        "settings": {"ask": "attributes", "p": 2, "seed": 7},
    },
    {
        "world": "gaussian",
        "users": 4,
        "strategies": ["query-iteration", "cont-free"],
        "questions": 4,
        "settings": {"k": 3, "seed": 1, "share": 2, "rejuvenation": None},
    },
    {"world": "large", "users": 2, "strategies": ["auto"], "questions": 3, "settings": {"seed": 7}},
]


def record_simulations() -> None:
    """Simulated conversations."""
    played = [{**case, "conversations": worlds.simulated(**case)} for case in SIMULATIONS]
    files.write("simulations", {"simulations": played})


EXPERIMENTS: list[Plain] = [
    {"experiment": "synthetic", "methods": ["auto", "query-iteration", "greedy", "exhaustive-search", "floor"]},
    {"experiment": "held-out", "methods": ["auto"]},
    {"experiment": "rivals", "methods": ["thompson", "qeubo"]},
    {"experiment": "partial-1", "methods": ["auto-partial", "greedy-partial", "random-partial"]},
]


def record_experiments() -> None:
    """Jobs of experiments in their quick form."""
    played = [{**case, "jobs": worlds.experiment(**case)} for case in EXPERIMENTS]
    files.write("experiments", {"experiments": played})


def record_environment() -> None:
    """Where all of this was recorded."""
    files.write("environment", files.environment())


RECORDERS: dict[str, Callable[[], None]] = {
    **{f"sessions-{name}": partial(record_sessions, name) for name in SESSIONS},
    **{f"log-{name}": partial(record_log, name) for name in LOGS},
    **{f"rest-{name}": partial(record_rest, name) for name in REST},
    "commands": record_commands,
    "simulations": record_simulations,
    "experiments": record_experiments,
    "environment": record_environment,
}


def main(wanted: list[str]) -> None:
    """Record the files of these names, or all."""
    if unknown := set(wanted) - set(RECORDERS):
        sys.exit(f"Nothing is called {', '.join(sorted(unknown))}. There are: {', '.join(RECORDERS)}.")
    torch.set_num_threads(1)
    for name in wanted or RECORDERS:
        try:
            RECORDERS[name]()
            print(f"recorded {name}", flush=True)
        except worlds.NotHereError as error:
            print(f"left {name} as it is: {error}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
