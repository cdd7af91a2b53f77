"""Vectors in every form give the same catalogue, and stay in their file."""

import os
import pickle

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
import torch

from rather import Catalog, Policy, Session
from rather.errors import InvalidInputError, UnknownNameError
from rather.formats.vectors import arrow_files, conversion, memory_mapped_items
from rather.formats.vectors.archives import ArchiveWriter, MappedArchive
from rather.formats.vectors.arrow_columns import ArrowColumn
from rather.formats.vectors.file_facts import FileFacts
from rather.formats.vectors.memory_mapped import find_array
from rather.formats.vectors.memory_mapped_items import MemoryMappedItems
from rather.formats.vectors.vector_files import Vectors, is_vectors_file, load_vectors, save_vectors
from rather.model.items import TensorItems

N, D = 50, 3
RNG = np.random.default_rng(0)
ITEMS = RNG.normal(size=(N, D)).astype(np.float32)
USERS = RNG.normal(size=(9, D)).astype(np.float32)
IDS = [f"id {row}" for row in range(N)]
LABELS = ["", "Ünïcode — 漢字", *(f"label {row}" for row in range(2, N))]
OURS = Vectors(ITEMS, USERS, IDS, LABELS, "song")


def table(vectors: pa.Array) -> pa.Table:
    return pa.table({"item_id": IDS, "title": LABELS, "vector": vectors})


def fixed(values=ITEMS) -> pa.Array:
    return pa.FixedSizeListArray.from_arrays(pa.array(values.ravel()), D)


def columns() -> pa.Table:
    return pa.table({"id": IDS, "label": LABELS} | {f"x{place}": ITEMS[:, place] for place in range(D)})


def write_arrow(path, content: pa.Table, rows_of_a_batch: int | None = None) -> None:
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, content.schema) as writer:
        writer.write_table(content, rows_of_a_batch)


# Name of the form, ending, how to write it, and whether it is mapped where it is.
MATRICES = {
    "float32": (".npy", lambda path: np.save(path, ITEMS), True),
    "float64": (".npy", lambda path: np.save(path, ITEMS.astype(np.float64)), False),
    "column after column": (".npy", lambda path: np.save(path, np.asfortranarray(ITEMS)), False),
}
WITH_TEXTS = {
    "our archive": (".npz", lambda path: save_vectors(OURS, path), True),
    "our Parquet": (".parquet", lambda path: save_vectors(OURS, path), False),
    "Parquet of lists": (".parquet", lambda path: pq.write_table(table(ITEMS.tolist()), path), False),
    "Parquet of columns": (".parquet", lambda path: pq.write_table(columns(), path), False),
    "Arrow": (".arrow", lambda path: write_arrow(path, table(fixed())), True),
    "Arrow in batches": (".arrow", lambda path: write_arrow(path, table(fixed()), 7), False),
    "Arrow of lists": (".arrow", lambda path: write_arrow(path, table(ITEMS.tolist())), False),
    "Arrow of columns": (".ipc", lambda path: write_arrow(path, columns()), False),
    "Feather, compressed": (".feather", lambda path: pa.feather.write_feather(table(fixed()), path), False),
}


@pytest.fixture(params=[*MATRICES, *WITH_TEXTS])
def form(request):
    return request.param


def written(tmp_path, form):
    ending, write, stays = {**MATRICES, **WITH_TEXTS}[form]
    path = tmp_path / f"vectors{ending}"
    write(path)
    return path, stays


