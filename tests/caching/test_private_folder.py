"""Only the user writes to the user's cache: what is in it decides what is asked."""

import os

import pytest

from rather.caching.folder import is_private
from rather.caching.storage import Cache, user_cache

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows keeps users apart by other means")


def test_a_new_cache_is_for_the_user_alone(tmp_path):
    cache = Cache(tmp_path / "cache")
    cache.put("key", b"content")
    assert (tmp_path / "cache").stat().st_mode & 0o777 == 0o700


def test_a_folder_that_others_may_write_to_is_closed_to_them(tmp_path):
    tmp_path.chmod(0o777)
    assert is_private(tmp_path)
    assert tmp_path.stat().st_mode & 0o777 == 0o755


def test_a_folder_of_another_user_is_not_used(tmp_path, monkeypatch):
    monkeypatch.setenv("RATHER_CACHE", str(tmp_path))
    assert user_cache() is not None
    monkeypatch.setattr(os, "geteuid", lambda: tmp_path.stat().st_uid + 1)
    assert not is_private(tmp_path)
    assert user_cache() is None
    assert is_private(tmp_path / "nothing yet")
