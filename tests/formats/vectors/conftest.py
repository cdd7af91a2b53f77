"""A cache in a folder of the test, and options under which every file counts as large."""

import pytest

from rather.caching import Cache
from rather.formats.vectors.file_facts import ReadOptions


@pytest.fixture
def options(tmp_path):
    return ReadOptions(Cache(tmp_path / "cache"), large=0)


@pytest.fixture
def facts_folder(options):
    """Where facts about files are kept."""
    return options.cache.subfolder("vectors")