@pytest.mark.parametrize("rows_at_a_time", [7, 10_000])
def test_every_form_gives_the_same_catalogue(tmp_path, monkeypatch, form, rows_at_a_time):
    for module in (arrow_files, conversion):
        monkeypatch.setattr(module, "BATCH_ROWS", rows_at_a_time)
    path, stays = written(tmp_path, form)
    catalog = load_vectors(path).catalog()
    expected = Catalog(ITEMS) if form in MATRICES else Catalog(ITEMS, IDS, LABELS)
    assert torch.equal(catalog.items, expected.items)
    assert catalog.content_hash == expected.content_hash
    assert [catalog.label(row) for row in range(N)] == [expected.label(row) for row in range(N)]
    assert [catalog.row(id) for id in expected.ids] == list(range(N))
    assert torch.allclose(catalog.storage.norms, expected.storage.norms)
    assert torch.allclose(catalog.average, expected.average)
    assert catalog.largest_norm == pytest.approx(expected.largest_norm)
    assert (catalog.storage.matrix.path == path) == stays


def test_items_are_the_pages_of_the_file_and_not_a_copy(tmp_path, form):
    catalog = load_vectors(written(tmp_path, form)[0]).catalog()
    with catalog.storage.matrix.path.open("r+b") as file:
        file.seek(catalog.storage.matrix.offset + 4 * (D * 7 + 1))
        file.write(np.float32(123).tobytes())
    assert float(catalog.items[7, 1]) == 123


def test_our_files_bring_their_people_and_their_words(tmp_path):
    for ending in (".npz", ".parquet"):
        again = load_vectors(save_vectors(OURS, tmp_path / f"ours{ending}"))
        assert np.array_equal(again.users, USERS)
        assert again.name == "song"
        assert isinstance(again.item_ids, ArrowColumn)
        assert again.item_ids == IDS
        assert again.labels == LABELS


@pytest.mark.parametrize("ending", [".npz", ".parquet"])
def test_numbers_as_ids_stay_numbers(tmp_path, ending):
    ids = list(range(100, 100 + N))
    catalog = load_vectors(save_vectors(Vectors(ITEMS, None, ids), tmp_path / f"ours{ending}")).catalog()
    assert catalog.content_hash == Catalog(ITEMS, ids).content_hash
    assert catalog.row(103) == 3
    assert catalog.label(3) == "103"


def test_a_conversation_about_a_mapped_file_is_the_one_about_its_arrays(tmp_path, form):
    vectors = load_vectors(written(tmp_path, form)[0])
    belief = vectors.belief()
    mapped, plain = Session(Policy(vectors.catalog(), belief)), Session(Policy(Catalog(ITEMS), belief))
    for session in (mapped, plain):
        session.tell(session.ask(), 0)
    assert mapped.ask().slate == plain.ask().slate
    assert [found.row for found in mapped.recommend(5)] == [found.row for found in plain.recommend(5)]


def test_the_first_start_tells_how_far_it_is_and_the_second_looks_at_nothing(tmp_path, form, monkeypatch):
    path, stays = written(tmp_path, form)
    told = []

    def on_progress(what, done, total):
        told.append((what.split()[0], done, total))

    first = load_vectors(path, on_progress).catalog(on_progress)
    assert told[-1] == ("looking", N, N)
    assert (("converting", N, N) in told) == (not stays)
    for module, name in ((memory_mapped_items, "_scan"), (conversion, "_write_table"), (conversion, "_write_matrix")):
        monkeypatch.setattr(module, name, lambda *_: pytest.fail("it was looked at again"))
    second = load_vectors(path).catalog()
    assert second.content_hash == first.content_hash
    assert torch.equal(second.storage.norms, first.storage.norms)
    assert torch.equal(second.average, first.average)


def test_a_file_that_changed_is_looked_at_again_even_if_its_size_and_time_did_not(tmp_path, cache):
    path = tmp_path / "items.npy"
    np.save(path, ITEMS)
    before, times, known = load_vectors(path).catalog().content_hash, path.stat(), len(list(cache.rglob("*.*")))
    other = ITEMS.copy()
    other[3, 1] = 0.5
    np.save(path, other)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert load_vectors(path).catalog().content_hash == Catalog(other).content_hash != before
    assert len(list(cache.rglob("*.*"))) == known  # what was known of the old state is forgotten


