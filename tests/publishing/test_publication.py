"""What is published: numbers that come back as they were, and texts in every language."""

import gzip
import json

import numpy as np
import pytest
from published_worlds import DISPLAY, World

import rather
from rather.conversation.stopping import Stopping
from rather.conversation.tasks import Task
from rather.errors import InvalidInputError
from rather.publishing import Publication
from rather.publishing.packing import packed
from rather.publishing.page import PublishedPage
from rather.server.theme import Theme

KINDS = {"f4": "<f4", "f8": "<f8", "u1": "u1", "u2": "<u2", "u4": "<u4"}


def unpacked(content):
    """The header and the arrays of a file, read by its description alone."""
    content = gzip.decompress(content)
    end = 4 + int.from_bytes(content[:4], "little")
    header = json.loads(content[4:end])
    arrays = {}
    for name, entry in header["arrays"].items():
        kind = np.dtype(KINDS[entry["kind"]])
        count = int(np.prod(entry["shape"]))
        start = end + entry["offset"]
        planes = np.frombuffer(content[start : start + count * kind.itemsize], np.uint8).reshape(kind.itemsize, count)
        arrays[name] = np.ascontiguousarray(planes.T).view(kind).reshape(entry["shape"])
    return header, arrays


@pytest.fixture(scope="module")
def cars(tmp_path_factory):
    return World.cars(tmp_path_factory.mktemp("cars"), count=40)


@pytest.fixture(scope="module")
def published(cars):
    return unpacked(cars.publication().packed())


def test_numbers_come_back_exactly():
    arrays = {"a": np.array([[1.5, -2e-30], [np.pi, np.inf]], np.float32), "b": np.arange(300, dtype=np.uint16)}
    header, found = unpacked(packed({"text": "ä"}, arrays))
    assert header["text"] == "ä"
    assert all(np.array_equal(found[name], array) for name, array in arrays.items())


def test_items_and_belief_are_those_of_the_library(cars, published):
    _, arrays = published
    assert np.array_equal(arrays["items"], cars.catalog.items.numpy())
    assert np.array_equal(arrays["particles"], cars.belief.particles.numpy())
    assert np.array_equal(arrays["prior cholesky"], cars.belief.prior.cholesky.numpy())


@pytest.mark.parametrize("language", ["en", "de", "fr", "es"])
def test_facts_are_written_as_the_language_writes_them(cars, published, language):
    header, arrays = published

    def told(text):
        return text if isinstance(text, str) else text.get(language, text["en"])

    for row in range(len(cars.catalog)):
        numbers = [(fact, arrays[fact["rows"]][row]) for fact in header["items"]["facts"]]
        shown = {told(fact["names"]): told(fact["values"][number - 1]) for fact, number in numbers if number}
        assert shown == dict(cars.catalog.facts_of(row, language))


def test_equal_publications_are_equal_files(cars):
    assert cars.publication().packed() == cars.publication().packed()


def test_hosts_that_are_not_allowed_are_not_published(cars):
    policy = cars.policy()
    display = type(DISPLAY)(2_000)
    header, _ = unpacked(Publication("cars", policy, display, ("en",), Stopping.usual(1.0)).packed())
    assert set(header["items"]["links"]) == {None}
    assert header["items"]["images"]["values"] == [[]]


def test_more_items_than_a_browser_holds_are_rejected_with_the_alternative():
    catalog = rather.Catalog(np.eye(2, dtype=np.float32)[np.arange(20_001) % 2])
    policy = rather.Policy(catalog, rather.Belief.from_users([[1.0, 0.0], [0.0, 1.0]]))
    with pytest.raises(InvalidInputError, match=r"20,001 items.*at most 20,000.*`rather serve`"):
        Publication("things", policy, DISPLAY, ("en",), Stopping())


def test_a_plan_is_published_as_rows(cars):
    policy = cars.policy()
    plan = rather.plan(policy, questions=2, people=60, seed=0)
    header, _ = unpacked(
        Publication("cars", policy.following(plan), DISPLAY, ("en",), Stopping.usual(policy.start_regret)).packed()
    )
    rows, after, kind = header["plan"]
    assert kind == "items"
    assert [cars.catalog.ids[row] for row in rows] == list(plan.root.items)
    assert len(after) == 4
    assert header["first"] is None


def test_so_is_one_about_attributes(cars):
    policy = cars.policy("attributes")
    plan = rather.plan(policy, questions=2, people=60, seed=0)
    header, _ = unpacked(
        Publication("cars", policy.following(plan), DISPLAY, ("en",), Stopping.usual(policy.start_regret)).packed()
    )
    options, after, kind = header["plan"]
    assert (tuple(options), kind) == (plan.root.attributes, "attributes")
    shown = [header["attributes"]["each"][index]["text"] for index in options]
    assert shown == [cars.catalog.attributes[index].text for index in plan.root.attributes]
    assert [node and tuple(node[0]) for node in after] == [child.attributes or None for child in plan.root.children]


def test_what_the_engine_cannot_ask_is_rejected(cars):
    fixed = cars.policy().with_tasks([Task(1, tuple(cars.catalog.ids[:2]))])
    with pytest.raises(InvalidInputError, match="no tasks"):
        Publication("cars", fixed, DISPLAY, ("en",), Stopping())


def test_a_text_that_looks_like_an_address_of_the_page_stays_a_text(tmp_path):
    text = "Ask shop.example/assets/help.png or /theme/.. there"
    (tmp_path / "shop.toml").write_text(f'title = "{text}"')
    page = PublishedPage(("en",), Theme.from_file(tmp_path / "shop.toml")).single_file(b"").decode()
    assert f"<title>{text}</title>" in page
