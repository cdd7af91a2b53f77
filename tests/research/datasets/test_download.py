"""Downloads against a server on this machine: resumed where they broke off, rejected when damaged."""

import hashlib
import http.server
import io
import threading
import zipfile
from dataclasses import replace

import pytest

from rather.errors import CorruptDownloadError, MissingDataError, RatherError
from rather.research.datasets import DATASETS, find_dataset
from rather.research.datasets.download import TERMS_FILE, fetch, get_dataset
from rather.research.datasets.registry import Download


def small_archive():
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("ml-100k/u.data", "1\t2\t3\t4\n")
        archive.writestr("ml-100k/u.item", "2|Two" + "|0" * 22 + "\n")
        archive.writestr("../../outside.txt", "x")
    return content.getvalue()


class Publisher(http.server.BaseHTTPRequestHandler):
    """Serves `server.content`; understands ranges; can break off after some bytes."""

    def do_GET(self):
        server = self.server
        server.requests.append(dict(self.headers))
        body, start = server.content, 0
        asked = self.headers.get("Range")
        if asked and self.headers.get("If-Range") == server.etag:
            start = int(asked.removeprefix("bytes=").removesuffix("-"))
            if start >= len(body):
                self.send_error(416)
                return
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(body) - start))
        self.send_header("ETag", server.etag)
        self.end_headers()
        end = len(body) if server.break_at is None else server.break_at
        server.break_at = None
        self.wfile.write(body[start:end])

    def log_message(self, *_):
        pass


@pytest.fixture
def server():
    server = http.server.HTTPServer(("127.0.0.1", 0), Publisher)
    server.content, server.etag, server.break_at, server.requests = small_archive(), '"one"', None, []
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def dataset(server):
    url = f"http://127.0.0.1:{server.server_port}/ml-100k.zip"
    checksum = f"md5:{hashlib.md5(server.content).hexdigest()}"
    return replace(DATASETS["ml-100k"], downloads=(Download(url, checksum),))


@pytest.fixture(autouse=True)
def no_environment(monkeypatch):
    monkeypatch.delenv("RATHER_DATA", raising=False)


@pytest.fixture
def directory(tmp_path):
    """What stands in for the user's data directory."""
    return tmp_path / "data"


def test_a_download_is_unpacked_with_its_terms(dataset, tmp_path, directory):
    seen = []
    folder = get_dataset(dataset, on_bytes=lambda *progress: seen.append(progress), directory=directory)
    assert len(dataset.ratings(folder)) == 1
    assert dataset.citation in (folder / TERMS_FILE).read_text()
    assert seen[-1] == ("ml-100k.zip", len(small_archive()), len(small_archive()))
    assert not (tmp_path / "outside.txt").exists()  # an archive cannot write outside its folder
    assert find_dataset("ml-100k", directory=directory) == folder


def test_what_is_here_is_not_downloaded_again(dataset, server, directory):
    get_dataset(dataset, directory=directory)
    get_dataset(dataset, directory=directory)
    assert len(server.requests) == 1


def test_a_damaged_download_is_rejected_and_deleted(dataset, server, tmp_path, directory):
    server.content = server.content[:-1] + b"?"
    with pytest.raises(CorruptDownloadError, match="damaged or has changed"):
        get_dataset(dataset, directory=directory)
    assert [path.name for path in (tmp_path / "data" / "ml-100k").iterdir()] == [TERMS_FILE]


def test_a_broken_off_download_resumes_where_it_ended(dataset, server, tmp_path, directory):
    server.break_at = 100
    with pytest.raises(RatherError, match="the same command resumes"):
        get_dataset(dataset, directory=directory)
    folder = get_dataset(dataset, directory=directory)
    assert server.requests[1]["Range"] == "bytes=100-"
    assert len(dataset.ratings(folder)) == 1


def test_a_file_that_changed_meanwhile_is_fetched_from_its_start(server, tmp_path):
    download = Download(f"http://127.0.0.1:{server.server_port}/notes.txt")
    server.content, server.break_at = b"old" * 100, 50
    with pytest.raises(RatherError):
        fetch(download, tmp_path)
    server.content, server.etag = b"new" * 100, '"two"'
    assert fetch(download, tmp_path).read_bytes() == b"new" * 100


def test_a_transfer_that_had_ended_before_its_check_is_not_repeated(server, tmp_path):
    download = Download(f"http://127.0.0.1:{server.server_port}/notes.txt")
    server.content = b"all of it"
    (tmp_path / "notes.txt.part").write_bytes(server.content)
    (tmp_path / "notes.txt.part.version").write_text('{"version": "\\"one\\""}')
    assert fetch(download, tmp_path).read_bytes() == b"all of it"


@pytest.mark.parametrize("name", ["a.zip", "a.json.gz"])
def test_archives_without_a_published_checksum_must_agree_with_their_own(server, tmp_path, name):
    server.content = b"PK not really an archive"
    with pytest.raises(CorruptDownloadError, match="damaged"):
        fetch(Download(f"http://127.0.0.1:{server.server_port}/{name}"), tmp_path)


def test_a_folder_stands_in_for_the_publisher(dataset, server, tmp_path, directory):
    source = tmp_path / "usb"
    source.mkdir()
    (source / "ml-100k.zip").write_bytes(server.content)
    assert len(dataset.ratings(get_dataset(dataset, source, directory=directory))) == 1
    assert server.requests == []


def test_a_damaged_archive_in_a_folder_is_rejected_and_kept(dataset, tmp_path, directory):
    (tmp_path / "ml-100k.zip").write_bytes(b"PK rubbish")
    with pytest.raises(CorruptDownloadError, match=r"is not the ml-100k\.zip that was published"):
        get_dataset(dataset, tmp_path, directory=directory)
    assert (tmp_path / "ml-100k.zip").exists()


def test_files_in_a_folder_are_taken(dataset, tmp_path, directory):
    source = tmp_path / "usb" / "ml-100k"
    source.mkdir(parents=True)
    (source / "u.data").write_text("1\t2\t3\t4\n")
    (source / "u.item").write_text("2|Two" + "|0" * 22 + "\n")
    assert find_dataset("ml-100k", tmp_path / "usb") == source
    assert find_dataset("ml-100k", source) == source
    folder = get_dataset(dataset, tmp_path / "usb", directory=directory)
    assert folder != source
    assert len(dataset.ratings(folder)) == 1


def test_the_environment_names_a_folder(tmp_path, monkeypatch, directory):
    (tmp_path / "ml-1m").mkdir()
    for name in ("ratings.dat", "movies.dat"):
        (tmp_path / "ml-1m" / name).touch()
    with pytest.raises(MissingDataError, match="rather data get ml-1m"):
        find_dataset("ml-1m", directory=directory)
    monkeypatch.setenv("RATHER_DATA", str(tmp_path))
    assert find_dataset("ml-1m", directory=directory) == tmp_path / "ml-1m"


def test_folders_beside_the_working_directory_are_not_searched(tmp_path, monkeypatch, directory):
    folder = tmp_path / "shared" / "data" / "ml-1m"
    folder.mkdir(parents=True)
    for name in ("ratings.dat", "movies.dat"):
        (folder / name).touch()
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    with pytest.raises(MissingDataError, match="not on this machine"):
        find_dataset("ml-1m", directory=directory)


def test_what_nobody_offers_any_more_says_so(directory):
    with pytest.raises(MissingDataError, match=r"not offered for download any more.*--from"):
        get_dataset(DATASETS["book-crossing"], directory=directory)
