"""A changed file is opened beside the old version and switched to, and a broken one is not."""

import gc
import logging
import os
import weakref

import numpy as np
import pytest
import torch
from serving import answer, open_session

import rather
from cars import CARS
from rather.errors import InvalidInputError
from rather.formats.opening import Source, open_source
from rather.formats.vectors.memory_mapped_items import MemoryMappedItems
from rather.model.catalog_changes import CatalogChanges
from rather.server import create_app, reloading

TOKEN = "a token of the operator"
CHEAPER = CARS.replace("18000", "17500")


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "cars.csv"
    save(path, CARS)
    return path


@pytest.fixture
def serve(make_client):
    """Clients of a server that was pointed at these files."""

    def make(*paths, **settings):
        sources = [Source(path.stem, *rather.open(path)) for path in paths]
        return make_client(sources=sources, files={path.stem: path for path in paths}, **settings)

    return make


@pytest.fixture
def client(serve, path):
    return serve(path, admin_token=TOKEN)


def save(path, content):
    """Write a file as one should: under another name first."""
    draft = path.with_name(f".{path.name}")
    draft.write_bytes(content if isinstance(content, bytes) else content.encode())
    draft.replace(path)


def poll(client):
    return client.app.state.reloading.poll()


def settle(client):
    """Look at the files until they are opened; what came of it."""
    assert poll(client) == []
    found = poll(client)
    assert poll(client) == []
    return found


def reload(client, token=TOKEN):
    return client.post("/v1/admin/reload", headers={"Authorization": f"Bearer {token}"})


def served(client, name="cars"):
    return client.app.state.conversations.catalogs.find(name)


def price(client):
    """What the page shows of the first car."""
    session = open_session(client, k=10)
    facts = {option["label"]: option["facts"] for option in session["question"]["options"]}
    return next(fact["value"] for fact in facts["One"] if fact["name"] == "price")


def test_new_sessions_see_a_changed_price(client, path, caplog):
    caplog.set_level(logging.INFO, logger="rather.server")
    assert price(client) == "18,000 USD"
    save(path, CHEAPER)
    (found,) = settle(client)
    assert (found.catalog, found.outcome, found.changes) == ("cars", "switched", CatalogChanges(0, 0, 1))
    assert found.text == "cars.csv has changed: 0 cars added, 0 gone, 1 changed."
    assert price(client) == "17,500 USD"
    (fields,) = [record.fields for record in caplog.records if record.getMessage() == "switched"]
    assert (fields["catalog"], fields["items"], fields["changed"]) == ("cars", 10, 1)
    assert "rather_catalog_switches 1.0" in client.get("/metrics").text


def test_open_sessions_go_on_after_a_switch(client, path):
    session = answer(client, open_session(client)).json()["session"]
    save(path, CHEAPER)
    settle(client)
    response = answer(client, client.get(f"/v1/sessions/{session['id']}").json())
    assert response.status_code == 200
    after = response.json()["session"]
    assert (after["id"], after["answers"]) == (session["id"], 2)
    assert "18,000 USD" not in response.text


def test_rows_that_are_new_or_gone_are_counted(client, path):
    save(path, CARS.replace("9,Cor,City", "11,Cor,City") + "12,Aro,Ten,20000,,FWD,no,radio,2019-03-01,\n")
    (found,) = settle(client)
    assert found.changes == CatalogChanges(added=2, gone=1, changed=0)
    assert client.get("/v1/catalogs/cars").json()["items"] == 11


def test_a_file_that_is_being_written_is_left_alone(client, path):
    lines = CHEAPER.splitlines(keepends=True)
    with path.open("w", encoding="utf-8") as file:
        for line in lines:
            file.write(line)
            file.flush()
            assert poll(client) == []
    (found,) = poll(client)
    assert (found.outcome, found.changes.gone) == ("switched", 0)


def test_a_file_that_changes_while_it_is_opened_is_opened_again(client, path, monkeypatch):
    before = served(client)

    def open_and_write(source, **options):
        monkeypatch.undo()
        opened = rather.open(source, **options)
        save(path, CHEAPER)
        return opened

    monkeypatch.setattr(reloading, "open", open_and_write)
    save(path, CARS.replace("18000", "1"))
    assert poll(client) == []
    assert poll(client) == []
    assert served(client) is before
    (found,) = settle(client)
    assert found.outcome == "switched"
    assert price(client) == "17,500 USD"


