"""Vectors in every format give the same catalogue, and stay in their file."""

import os
import pickle
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
import torch

from rather import Catalog, Policy, Session
from rather.caching import Cache
from rather.errors import InvalidInputError, UnknownNameError
from rather.formats.vectors.archives import ArchiveWriter, MemoryMappedArchive
from rather.formats.vectors.arrow_columns import ArrowColumn
from rather.formats.vectors.file_facts import ReadOptions
from rather.formats.vectors.memory_mapped_items import MemoryMappedItems
from rather.formats.vectors.vector_files import Vectors, is_vectors_file, load_vectors, save_vectors

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
    return pa.table({"id": IDS, "label": LABELS} | {f"x{index}": ITEMS[:, index] for index in range(D)})


def write_arrow(path, content: pa.Table, rows_of_a_batch: int | None = None) -> None:
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, content.schema) as writer:
        writer.write_table(content, rows_of_a_batch)


# Name of the form, ending, how to write it, and whether it is memory-mapped where it is.
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


def same_catalogue(catalog, form):
    expected = Catalog(ITEMS) if form in MATRICES else Catalog(ITEMS, IDS, LABELS)
    assert torch.equal(catalog.items, expected.items)
    assert catalog.content_hash == expected.content_hash
    assert [catalog.label(row) for row in range(N)] == [expected.label(row) for row in range(N)]
    assert [catalog.row(id) for id in expected.ids] == list(range(N))
    assert torch.allclose(catalog.storage.norms, expected.storage.norms)
    assert torch.allclose(catalog.average, expected.average)
    assert catalog.largest_norm == pytest.approx(expected.largest_norm)


@pytest.mark.parametrize("batch_rows", [7, 10_000])
def test_every_form_gives_the_same_catalogue(tmp_path, options, form, batch_rows):
    path, stays = written(tmp_path, form)
    catalog = load_vectors(path, replace(options, batch_rows=batch_rows)).catalog()
    same_catalogue(catalog, form)
    assert (catalog.storage.matrix.path == path) == stays


@pytest.mark.parametrize("large", [0, 10**9])
@pytest.mark.parametrize("cache", [None, Cache(None)], ids=["no cache", "a cache in the process alone"])
def test_without_a_cache_folder_nothing_is_written(tmp_path, form, cache, large):
    path, stays = written(tmp_path, form)
    before = sorted(tmp_path.rglob("*"))
    catalog = load_vectors(path, ReadOptions(cache, large=large, batch_rows=7)).catalog()
    same_catalogue(catalog, form)
    if large == 0:
        assert isinstance(catalog.storage, MemoryMappedItems) == stays
    assert sorted(tmp_path.rglob("*")) == before


def test_items_are_the_pages_of_the_file_and_not_a_copy(tmp_path, options, form):
    catalog = load_vectors(written(tmp_path, form)[0], options).catalog()
    with catalog.storage.matrix.path.open("r+b") as file:
        file.seek(catalog.storage.matrix.offset + 4 * (D * 7 + 1))
        file.write(np.float32(123).tobytes())
    assert float(catalog.items[7, 1]) == 123


def test_our_files_bring_their_users_and_their_words(tmp_path, options):
    for ending in (".npz", ".parquet"):
        again = load_vectors(save_vectors(OURS, tmp_path / f"ours{ending}"), options)
        assert np.array_equal(again.users, USERS)
        assert again.name == "song"
        assert isinstance(again.item_ids, ArrowColumn)
        assert again.item_ids == IDS
        assert again.labels == LABELS


@pytest.mark.parametrize("ending", [".npz", ".parquet"])
def test_numbers_as_ids_stay_numbers(tmp_path, options, ending):
    ids = list(range(100, 100 + N))
    catalog = load_vectors(save_vectors(Vectors(ITEMS, None, ids), tmp_path / f"ours{ending}"), options).catalog()
    assert catalog.content_hash == Catalog(ITEMS, ids).content_hash
    assert catalog.row(103) == 3
    assert catalog.label(3) == "103"


