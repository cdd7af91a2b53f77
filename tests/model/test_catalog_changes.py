"""What a new version of a catalogue changes."""

import pytest
import torch

from cars import CARS
from rather import Catalog
from rather.formats.tables import encode_table
from rather.model import catalog_changes as module
from rather.model.catalog_changes import CatalogChanges, catalog_changes


def vectors(*rows):
    return torch.tensor(rows, dtype=torch.float32)


def cars(tmp_path, text):
    path = tmp_path / "cars.csv"
    path.write_text(text, encoding="utf-8")
    return encode_table(path).catalog


def test_items_are_told_apart_by_their_ids():
    old = Catalog(vectors([1, 0], [0, 1], [1, 1]), ids=["a", "b", "c"])
    new = Catalog(vectors([1, 1], [2, 0], [0, 1], [5, 5]), ids=["c", "a", "d", "e"])
    assert catalog_changes(old, new) == CatalogChanges(added=2, gone=1, changed=1)
    assert catalog_changes(old, old) == CatalogChanges(0, 0, 0)


def test_a_label_or_a_fact_is_a_change():
    same = {"items": vectors([1, 0], [0, 1], [1, 1]), "ids": ["a", "b", "c"]}
    old = Catalog(**same, labels=["A", "B", "C"], facts=[{"price": "1"}, {"price": "2"}, {"price": "3"}])
    new = Catalog(**same, labels=["A", "Bee", "C"], facts=[{"price": "1"}, {"price": "2"}, {"price": "4"}])
    assert catalog_changes(old, new).changed == 2


def test_one_price_in_a_table_is_one_change(tmp_path):
    old = cars(tmp_path, CARS)
    new = cars(tmp_path, CARS.replace("18000", "17500"))
    assert (old.items != new.items).any(dim=1).sum() > 1
    assert catalog_changes(old, new) == CatalogChanges(0, 0, 1)


def test_vectors_of_another_length_are_all_changed():
    assert catalog_changes(Catalog(torch.ones(4, 2)), Catalog(torch.ones(3, 5))) == CatalogChanges(0, 1, 3)


def test_nothing_in_common():
    old, new = Catalog(torch.ones(2, 2), ids=["a", "b"]), Catalog(torch.ones(3, 2), ids=["c", "d", "e"])
    assert catalog_changes(old, new) == CatalogChanges(3, 2, 0)


def test_facts_of_very_many_items_are_not_compared(monkeypatch):
    monkeypatch.setattr(module, "MOST_COMPARED_FACTS", 1)
    old = Catalog(torch.ones(2, 2), facts=[{"a": "1"}, {"a": "2"}])
    assert catalog_changes(old, old) == CatalogChanges(0, 0, None)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (CatalogChanges(1, 0, 3), "1 car added, 0 gone, 3 changed."),
        (CatalogChanges(0, 1200, None), "0 cars added, 1,200 gone."),
    ],
)
def test_in_words(changes, sentence):
    assert changes.sentence("car") == sentence
