"""Whatever is wrong with a vectors file, it is opened or rejected in words: no traceback, no warning, no crash."""

import io
import json
import random
import struct
import zipfile

import numpy as np
import pytest

import rather
from rather.errors import InvalidInputError, RatherError
from rather.formats.vectors.file_facts import ReadOptions
from rather.formats.vectors.vector_files import Vectors, load_vectors, save_vectors

NUMBERS = np.random.default_rng(0).normal(size=(12, 3)).astype(np.float32)
GOOD = Vectors(NUMBERS, NUMBERS[:5], [f"id-{row}" for row in range(12)], [f"Item {row}" for row in range(12)])
ENDINGS = (".npz", ".parquet", ".npy", ".arrow", ".vec", ".foreign.npz", ".packed.npz")


def good_bytes(folder, ending):
    """A small file of this kind."""
    path = folder / f"good{ending}"
    if ending in (".npz", ".parquet"):
        save_vectors(GOOD, path)
    elif ending == ".npy":
        np.save(path, NUMBERS)
    elif ending == ".vec":
        path.write_text("".join(f"w{row} {' '.join(map(str, numbers))}\n" for row, numbers in enumerate(NUMBERS)))
    elif ending == ".arrow":
        import pyarrow as pa

        table = pa.table({"id": GOOD.item_ids, "vector": NUMBERS.tolist()})
        with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
            writer.write_table(table)
    else:
        (np.savez if "foreign" in ending else np.savez_compressed)(path, items=NUMBERS, users=NUMBERS[:4])
    return path.read_bytes()


def opens_or_says_why(path, options=ReadOptions()):  # noqa: B008 - immutable
    try:
        vectors = load_vectors(path, options)
        rather.open(vectors)
        list(vectors.labels or [])
    except RatherError as error:
        said = str(error)
    else:
        return None
    assert "allow_pickle" not in said
    assert "unsafely" not in said
    return said


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("ending", ENDINGS)
def test_a_truncated_file(tmp_path, ending, large):
    options = ReadOptions(large=1) if large else ReadOptions()
    content = good_bytes(tmp_path, ending)
    assert opens_or_says_why(tmp_path / f"good{ending}", options) is None
    for length in sorted({0, 1, 10, 100, *range(0, len(content), max(1, len(content) // 40))}):
        path = tmp_path / f"cut{ending}"
        path.write_bytes(content[:length])
        said = opens_or_says_why(path, options)
        assert said is not None or ending == ".vec"


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("ending", ENDINGS)
def test_a_file_with_wrong_bytes(tmp_path, ending, large):
    options = ReadOptions(large=1) if large else ReadOptions()
    content, places = good_bytes(tmp_path, ending), random.Random(0)
    for number in range(60):
        damaged = bytearray(content)
        for _ in range(1 + number % 4):
            damaged[places.randrange(len(damaged))] = places.randrange(256)
        path = tmp_path / f"damaged{number}{ending}"
        path.write_bytes(damaged)
        opens_or_says_why(path, options)


def claims(shape):
    """A NumPy file whose header announces more than it holds."""
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + bytes(64)


def zipped(**members):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        for name, content in members.items():
            file.writestr(f"{name}.npy", content)
    return buffer.getvalue()


def saved(array, *, allow_pickle=False):
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=allow_pickle)
    return buffer.getvalue()


WRONG = {
    "texts": np.array([["a", "b"], ["c", "d"]]),
    "complex": np.ones((3, 2), dtype=complex),
    "dates": np.zeros((3, 2), dtype="datetime64[s]"),
    "records": np.zeros(3, dtype=[("x", "f4"), ("y", "f4")]),
    "one row": np.zeros(3, dtype=np.float32),
    "nothing": np.zeros((0, 3), dtype=np.float32),
    "too large": np.full((3, 2), 1e300),
    "not a number": np.full((3, 2), np.nan),
}


@pytest.mark.parametrize("kind", ["npy", "foreign", "ours"])
@pytest.mark.parametrize("wrong", WRONG)
def test_arrays_that_are_no_vectors(tmp_path, kind, wrong):
    about = saved(np.frombuffer(json.dumps({"format": "rather vectors 1"}).encode(), np.uint8))
    content = saved(WRONG[wrong])
    members = {"items": content} | ({"about": about} if kind == "ours" else {})
    path = tmp_path / ("wrong.npy" if kind == "npy" else "wrong.npz")
    path.write_bytes(content if kind == "npy" else zipped(**members))
    assert opens_or_says_why(path) is not None


@pytest.mark.parametrize("shape", ["(1000000000, 1000)", "(1000000000000000000, 1000000000000000000)", "(-1, 3)"])
def test_a_header_that_announces_terabytes(tmp_path, shape):
    for path, content in ((tmp_path / "x.npy", claims(shape)), (tmp_path / "x.npz", zipped(items=claims(shape)))):
        path.write_bytes(content)
        assert opens_or_says_why(path) is not None
        assert opens_or_says_why(path, ReadOptions(large=1)) is not None


@pytest.mark.parametrize("name", ["x.npy", "x.npz"])
def test_python_objects_are_rejected_without_advice_to_load_them(tmp_path, name):
    content = saved(np.array([{"a": 1}], dtype=object), allow_pickle=True)
    path = tmp_path / name
    path.write_bytes(content if name == "x.npy" else zipped(items=content))
    assert "never loaded" in opens_or_says_why(path)
    path.write_bytes(b"\x80\x04}.")  # a bare pickle
    assert opens_or_says_why(path) is not None


@pytest.mark.parametrize("ends", [[0, 3, 10**9], [0, 5, 2], [-8, 0, 2], [0, 1]])
def test_texts_that_end_outside_of_their_file(tmp_path, ends):
    about = json.dumps({"format": "rather vectors 1", "name": "x", "features": None, "about": {}}).encode()
    path = tmp_path / "x.npz"
    members = {"about": saved(np.frombuffer(about, np.uint8)), "items": saved(NUMBERS[:2])}
    members |= {"labels_text": saved(np.frombuffer(b"abcde", np.uint8)), "labels_ends": saved(np.array(ends))}
    path.write_bytes(zipped(**members))
    for options in (ReadOptions(), ReadOptions(large=1)):
        with pytest.raises(InvalidInputError):
            load_vectors(path, options)