def test_the_converted_file_of_an_older_state_is_deleted(tmp_path, cache):
    path = tmp_path / "vectors.parquet"
    for items in (ITEMS, ITEMS[::-1]):
        pq.write_table(table(items.tolist()), path)
        assert torch.equal(load_vectors(path).catalog().items, torch.from_numpy(items.copy()))
        assert len(list(cache.rglob("*.npz"))) == len(list(cache.rglob("*.norms.npy"))) == 1


@pytest.mark.parametrize("scan_rows", [7, 50, 10_000])
def test_what_a_scan_finds_does_not_depend_on_its_batches(tmp_path, scan_rows):
    np.save(tmp_path / "items.npy", ITEMS)
    items = MemoryMappedItems(find_array(tmp_path / "items.npy").matrix(tmp_path / "items.npy"), scan_rows=scan_rows)
    expected = TensorItems(torch.from_numpy(ITEMS))
    assert items.content_hash(None) == expected.content_hash(None)
    assert torch.allclose(items.norms, torch.from_numpy(np.linalg.norm(ITEMS, axis=1)))
    assert torch.allclose(items.average, torch.from_numpy(ITEMS.mean(axis=0)), atol=1e-6)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_not_finite_are_rejected_with_their_index(tmp_path, bad):
    items = np.tile(ITEMS, (1000, 1))
    items[40_021, 2] = bad
    np.save(tmp_path / "bad.npy", items)
    for _ in range(2):  # it is not remembered as good
        with pytest.raises(InvalidInputError, match=rf"entry \[40021, 2\] is {bad}"):
            load_vectors(tmp_path / "bad.npy").catalog()


def test_a_file_that_was_cut_off_is_refused(tmp_path):
    np.save(tmp_path / "short.npy", ITEMS)
    content = (tmp_path / "short.npy").read_bytes()
    (tmp_path / "short.npy").write_bytes(content[:-9])
    with pytest.raises(InvalidInputError, match=r"short\.npy ends after .* bytes of"):
        load_vectors(tmp_path / "short.npy").catalog()


@pytest.mark.parametrize("ending", [".npy", ".npz", ".parquet", ".arrow"])
def test_what_is_no_vectors_file_is_refused(tmp_path, ending):
    (tmp_path / f"no{ending}").write_bytes(b"nothing of that kind" * 9)
    with pytest.raises(InvalidInputError, match=f"Cannot read .*no{ending}"):
        load_vectors(tmp_path / f"no{ending}")


def test_duplicate_ids_are_refused_with_their_rows(tmp_path):
    path = tmp_path / "twice.arrow"
    write_arrow(path, pa.table({"id": [*IDS[:-1], IDS[4]], "vector": fixed()}))
    with pytest.raises(InvalidInputError, match="'id 4' stands in rows 4 and 49"):
        load_vectors(path).catalog()


def test_an_unknown_id_is_refused(tmp_path):
    catalog = load_vectors(save_vectors(OURS, tmp_path / "ours.npz")).catalog()
    for id in ("nobody", 7, None):
        with pytest.raises(UnknownNameError, match=f"No song has the id {id!r}"):
            catalog.row(id)


def test_vectors_of_different_lengths_are_refused(tmp_path, monkeypatch):
    for batch in (1, 10_000):
        monkeypatch.setattr(arrow_files, "BATCH_ROWS", batch)
        pq.write_table(pa.table({"vector": [[1.0, 2.0], [1.0]]}), tmp_path / "ragged.parquet")
        with pytest.raises(InvalidInputError, match="must all have the same length"):
            load_vectors(tmp_path / "ragged.parquet")