def test_a_broken_file_keeps_the_version_before(client, path, caplog):
    session = open_session(client)
    save(path, "id,make\n1,Aro\n")
    (found,) = settle(client)
    assert found.outcome == "kept"
    assert found.text == (
        "cars.csv must have at least two rows to choose from; it has only one row. The earlier version is still served."
    )
    (record,) = [record for record in caplog.records if record.getMessage() == "kept the earlier version"]
    assert (record.levelname, record.fields["catalog"]) == ("WARNING", "cars")
    assert "at least two rows" in record.fields["reason"]
    assert record.exc_info is None
    assert 'rather_catalog_kept{catalog="cars"} 1.0' in client.get("/metrics").text
    assert client.get("/ready").status_code == 200
    assert answer(client, session).status_code == 200
    assert price(client) == "18,000 USD"


def test_a_broken_file_that_is_repaired_is_served(client, path):
    save(path, "id,make\n")
    settle(client)
    save(path, CHEAPER)
    (found,) = settle(client)
    assert found.outcome == "switched"
    assert 'rather_catalog_kept{catalog="cars"} 0.0' in client.get("/metrics").text


def test_a_broken_file_that_is_put_back_needs_no_switch(client, path):
    before = served(client)
    save(path, "id,make\n")
    settle(client)
    save(path, CARS)
    (found,) = settle(client)
    assert (found.outcome, found.text) == ("unchanged", "cars.csv holds what is served.")
    assert served(client) is before
    assert client.app.state.reloading.problems == {"cars": None}


def test_a_deleted_file_keeps_the_version_before(client, path):
    path.unlink()
    (found,) = settle(client)
    assert found.outcome == "kept"
    assert "There is no file or folder" in found.text
    assert price(client) == "18,000 USD"
    save(path, CHEAPER)
    assert [found.outcome for found in settle(client)] == ["switched"]


def test_an_unexpected_error_is_logged_with_its_traceback(client, path, monkeypatch, caplog):
    monkeypatch.setattr(reloading, "open", lambda *arguments, **options: 1 / 0)
    save(path, CHEAPER)
    (found,) = settle(client)
    assert found.text.startswith("cars.csv cannot be opened (ZeroDivisionError: division by zero)")
    assert caplog.records[-1].exc_info


def test_a_file_that_is_only_touched_is_unchanged(client, path):
    before = served(client)
    os.utime(path, ns=(1, 1))
    assert [found.outcome for found in settle(client)] == ["unchanged"]
    assert served(client) is before


def test_changed_settings_of_a_table_are_noticed(client, path):
    settings = path.with_suffix(".toml")
    save(settings, '[table]\nname = "wagon"\n')
    assert [found.outcome for found in settle(client)] == ["switched"]
    assert client.get("/v1/catalogs/cars").json()["item"] == "wagon"
    save(settings, "[table]\nnam = 1\n")
    (found,) = settle(client)
    assert found.outcome == "kept"
    assert "cars.toml" in found.text
    settings.unlink()
    assert [found.outcome for found in settle(client)] == ["switched"]
    assert client.get("/v1/catalogs/cars").json()["item"] == "car"


def test_of_two_catalogues_only_the_changed_one_is_switched(serve, tmp_path):
    first, second = tmp_path / "cars.csv", tmp_path / "wagons.csv"
    save(first, CARS)
    save(second, CARS)
    client = serve(first, second)
    before = served(client, "cars"), served(client, "wagons")
    save(second, CHEAPER)
    assert [found.catalog for found in settle(client)] == ["wagons"]
    assert served(client, "cars") is before[0]
    assert served(client, "wagons") is not before[1]
    save(first, "")
    save(second, CARS)
    assert {found.catalog: found.outcome for found in settle(client)} == {"cars": "kept", "wagons": "switched"}


def test_a_folder_of_vectors_is_watched(serve, tmp_path):
    folder = tmp_path / "books"
    folder.mkdir()
    items = torch.randn(30, 4, generator=torch.Generator().manual_seed(0)).numpy()
    np.save(folder / "items.npy", items)
    (folder / "notes.log").write_text("of no interest")
    client = serve(folder)
    (folder / "notes.log").write_text("still of no interest")
    assert poll(client) == poll(client) == []
    np.save(folder / "users.npy", items[:10])
    (found,) = settle(client)
    assert (found.outcome, found.changes) == ("switched", CatalogChanges(0, 0, 0))
    assert len(served(client, "books").belief.particles) == 10
    np.save(folder / "more.csv.npy", items)
    np.save(folder / ".draft.npy", items[:-1])
    (folder / ".draft.npy").replace(folder / "items.npy")
    (found,) = settle(client)
    assert found.changes == CatalogChanges(0, 1, 0)


