"""Small tables that the tests write themselves."""

import pytest

from cars import CARS
from rather.formats.tables import encode_table


@pytest.fixture
def write(tmp_path):
    """Writes a file and returns its path."""

    def to(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return to


@pytest.fixture
def table(write):
    return encode_table(write("cars.csv", CARS))


@pytest.fixture
def cars(table):
    return table.catalog
