"""Every file counts as large, and what is remembered of it goes into a folder of the test."""

import pytest

from rather.formats.vectors import file_facts


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("RATHER_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(file_facts, "LARGE", 0)
    return tmp_path / "cache" / "vectors"