def test_a_conversation_about_a_memory_mapped_file_is_the_one_about_its_arrays(tmp_path, options, form):
    vectors = load_vectors(written(tmp_path, form)[0], options)
    belief = vectors.belief()
    mapped, plain = Session(Policy(vectors.catalog(), belief)), Session(Policy(Catalog(ITEMS), belief))
    for session in (mapped, plain):
        session.tell(session.ask(), 0)
    assert mapped.ask().slate == plain.ask().slate
    assert [found.row for found in mapped.recommend(5)] == [found.row for found in plain.recommend(5)]


def test_the_first_start_reports_its_progress_and_the_second_scans_nothing(tmp_path, options, form):
    path, stays = written(tmp_path, form)
    steps = []
    watched = replace(options, on_progress=lambda what, done, total: steps.append((what.split()[0], done, total)))
    first = load_vectors(path, watched).catalog()
    assert steps[-1] == ("scanning", N, N)
    assert (("converting", N, N) in steps) == (not stays)
    steps.clear()
    second = load_vectors(path, watched).catalog()
    assert steps == []
    assert second.content_hash == first.content_hash
    assert torch.equal(second.storage.norms, first.storage.norms)
    assert torch.equal(second.average, first.average)


def test_a_file_that_changed_is_looked_at_again_even_if_its_size_and_time_did_not(tmp_path, options, facts_folder):
    path = tmp_path / "items.npy"
    np.save(path, ITEMS)
    before, times = load_vectors(path, options).catalog().content_hash, path.stat()
    known = len(list(facts_folder.rglob("*.*")))
    other = ITEMS.copy()
    other[3, 1] = 0.5
    np.save(path, other)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert load_vectors(path, options).catalog().content_hash == Catalog(other).content_hash != before
    assert len(list(facts_folder.rglob("*.*"))) == known  # what was known about the old state is deleted


def test_the_converted_file_of_an_older_state_is_deleted(tmp_path, options, facts_folder):
    path = tmp_path / "vectors.parquet"
    for items in (ITEMS, ITEMS[::-1]):
        pq.write_table(table(items.tolist()), path)
        assert torch.equal(load_vectors(path, options).catalog().items, torch.from_numpy(items.copy()))
        assert len(list(facts_folder.rglob("*.npz"))) == len(list(facts_folder.rglob("*.norms.npy"))) == 1


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_not_finite_are_rejected_with_their_index(tmp_path, options, bad):
    items = ITEMS.copy()
    items[21, 2] = bad
    np.save(tmp_path / "bad.npy", items)
    for _ in range(2):  # it is not cached as good
        with pytest.raises(InvalidInputError, match=rf"entry \[21, 2\] is {bad}"):
            load_vectors(tmp_path / "bad.npy", replace(options, batch_rows=8)).catalog()


def test_a_file_that_was_cut_off_is_rejected(tmp_path):
    np.save(tmp_path / "short.npy", ITEMS)
    content = (tmp_path / "short.npy").read_bytes()
    (tmp_path / "short.npy").write_bytes(content[:-9])
    with pytest.raises(InvalidInputError, match=r"short\.npy ends after .* bytes of"):
        load_vectors(tmp_path / "short.npy").catalog()


@pytest.mark.parametrize("ending", [".npy", ".npz", ".parquet", ".arrow"])
def test_a_file_without_vectors_is_rejected(tmp_path, options, ending):
    (tmp_path / f"no{ending}").write_bytes(b"nothing of that kind" * 9)
    with pytest.raises(InvalidInputError, match=f"Cannot read .*no{ending}"):
        load_vectors(tmp_path / f"no{ending}", options)


def test_duplicate_ids_are_rejected_with_their_rows(tmp_path, options):
    path = tmp_path / "twice.arrow"
    write_arrow(path, pa.table({"id": [*IDS[:-1], IDS[4]], "vector": fixed()}))
    with pytest.raises(InvalidInputError, match="'id 4' is in rows 4 and 49"):
        load_vectors(path, options).catalog()


def test_an_unknown_id_is_rejected(tmp_path, options):
    catalog = load_vectors(save_vectors(OURS, tmp_path / "ours.npz"), options).catalog()
    for id in ("nobody", 7, None):
        with pytest.raises(UnknownNameError, match=f"No song has the id {id!r}"):
            catalog.row(id)