def test_a_conversion_that_fails_leaves_nothing_and_says_where_it_wanted_to_write(tmp_path, monkeypatch, cache):
    path = tmp_path / "vectors.parquet"
    pq.write_table(table(ITEMS.tolist()), path)

    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(ArchiveWriter, "array", full)
        with pytest.raises(InvalidInputError, match=r"No space left on device.*RATHER_CACHE"):
            load_vectors(path)
    assert not [entry for entry in cache.rglob("*") if entry.is_file()]
    assert len(load_vectors(path).catalog()) == N


def test_where_the_cache_cannot_be_written_a_file_is_looked_at_each_time(tmp_path, monkeypatch):
    def refused(*_):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(FileFacts, "write", refused)
    np.save(tmp_path / "items.npy", ITEMS)
    for _ in range(2):
        assert load_vectors(tmp_path / "items.npy").catalog().content_hash == Catalog(ITEMS).content_hash


def test_another_process_gets_the_place_of_the_items_and_not_the_items(tmp_path, monkeypatch):
    path = tmp_path / "items.npy"
    np.save(path, np.repeat(ITEMS, 500, axis=0))
    catalog = load_vectors(path).catalog()
    catalog.storage.norms, catalog.content_hash  # noqa: B018 - computed and kept
    sent = pickle.dumps(catalog)
    assert len(sent) < 4000 < path.stat().st_size / 10
    again = pickle.loads(sent)
    assert torch.equal(again.items, catalog.items)
    assert torch.equal(again.storage.norms, catalog.storage.norms)
    np.save(path, np.repeat(ITEMS[::-1], 500, axis=0))
    with pytest.raises(InvalidInputError, match="does not hold the items of this catalogue"):
        pickle.loads(sent)


def test_a_catalogue_of_arrays_travels_whole():
    again = pickle.loads(pickle.dumps(Catalog(ITEMS, IDS)))
    assert again.content_hash == Catalog(ITEMS, IDS).content_hash


def test_numpy_reads_our_archives_and_their_arrays_are_aligned(tmp_path):
    arrays = {"a": np.arange(5), "longer name": ITEMS, "empty": np.zeros((0, 3)), "bytes": np.array([1], np.uint8)}
    with ArchiveWriter.to(tmp_path / "some.npz") as archive:
        for name, array in arrays.items():
            archive.array(name, array)
    mapped = MappedArchive(tmp_path / "some.npz")
    with np.load(tmp_path / "some.npz") as read:
        for name, array in arrays.items():
            assert np.array_equal(read[name], array)
            assert np.array_equal(mapped[name], array)
            assert mapped.find(name).offset % 64 == 0
    assert list(mapped) == list(arrays)


def test_compressed_archives_are_read(tmp_path):
    np.savez_compressed(tmp_path / "some.npz", items=ITEMS, more=USERS)
    assert MappedArchive(tmp_path / "some.npz").find("items") is None
    assert np.array_equal(MappedArchive(tmp_path / "some.npz")["items"], ITEMS)
    assert np.array_equal(load_vectors(tmp_path / "some.npz").items, ITEMS)


def test_vectors_are_told_from_tables(tmp_path):
    pq.write_table(table(ITEMS.tolist()), tmp_path / "vectors.parquet")
    pq.write_table(pa.table({"price": [1.0, 2.0], "tags": [["a"], ["b"]]}), tmp_path / "table.parquet")
    assert is_vectors_file(tmp_path / "vectors.parquet")
    assert not is_vectors_file(tmp_path / "table.parquet")


def test_a_column_is_a_sequence():
    texts = ArrowColumn(pa.chunked_array([["a", "b"], ["c"], []]))
    assert (len(texts), texts[0], texts[-1], list(texts), "b" in texts) == (3, "a", "c", ["a", "b", "c"], True)
    assert texts[1:] == ["b", "c"]
    assert texts != ["a", "b", "d"]
    assert texts == ArrowColumn(pa.array(["a", "b", "c"]))
    assert texts.index("c") == 2
    with pytest.raises(ValueError, match="'d' is not in the column"):
        texts.index("d")
    with pytest.raises(IndexError):
        texts[3]
