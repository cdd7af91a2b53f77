"""Every experiment in miniature, on generated data, from spec to report."""

import itertools
import re
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
import torch

from rather import Belief, Catalog
from rather.errors import InvalidInputError
from rather.research.experiments import load_spec, spec_names
from rather.research.experiments.conversations import jobs, work
from rather.research.experiments.floor import floor_regret
from rather.research.experiments.population import draw, generated_ratings, prepare
from rather.research.experiments.result_tables import result_tables
from rather.research.experiments.results_pages import write_report
from rather.research.experiments.run import reproduce
from rather.research.experiments.spec import parse_spec
from rather.research.experiments.summary import compare, panels, read_summary, summarise
from rather.research.experiments.table import number
from rather.research.experiments.tree import Node, tree_svg, tree_text

PMF = {"source": "generated", "learn": "pmf", "dimensions": 3, "epochs": 5}


def quickly(spec, out, **settings):
    """The quick form of an experiment as if no data set were on this machine, so that everybody tests the same."""
    return reproduce(spec, out, quick=True, folder=out / "no data", **{"on_progress": lambda text: None, **settings})


@pytest.fixture(scope="module")
def everything(tmp_path_factory):
    """All experiments in their quick form; they share learnt vectors."""
    return tmp_path_factory.mktemp("results")


@pytest.mark.parametrize("name", spec_names())
def test_the_quick_form_of_every_experiment(name, everything):
    spec = load_spec(name, quick=True)
    summary = quickly(spec, everything, command="quick")
    assert read_summary(everything / f"{name}-quick" / "summary.jsonl").experiment == name
    wanted = {(variant.label, method.label) for variant in spec.variants for method in variant.methods}
    assert {(row.variant, row.method) for row in summary.rows} == wanted
    measured = {
        "conversations": "regret",
        "real-people": "regret",
        "first-questions": "evoi",
        "wallclock": "seconds:mean",
    }.get(spec.kind)
    for row in summary.rows:
        assert all(np.isfinite(values).all() for values in row.mean.values())
        assert measured is None or min(row.mean[measured]) >= 0
        assert row.mean or row.kept
    found = result_tables(spec, summary)
    assert found or spec.kind == "tree"
    for table in found:
        assert table.rows
        assert all(len(line) == len(table.head) for line in table.rows)


def test_the_report_of_all(everything, tmp_path):
    pytest.importorskip("matplotlib", reason="the extra `plots` is not installed")
    for name in spec_names():
        quick = everything / f"{name}-quick" / "summary.jsonl"
        if not quick.exists():
            quickly(load_spec(name, quick=True), everything)
        (everything / name).mkdir(exist_ok=True)
        (everything / name / "summary.jsonl").write_text(quick.read_text())
    overview = write_report(everything, tmp_path / "docs").read_text()
    for name in spec_names():
        page = (tmp_path / "docs" / "results" / f"{name}.md").read_text()
        assert page.startswith(f"# {load_spec(name).title}")
        assert "**A quick run, whose numbers mean nothing.**" in page
        assert f"[{load_spec(name).title}](results/{name}.md)" in overview
        links = re.findall(r"!\[[^]]*\]\(([^)]+)\)", page)
        assert links
        assert all((tmp_path / "docs" / "results" / link).stat().st_size > 0 for link in links)
    again = {path: path.read_bytes() for path in (tmp_path / "docs").rglob("*") if path.is_file()}
    write_report(tmp_path / "elsewhere", tmp_path / "docs")  # from what is kept alone
    assert {path: path.read_bytes() for path in again} == again


def test_workers_do_not_change_an_experiment(everything, tmp_path):
    spec = load_spec("held-out", quick=True)
    alone = quickly(spec, everything)
    together = quickly(spec, tmp_path, workers=2)

    def told(summary):
        rows = [(r.variant, r.method, {m: v for m, v in r.mean.items() if "seconds" not in m}) for r in summary.rows]
        return rows, [row.ahead for row in summary.rows]

    assert told(alone) == told(together)


def test_methods_meet_the_same_users(tmp_path):
    spec = parse_spec(
        'title = "x"\nkind = "conversations"\ntrials = 3\nmethods = ["random", "greedy"]\n'
        '[population]\nsource = "gaussian"\nitems = 30\nparticles = 10\ndimensions = 3\n'
        "[parameters]\nk = 2\nquestions = 2\nusers = 4\ntemperature = 0.1\n",
        "x",
    )
    outcomes = {(job.method, job.trial): work(job) for job in jobs(spec, {"": ""})}
    starts = [[outcomes[method, trial]["regret"][0] for trial in range(3)] for method in ("random", "greedy")]
    assert starts[0] == starts[1]
    assert len(set(starts[0])) == 3


def test_held_out_users_are_not_particles(tmp_path):
    path = prepare(PMF, tmp_path, on_progress=lambda text: None)
    apart = draw({**PMF, "held_out": 0.25}, path, seed=1, users=100)
    assert len(apart.belief) == 60
    assert len(apart.users) == 20
    assert torch.cdist(apart.users, apart.belief.particles).min() > 0
    among = draw({**PMF, "particles": 15, "items": 12}, path, seed=1, users=5)
    assert torch.cdist(among.users, among.belief.particles).min(dim=1).values.max() == 0
    assert (len(among.catalog), len(among.belief)) == (12, 15)