def mapped(path, seed):
    """A file that is large enough to be memory-mapped."""
    items = torch.randn(70_000, 64, generator=torch.Generator().manual_seed(seed)).numpy()
    with path.open("wb") as file:
        np.save(file, items)
    return items


def test_vectors_that_are_replaced_by_renaming_stay_valid_for_requests_in_progress(serve, tmp_path, caplog):
    path = tmp_path / "items.npy"
    first = mapped(path, 1)
    client = serve(path, retriever="exact")
    before = served(client, "items")
    assert isinstance(before.catalog.storage, MemoryMappedItems)
    second = mapped(tmp_path / ".draft.npy", 2)
    (tmp_path / ".draft.npy").replace(path)
    assert [found.outcome for found in settle(client)] == ["switched"]
    assert torch.equal(before.catalog.items, torch.from_numpy(first))
    assert torch.equal(served(client, "items").catalog.items, torch.from_numpy(second))
    assert "overwritten in place" not in caplog.text


def test_vectors_that_are_overwritten_in_place_are_noticed(serve, tmp_path, caplog):
    path = tmp_path / "items.npy"
    mapped(path, 1)
    client = serve(path, retriever="exact")
    with path.open("r+b") as file:
        file.seek(-4, os.SEEK_END)
        file.write(np.float32(3).tobytes())
    os.utime(path, ns=(1, 1))
    assert [found.outcome for found in settle(client)] == ["switched"]
    (record,) = [record for record in caplog.records if record.getMessage() == "overwritten in place"]
    assert record.fields["reason"].startswith("items.npy was overwritten in place while it was memory-mapped.")


@pytest.mark.parametrize("prefetch", [False, True])
@pytest.mark.parametrize("frozen", [False, True])
def test_the_version_before_is_freed(serve, path, prefetch, frozen):
    client = serve(path, prefetch=prefetch)
    answer(client, open_session(client))
    old = weakref.ref(served(client)), weakref.ref(served(client).catalog)
    if frozen:  # as in a server process: the collector never looks at what was there at the start
        gc.freeze()
    try:
        save(path, CHEAPER)
        settle(client)
        client.get("/v1/catalogs")
        gc.collect()
        # Work done in advance may be under way. It holds its state until it is done.
        client.app.state.conversations.close()
        gc.collect()
        assert [reference() for reference in old] == [None, None]
    finally:
        gc.unfreeze()


def test_only_the_operator_reloads(client, serve, path):
    assert reload(client, "another token").status_code == 401
    assert client.post("/v1/admin/reload").status_code == 401
    refused = reload(serve(path))
    assert (refused.status_code, refused.json()["code"]) == (403, "no-admin")


def test_the_operator_is_told_what_came_of_it(client, path):
    unchanged = {"name": "cars", "outcome": "unchanged", "text": "cars.csv holds what is served.", "items": 10}
    assert reload(client).json() == {"catalogs": [unchanged | {"added": None, "gone": None, "changed": None}]}
    save(path, CHEAPER)
    (switched,) = reload(client).json()["catalogs"]
    assert (switched["outcome"], switched["added"], switched["gone"], switched["changed"]) == ("switched", 0, 0, 1)
    save(path, "")
    (kept,) = reload(client).json()["catalogs"]
    assert (kept["outcome"], kept["items"]) == ("kept", 10)
    assert kept["text"].endswith("The earlier version is still served.")
    assert poll(client) == []


def test_a_reload_tries_again_what_failed(client, path, monkeypatch):
    monkeypatch.setattr(reloading, "open", lambda *arguments, **options: 1 / 0)
    save(path, CHEAPER)
    assert settle(client)[0].outcome == "kept"
    monkeypatch.undo()
    assert poll(client) == poll(client) == []
    assert reload(client).json()["catalogs"][0]["outcome"] == "switched"


def test_a_catalogue_without_a_file_is_unchanged(make_client):
    client = make_client(admin_token=TOKEN)
    (found,) = reload(client).json()["catalogs"]
    assert (found["outcome"], found["text"]) == ("unchanged", "It was not opened from a file.")


def test_files_belong_to_catalogues(source, database, path):
    with pytest.raises(InvalidInputError, match="`files` must name catalogues that are served, got cars"):
        create_app({"things": (source.catalog, source.belief)}, files={"cars": path})


def test_what_a_command_opened_is_watched(path):
    name = str(path)
    source = open_source(name)
    app = create_app({"cars": (source.catalog, source.belief)}, files={"cars": name})
    assert app.state.reloading.problems == {"cars": None}