@pytest.mark.parametrize("batch_rows", [1, 10_000])
@pytest.mark.parametrize("cached", [True, False])
def test_vectors_of_different_lengths_are_rejected(tmp_path, options, batch_rows, cached):
    pq.write_table(pa.table({"vector": [[1.0, 2.0], [1.0]]}), tmp_path / "ragged.parquet")
    options = replace(options, batch_rows=batch_rows, cache=options.cache if cached else None)
    with pytest.raises(InvalidInputError, match="must all have the same length"):
        load_vectors(tmp_path / "ragged.parquet", options)


def test_a_conversion_that_fails_leaves_nothing_and_says_where_it_wanted_to_write(tmp_path, options, monkeypatch):
    path = tmp_path / "vectors.parquet"
    pq.write_table(table(ITEMS.tolist()), path)

    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(ArchiveWriter, "array", full)
        with pytest.raises(
            InvalidInputError, match=r"cache.* cannot be written: No space left on device.*RATHER_CACHE"
        ):
            load_vectors(path, options)
    assert not [entry for entry in options.cache.folder.rglob("*") if entry.is_file()]
    assert len(load_vectors(path, options).catalog()) == N


def test_if_the_cache_cannot_be_written_a_file_is_scanned_each_time(tmp_path, options):
    np.save(tmp_path / "items.npy", ITEMS)
    blocked = tmp_path / "a file"
    blocked.write_text("")
    for _ in range(2):
        catalog = load_vectors(tmp_path / "items.npy", replace(options, cache=Cache(blocked / "folder"))).catalog()
        assert catalog.content_hash == Catalog(ITEMS).content_hash


@pytest.mark.parametrize("cached", [True, False])
def test_another_process_gets_the_location_of_the_items_and_not_the_items(tmp_path, options, cached):
    path = tmp_path / "items.npy"
    np.save(path, np.repeat(ITEMS, 500, axis=0))
    options = options if cached else ReadOptions(large=0)
    catalog = load_vectors(path, replace(options, on_progress=lambda *_: None)).catalog()
    catalog.storage.norms, catalog.content_hash  # noqa: B018 - computed and kept
    sent = pickle.dumps(catalog)
    assert len(sent) < 4000 < path.stat().st_size / 10
    again = pickle.loads(sent)
    assert torch.equal(again.items, catalog.items)
    assert torch.equal(again.storage.norms, catalog.storage.norms)
    np.save(path, np.repeat(ITEMS[::-1], 500, axis=0))
    with pytest.raises(InvalidInputError, match=r"items\.npy must hold the items of the catalogue that was opened"):
        pickle.loads(sent)


def test_a_catalogue_of_arrays_travels_whole():
    again = pickle.loads(pickle.dumps(Catalog(ITEMS, IDS)))
    assert again.content_hash == Catalog(ITEMS, IDS).content_hash


def test_numpy_reads_our_archives_and_their_arrays_are_aligned(tmp_path):
    arrays = {"a": np.arange(5), "longer name": ITEMS, "empty": np.zeros((0, 3)), "bytes": np.array([1], np.uint8)}
    with ArchiveWriter.to(tmp_path / "some.npz") as archive:
        for name, array in arrays.items():
            archive.array(name, array)
    mapped = MemoryMappedArchive(tmp_path / "some.npz")
    with np.load(tmp_path / "some.npz") as read:
        for name, array in arrays.items():
            assert np.array_equal(read[name], array)
            assert np.array_equal(mapped[name], array)
            assert mapped.find(name).offset % 64 == 0
    assert list(mapped) == list(arrays)


def test_compressed_archives_are_read(tmp_path):
    np.savez_compressed(tmp_path / "some.npz", items=ITEMS, more=USERS)
    assert MemoryMappedArchive(tmp_path / "some.npz").find("items") is None
    assert np.array_equal(MemoryMappedArchive(tmp_path / "some.npz")["items"], ITEMS)
    assert np.array_equal(load_vectors(tmp_path / "some.npz").items, ITEMS)


def test_vectors_are_distinguished_from_tables(tmp_path):
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
