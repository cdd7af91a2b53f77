"""Bytes by key: in the process and in files, both of bounded size."""

import pickle
import sys
import threading

import pytest

from rather.caching import Cache, user_cache


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have other customs")
def test_the_users_own_cache_folder_is_the_default(tmp_path, monkeypatch):
    monkeypatch.delenv("RATHER_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert user_cache().folder == tmp_path / "rather"


@pytest.mark.parametrize("off", ["off", "OFF", "no", "false", "0"])
def test_the_user_can_switch_the_cache_off_or_name_another_folder(tmp_path, monkeypatch, off):
    monkeypatch.setenv("RATHER_CACHE", off)
    assert user_cache() is None
    monkeypatch.setenv("RATHER_CACHE", str(tmp_path))
    assert user_cache().folder == tmp_path
    assert user_cache() is user_cache()


def test_a_file_under_anothers_name_is_ignored(tmp_path):
    Cache(tmp_path).put("one", b"content")
    (tmp_path / "entries" / "one").rename(tmp_path / "entries" / "two")
    assert Cache(tmp_path).get("two") is None


def test_a_disk_that_cannot_be_written_costs_nothing_but_time(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    cache = Cache(blocked / "folder")
    cache.put("key", b"content")
    assert cache.get("key") == b"content"
    assert Cache(blocked / "folder").get("key") is None


def test_files_are_bounded(tmp_path):
    cache = Cache(tmp_path, most_in_files=2000, prune_every=2)
    for number in range(60):
        cache.put(str(number), bytes(100))
    # A file is its content and a checksum of 16 bytes; two more may be written before the next check.
    assert sum(file.stat().st_size for file in (tmp_path / "entries").iterdir()) <= 2000 + 2 * 116
    assert cache.get("59") == bytes(100)


def test_what_was_used_least_recently_leaves_the_process_first():
    cache = Cache(None, most_in_process=1000)
    for number in range(10):
        cache.put(str(number), bytes(100))
    cache.get("0")
    cache.put("10", bytes(100))
    assert [key for key in map(str, range(11)) if cache.get(key) is None] == ["1"]


def test_what_is_not_worth_a_file_stays_in_the_process(tmp_path):
    cache = Cache(tmp_path)
    cache.put("key", b"content", in_file=False)
    assert cache.get("key") == b"content"
    assert Cache(tmp_path).get("key") is None
    assert not list(tmp_path.iterdir())


def test_another_process_gets_a_cache_on_the_same_files(tmp_path):
    cache = Cache(tmp_path)
    cache.put("key", b"content")
    assert pickle.loads(pickle.dumps(cache)).get("key") == b"content"


def test_subfolders_exist_only_on_disk(tmp_path):
    assert Cache(tmp_path).subfolder("indexes") == tmp_path / "indexes"
    assert Cache(None).subfolder("indexes") is None


def test_many_writers_leave_whole_files(tmp_path):
    def write(number):
        cache = Cache(tmp_path)
        for round in range(30):
            cache.put("shared", bytes([number]) * 5000)
            assert Cache(tmp_path).get("shared") is not None, round

    workers = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    content = Cache(tmp_path).get("shared")
    assert content in [bytes([number]) * 5000 for number in range(4)]
    assert [file.name for file in (tmp_path / "entries").iterdir()] == ["shared"]
