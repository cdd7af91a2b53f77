"""`rather.open`: every kind of source, and every way to get it wrong."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch

import rather
from cars import CARS
from rather.caching import Cache
from rather.errors import InvalidInputError, UnknownNameError
from rather.formats.opening import files_of, filtered_items
from rather.formats.tables import encode_table
from rather.formats.vectors.vector_files import Vectors, save_vectors

RNG = np.random.default_rng(0)
ITEMS = RNG.normal(size=(12, 3)).astype(np.float32)
USERS = RNG.normal(size=(9, 3)).astype(np.float32)
TABLE = {"name": list("abcdefghijkl"), "price": [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8], "red": ["yes", "no"] * 6}


def test_films():
    catalog, belief = rather.open("films", particles=7, seed=1)
    assert catalog.name == "film"
    assert len(belief) == 7


def test_films_are_the_same_whatever_the_default_dtype_of_the_host():
    catalog, belief = rather.open("films")
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        again, its_belief = rather.open("films")
        session = rather.Session(rather.Policy(again, its_belief))
        session.tell(session.ask(), 0)
        slate = session.ask().slate
    finally:
        torch.set_default_dtype(before)
    assert again.content_hash == catalog.content_hash
    assert its_belief.content_hash == belief.content_hash
    session = rather.Session(rather.Policy(catalog, belief))
    session.tell(session.ask(), 0)
    assert session.ask().slate == slate


@pytest.fixture
def cars_path(tmp_path):
    path = tmp_path / "cars.csv"
    path.write_text(CARS)
    return path


def test_a_table_with_its_prior(cars_path):
    expected = encode_table(cars_path)
    for source in (cars_path, str(cars_path)):
        opened = rather.open(source, particles=20, seed=3)
        assert opened.catalog.content_hash == expected.catalog.content_hash
        assert opened.belief.content_hash == expected.belief(particles=20, seed=3).content_hash
        assert opened.catalog.where("price_usd < 20000").tolist().count(True) == 3


FRAMES = {
    "mapping": TABLE,
    "pandas": pd.DataFrame(TABLE),
    "polars": pl.DataFrame(TABLE),
    "Arrow": pa.table(TABLE),
}


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
def test_frames_of_every_library_give_the_same_catalogue(frame):
    catalog, belief = rather.open(frame, ignore="red")
    assert catalog.content_hash == encode_table(TABLE, ignore=["red"]).catalog.content_hash
    assert len(belief) == 1000


def test_settings_of_a_table(cars_path):
    catalog, _ = rather.open(cars_path, settings={"table": {"name": "vehicle"}})
    assert catalog.name == "vehicle"


@pytest.mark.parametrize("form", ["array", "tensor", "list", "path", "vectors"])
def test_item_vectors_with_user_vectors(tmp_path, form):
    np.save(tmp_path / "items.npy", ITEMS)
    np.save(tmp_path / "users.npy", USERS)
    forms = {
        "array": (ITEMS, USERS),
        "tensor": (torch.from_numpy(ITEMS), torch.from_numpy(USERS)),
        "list": (ITEMS.tolist(), USERS.tolist()),
        "path": (tmp_path / "items.npy", str(tmp_path / "users.npy")),
        "vectors": (Vectors(ITEMS), pd.DataFrame(USERS)),
    }
    items, users = forms[form]
    catalog, belief = rather.open(items, users=users)
    assert catalog.content_hash == rather.Catalog(ITEMS).content_hash
    assert belief.content_hash == rather.Belief.from_users(USERS).content_hash


def test_item_vectors_alone_start_from_indifference():
    _, belief = rather.open(ITEMS, particles=500, seed=2)
    assert len(belief) == 500
    assert belief.mean.norm() < 0.2


def test_a_vectors_file_brings_its_users(tmp_path):
    path = save_vectors(Vectors(ITEMS, USERS, labels=TABLE["name"], name="song"), tmp_path / "vectors.npz")
    catalog, belief = rather.open(path)
    assert (catalog.name, catalog.label(2)) == ("song", "c")
    assert torch.equal(belief.particles, torch.from_numpy(USERS))
    with pytest.raises(InvalidInputError, match=r"`users` must be left out: vectors\.npz holds user vectors"):
        rather.open(path, users=USERS)


def test_a_parquet_file_is_a_table_or_vectors_by_its_columns(tmp_path):
    pq.write_table(pa.table(TABLE), tmp_path / "table.parquet")
    pq.write_table(pa.table({"id": TABLE["name"], "vector": ITEMS.tolist()}), tmp_path / "vectors.parquet")
    assert rather.open(tmp_path / "table.parquet").catalog.filters is not None
    assert rather.open(tmp_path / "vectors.parquet").catalog.dimensions == 3


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "things"
    folder.mkdir()
    (folder / "README.md").write_text("About these things.")
    (folder / ".hidden.csv").write_text("a,b")
    return folder


def test_a_folder_of_item_and_user_vectors(folder):
    np.save(folder / "items.npy", ITEMS)
    np.save(folder / "users.npy", USERS)
    catalog, belief = rather.open(folder)
    assert catalog.content_hash == rather.Catalog(ITEMS).content_hash
    assert belief.content_hash == rather.Belief.from_users(USERS).content_hash


def test_a_folder_of_vectors_with_a_table_of_the_items(folder):
    np.save(folder / "items.npy", ITEMS)
    pd.DataFrame(TABLE).to_csv(folder / "items.csv", index=False)
    catalog, belief = rather.open(folder, ignore=["red"], settings={"table": {"name": "thing"}})
    assert torch.equal(catalog.items, torch.from_numpy(ITEMS))
    assert (catalog.name, catalog.label(1), catalog.row("c")) == ("thing", "b", 2)
    assert catalog.facts_of(4) == {"price": "5"}
    assert catalog.where("price > 7").nonzero()[:, 0].tolist() == [5, 11]
    assert len(belief) == 1000
    session = rather.Session(rather.Policy(catalog, belief, allowed=catalog.where("price < 5")))
    assert all(TABLE["price"][row] < 5 for row in session.ask().slate)


def test_a_table_beside_vectors_must_be_about_the_same_items(folder):
    save_vectors(Vectors(ITEMS, None, TABLE["name"]), folder / "items.npz")
    frame = pd.DataFrame(TABLE)
    frame.iloc[::-1].rename(columns={"name": "id"}).to_csv(folder / "items.csv", index=False)
    with pytest.raises(InvalidInputError, match=r"must be in the order of the vectors.*'l' .*have 'a' there"):
        rather.open(folder)
    frame[:5].to_csv(folder / "items.csv", index=False)
    with pytest.raises(InvalidInputError, match=r"items\.csv must have a row for each of the 12 items, got 5"):
        rather.open(folder)
    frame.rename(columns={"name": "id"}).to_csv(folder / "items.csv", index=False)
    assert rather.open(folder).catalog.row("b") == 1


def test_a_folder_with_one_vectors_file_of_any_name(folder):
    save_vectors(Vectors(ITEMS, USERS), folder / "learnt.npz")
    assert len(rather.open(folder).belief) == len(USERS)


def test_a_folder_with_one_table(folder):
    (folder / "cars.csv").write_text(CARS)
    (folder / "cars.toml").write_text("[table]\nname = 'wagon'\n")
    assert rather.open(folder).catalog.name == "wagon"


def write(folder, *names):
    for name in names:
        path = folder / name
        np.save(path, ITEMS) if path.suffix == ".npy" else path.write_text(CARS)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ([], "must hold item vectors .* or a table .*; it holds README.md"),
        (["a.csv", "b.csv"], "must hold one table, got a.csv, b.csv. Name the file instead"),
        (["a.npy", "b.npy"], "must hold one file of item vectors .* got a.npy, b.npy"),
        (["users.npy"], "holds users.npy, but no item vectors such as items.npy"),
        (["items.npy", "a.csv", "b.csv"], "must hold one table of the items, got a.csv, b.csv"),
    ],
)
def test_a_folder_that_does_not_say_what_it_holds(folder, names, message):
    write(folder, *names)
    with pytest.raises(InvalidInputError, match=message):
        rather.open(folder)


def test_an_empty_folder(tmp_path):
    with pytest.raises(InvalidInputError, match="it holds nothing"):
        rather.open(tmp_path)


def test_an_unknown_name_lists_what_there_is():
    with pytest.raises(UnknownNameError, match=r"is called 'flims'. Bundled is: films. .*\.csv.*\.npy"):
        rather.open("flims")


def test_a_missing_file_suggests_a_similar_one(cars_path):
    with pytest.raises(InvalidInputError, match=r"no file or folder '.*car\.csv'; did you mean 'cars\.csv'\?"):
        rather.open(cars_path.with_name("car.csv"))
    with pytest.raises(InvalidInputError, match=r"no file or folder 'nowhere/at/all\.csv'\."):
        rather.open("nowhere/at/all.csv")


@pytest.mark.parametrize("source", [3, None, b"cars.csv", object(), iter([1])])
def test_a_source_of_another_type_is_rejected(source):
    with pytest.raises(InvalidInputError, match=f"`source` must be a path, .* got {type(source).__name__}"):
        rather.open(source)


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ([[1.0, 2.0], [3.0]], "`source` must be a rectangular array"),
        (np.zeros(3), "`source` must have 2 dimensions"),
        ([["a"], ["b"]], "`source` must be a rectangular array of numbers"),
        ([[1.0], [float("nan")]], r"`source` must be finite, but entry \[1, 0\] is nan"),
    ],
)
def test_a_matrix_that_is_none(matrix, message):
    with pytest.raises(InvalidInputError, match=message):
        rather.open(matrix)


@pytest.mark.parametrize(
    ("source", "option", "message"),
    [
        ("films", {"ignore": ["year"]}, "`ignore` must be left out: it has no meaning for the bundled films"),
        ("films", {"users": USERS}, "`users` must be left out"),
        (TABLE, {"users": USERS}, "`users` must be left out: it has no meaning for a table"),
        (ITEMS, {"settings": {}}, "`settings` must be left out: .* holds vectors and no table"),
        (ITEMS, {"ignore": "x"}, "`ignore` must be left out"),
        (ITEMS, {"users": USERS, "particles": 5}, "`particles` must be left out: .* a population of 9 users"),
        (ITEMS, {"users": USERS[:, :2]}, "`users` must have 3 dimensions like `items`, got 2"),
    ],
)
def test_an_option_without_meaning_is_rejected(source, option, message):
    with pytest.raises(InvalidInputError, match=message):
        rather.open(source, **option)


def test_nothing_is_written_unless_a_cache_is_given(tmp_path, monkeypatch):
    monkeypatch.setenv("RATHER_CACHE", str(tmp_path / "user"))
    items = RNG.normal(size=(600_000, 8))  # 38 MB of float64, which cannot be memory-mapped as float32
    np.save(tmp_path / "items.npy", items)
    plain = rather.open(tmp_path / "items.npy", particles=5)
    assert not (tmp_path / "user").exists()
    steps = []
    cache = Cache(tmp_path / "given")
    cached = rather.open(tmp_path / "items.npy", particles=5, cache=cache, on_progress=lambda *step: steps.append(step))
    assert cached.catalog.content_hash == plain.catalog.content_hash
    assert {what for what, _, _ in steps} == {
        "converting items.npy",
        f"scanning {cached.catalog.storage.matrix.path.name}",
    }
    assert all(0 < done <= total == 600_000 for _, done, total in steps)
    assert list((tmp_path / "given").rglob("*.npz"))


def test_a_filter_expression_must_leave_enough_for_a_question():
    catalog, _ = rather.open(TABLE)
    assert filtered_items(catalog, None, 2) is None
    assert filtered_items(catalog, "price > 5", 2).sum() == 3
    with pytest.raises(InvalidInputError, match=r"Of 12 items, 1 satisfies 'price > 8', but a question needs 2"):
        filtered_items(catalog, "price > 8", 2)


def test_what_a_path_depends_on(tmp_path):
    assert files_of("films") == []
    assert files_of(tmp_path / "cars.csv") == [tmp_path / "cars.csv", tmp_path / "cars.toml"]
    for name in ("items.npy", "users.npy", "items.csv", "items.toml", "README.md", ".hidden.csv"):
        (tmp_path / name).touch()
    assert [file.name for file in files_of(tmp_path)] == ["items.csv", "items.npy", "items.toml", "users.npy"]
