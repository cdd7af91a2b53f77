"""Vectors files: the same in every form, and nothing that could run code."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rather import Policy
from rather.conversation.session import Session
from rather.errors import InvalidInputError
from rather.formats.opening import open_source
from rather.formats.vectors.foreign_formats import from_implicit
from rather.formats.vectors.vector_files import Vectors, load_vectors, save_vectors


@pytest.fixture
def vectors():
    rng = np.random.default_rng(0)
    return Vectors(
        rng.normal(size=(7, 3)).astype(np.float32),
        rng.normal(size=(5, 3)).astype(np.float32),
        [f"id {row}" for row in range(7)],
        ["", "Ünïcode — 漢字", *(f"label {row}" for row in range(5))],
        "song",
        ["loud", "slow", "old"],
        {"method": "pmf", "seed": 3, "held out": {"RMSE": 0.5}},
    )


def same(left, right):
    return (
        np.array_equal(left.items, right.items)
        and (left.users is right.users or np.array_equal(left.users, right.users))
        and left.item_ids == right.item_ids
        and left.labels == right.labels
        and (left.name, left.features, left.about) == (right.name, right.features, right.about)
    )


@pytest.mark.parametrize("form", ["npz", "parquet"])
def test_what_is_written_is_read(tmp_path, vectors, form):
    path = save_vectors(vectors, tmp_path / f"vectors.{form}")
    assert same(load_vectors(path), vectors)
    assert [entry.name for entry in tmp_path.iterdir()] == [f"vectors.{form}"]


@pytest.mark.parametrize("form", ["npz", "parquet"])
def test_numbers_as_ids_stay_numbers_and_users_may_lack(tmp_path, vectors, form):
    bare = Vectors(vectors.items, None, [10, 20, 30, 40, 50, 60, 70])
    again = load_vectors(save_vectors(bare, tmp_path / f"vectors.{form}"))
    assert again.item_ids == bare.item_ids
    assert again.users is None
    assert again.labels is None


@pytest.mark.parametrize("form", ["npz", "parquet"])
def test_a_conversation_about_a_vectors_file(tmp_path, vectors, form):
    source = open_source(str(save_vectors(vectors, tmp_path / f"vectors.{form}")))
    session = Session(Policy(source.catalog, source.belief))
    session.tell(session.ask(), 0)
    assert session.recommend(1)[0].label in vectors.labels
    assert source.catalog.name == "song"
    assert source.belief.prior is not None


def test_items_alone_start_from_a_gaussian(vectors):
    belief = Vectors(vectors.items).belief()
    assert float(belief.mean.norm()) < 0.2
    assert belief.prior is not None


def test_a_file_that_is_no_vectors_file_is_not_one(tmp_path):
    pq.write_table(pa.table({"name": ["a", "b"], "price": [1.0, 2.0]}), tmp_path / "cars.parquet")
    assert open_source(str(tmp_path / "cars.parquet")).catalog.filters is not None
    with pytest.raises(InvalidInputError, match="no file"):
        open_source(str(tmp_path / "absent.npz"))


def test_pickled_objects_are_rejected(tmp_path):
    np.savez(tmp_path / "evil.npz", items=np.array([{"a": 1}], dtype=object))
    with pytest.raises(InvalidInputError, match="pickled objects"):
        load_vectors(tmp_path / "evil.npz")
    np.save(tmp_path / "evil.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
    with pytest.raises(InvalidInputError, match="Cannot read"):
        load_vectors(tmp_path / "evil.npy")


def test_shapes_must_fit(vectors):
    with pytest.raises(InvalidInputError, match="3 dimensions like `items`, got 2"):
        Vectors(vectors.items, vectors.users[:, :2])
    with pytest.raises(InvalidInputError, match="`labels` must have 7 entries, got 1"):
        Vectors(vectors.items, labels=["x"])
    with pytest.raises(InvalidInputError, match=r"must end in \.npz or \.parquet"):
        save_vectors(vectors, "vectors.pickle")


def test_arrays_of_other_programs(tmp_path, vectors):
    np.save(tmp_path / "items.npy", vectors.items.astype(np.float64))
    assert np.array_equal(load_vectors(tmp_path / "items.npy").items, vectors.items)
    np.savez(tmp_path / "model.npz", item_factors=vectors.items, user_factors=vectors.users, alpha=1.0)
    model = load_vectors(tmp_path / "model.npz")
    assert np.array_equal(model.users, vectors.users)
    np.savez(tmp_path / "other.npz", weights=vectors.items)
    with pytest.raises(InvalidInputError, match="it holds weights"):
        load_vectors(tmp_path / "other.npz")


def test_models_of_implicit(tmp_path, vectors):
    implicit = pytest.importorskip("implicit.cpu.als", reason="the extra `data` is not installed")
    threadpoolctl = pytest.importorskip("threadpoolctl", reason="the extra `data` is not installed")
    with threadpoolctl.threadpool_limits(1, "blas"):  # implicit warns when BLAS has threads of its own
        model = implicit.AlternatingLeastSquares(factors=3)
    model.item_factors, model.user_factors = vectors.items, vectors.users
    assert np.array_equal(from_implicit(model).items, vectors.items)
    model.save(str(tmp_path / "als.npz"))
    assert np.array_equal(load_vectors(tmp_path / "als.npz").users, vectors.users)
    with pytest.raises(InvalidInputError, match="is it fitted"):
        from_implicit(object())


def test_parquet_of_other_programs(tmp_path, vectors):
    lists = pa.table({"item_id": [f"a{row}" for row in range(7)], "embedding": vectors.items.tolist()})
    pq.write_table(lists, tmp_path / "lists.parquet")
    assert np.array_equal(load_vectors(tmp_path / "lists.parquet").items, vectors.items)
    assert load_vectors(tmp_path / "lists.parquet").item_ids[0] == "a0"
    wide = {"id": list(range(7)), "title": list("abcdefg")} | {f"d{c}": vectors.items[:, c] for c in range(3)}
    pq.write_table(pa.table(wide), tmp_path / "wide.parquet")
    read = load_vectors(tmp_path / "wide.parquet")
    assert np.array_equal(read.items, vectors.items)
    assert read.labels == list("abcdefg")


@pytest.mark.parametrize("head", ["7 3\n", ""])
def test_word2vec_text(tmp_path, vectors, head):
    lines = [f"word{row} {' '.join(map(str, vector))}" for row, vector in enumerate(vectors.items.tolist())]
    (tmp_path / "words.vec").write_text(head + "\n".join(lines))
    read = load_vectors(tmp_path / "words.vec")
    np.testing.assert_allclose(read.items, vectors.items)
    assert read.item_ids[6] == "word6"
    (tmp_path / "bad.vec").write_text("word one two\n")
    with pytest.raises(InvalidInputError, match="line 1"):
        load_vectors(tmp_path / "bad.vec")


@pytest.mark.parametrize(("which", "row"), [("items", 2), ("users", 1)])
@pytest.mark.parametrize("ending", [".npz", ".parquet"])
def test_numbers_that_are_not_finite_are_not_written(tmp_path, which, row, ending):
    both = {"items": np.ones((4, 3), np.float32), "users": np.ones((3, 3), np.float32)}
    both[which][row, 1] = np.nan
    with pytest.raises(InvalidInputError, match=rf"`{which}` must be finite, but entry \[{row}, 1\] is nan"):
        save_vectors(Vectors(**both), tmp_path / f"vectors{ending}")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("content", "reason"), [(b"", "the file is empty"), (b"hello", "it is not a NumPy file")])
def test_what_is_not_a_numpy_file_is_named_in_plain_words(tmp_path, content, reason):
    (tmp_path / "items.npy").write_bytes(content)
    with pytest.raises(InvalidInputError, match=rf"^Cannot read .*items\.npy: {reason}\.$"):
        load_vectors(tmp_path / "items.npy")


def test_vectors_without_rows_are_rejected():
    with pytest.raises(InvalidInputError, match=r"got shape \(0, 3\) \(nothing in it\)"):
        Vectors(np.zeros((0, 3)))