def test_all_users_are_the_same_belief_in_every_trial(tmp_path):
    path = prepare(PMF, tmp_path, on_progress=lambda text: None)
    first, second = (draw(PMF, path, seed=seed, users=3) for seed in (1, 2))
    assert first.belief.content_hash == second.belief.content_hash
    assert not torch.equal(first.users, second.users)


def test_vectors_are_learnt_once(tmp_path):
    told = []
    first = prepare(PMF, tmp_path, on_progress=told.append)
    assert prepare({**PMF, "particles": 3}, tmp_path, on_progress=told.append) == first
    assert len(told) == 1
    assert prepare({**PMF, "learn_seed": 1}, tmp_path, on_progress=told.append) != first


def test_mistakes_in_a_population_are_named(tmp_path):
    with pytest.raises(InvalidInputError, match="unknown entries: itmes"):
        prepare({**PMF, "itmes": 3}, tmp_path)
    with pytest.raises(InvalidInputError, match="`learn` must be"):
        prepare({**PMF, "learn": "magic"}, tmp_path, on_progress=lambda text: None)


def test_generated_ratings_depend_on_tastes():
    ratings, attributes = generated_ratings()
    assert set(np.unique(ratings.values)) == {1, 2, 3, 4, 5}
    assert list(attributes.item_ids) == list(ratings.item_ids)


def test_the_floor_is_the_best_set_of_items():
    generator = torch.Generator().manual_seed(0)
    catalog = Catalog(torch.randn(9, 3, generator=generator))
    belief = Belief.from_users(torch.randn(7, 3, generator=generator), torch.rand(7, generator=generator), smooth=False)
    utilities = catalog.items @ belief.particles.T
    best = utilities.amax(dim=0) @ belief.weights
    for k in (2, 3):
        sets = itertools.combinations(range(9), k)
        brute = best - max(utilities[list(rows)].amax(dim=0) @ belief.weights for rows in sets)
        floors = floor_regret(catalog, belief, k, 3, seed=0)
        assert floors[0] == pytest.approx(float(best - (utilities @ belief.weights).max()), rel=1e-5)
        assert floors[1] == pytest.approx(float(brute), rel=1e-5)
        assert floors[3] == 0.0  # as many items as users


def test_the_papers_numbers_stand_beside_ours(everything):
    spec = load_spec("synthetic", quick=True)
    quick = quickly(spec, everything)
    assert compare(spec, quick) == []
    summary = replace(quick, quick=False)
    start, exhaustive, *_ = compare(spec, summary)
    assert start.ours == summary.rows[0].mean["regret"][0]
    assert exhaustive.ours == summary.row("", "exhaustive-search").mean["evoi"][0]
    assert exhaustive.within_noise is (abs(exhaustive.ours - 3.361) <= 2 * 2**0.5 * exhaustive.error)
    assert compare(spec, summarise(spec, [], "", quick=False))[0].ours is None


def test_settings_with_few_methods_share_a_table(everything):
    summary = quickly(load_spec("wrong-noise", quick=True), everything)
    [(title, rows)] = panels(summary)
    assert title == ""
    assert [label for label, _ in rows][1] == "assumed 0.01, is 0.03"


@pytest.mark.parametrize(
    ("value", "text"), [(0.0, "0"), (12.3456, "12.35"), (0.00123456, "0.001235"), (None, "–"), (float("nan"), "–")]
)
def test_numbers_as_people_read_them(value, text):
    assert number(value) == text


def test_a_tree_as_text_and_as_a_drawing():
    leaves = [Node(answer, 0.5, ["A & B", "C"]) for answer in ("funny", "dark")]
    root = Node("", 1.0, ["C", "D"], ["funny", "dark"], leaves)
    assert tree_text(root).splitlines() == [
        "everybody: C; D",
        "  → funny or dark?",
        "    funny (50% of users): A & B; C",
        "    dark (50% of users): A & B; C",
    ]
    drawing = ElementTree.fromstring(tree_svg(root))
    texts = [element.text for element in drawing.iter("{http://www.w3.org/2000/svg}text")]
    assert texts.count("A & B") == 2
    assert "funny or dark?" in texts


def test_the_shares_of_a_tree_are_those_of_the_users(tmp_path):
    spec = load_spec("tree", quick=True)
    summary = quickly(spec, tmp_path)
    for row in summary.rows:
        shares = [int(share) for share in re.findall(r"\n    \S.*\((\d+)% of users\)", row.kept["text"])]
        assert len(shares) == 2
        assert 98 <= sum(shares) <= 102  # each is rounded


def test_an_exhaustive_search_bounds_the_others(tmp_path):
    spec = load_spec("partial-1", quick=True)
    summary = quickly(spec, tmp_path)
    for variant in spec.variants:
        bound = summary.row(variant.label, "exhaustive-search").mean["evoi"]
        for row in summary.of(variant.label):
            assert all(found <= best + 1e-5 for found, best in zip(row.mean["evoi"], bound, strict=True))
