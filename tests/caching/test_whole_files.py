"""A file is written whole or not at all, and nothing is left behind."""

import errno

import numpy as np
import pytest

from rather.caching.whole_files import written_whole
from rather.errors import RatherError
from rather.formats.vectors.archives import ArchiveWriter
from rather.formats.vectors.vector_files import Vectors, save_vectors


def test_what_was_written_takes_the_place_of_the_old(tmp_path):
    target = tmp_path / "a"
    target.write_text("old")
    with written_whole(target) as draft:
        draft.write_text("new")
        assert target.read_text() == "old"
    assert target.read_text() == "new"
    assert list(tmp_path.iterdir()) == [target]


def test_a_failure_leaves_the_old_and_no_draft(tmp_path):
    target = tmp_path / "a"
    target.write_text("old")

    def write_half():
        with written_whole(target) as draft:
            draft.write_text("half")
            raise OSError(errno.ENOSPC, "full")

    with pytest.raises(OSError, match="full"):
        write_half()
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_vectors_on_a_full_disk_leave_nothing_behind(tmp_path, monkeypatch):
    def fail(self, name, values):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(ArchiveWriter, "array", fail)
    with pytest.raises(RatherError, match=r"Cannot write .*x\.npz: No space left"):
        save_vectors(Vectors(np.ones((3, 2))), tmp_path / "x.npz")
    assert list(tmp_path.iterdir()) == []
