import pytest

from cars import CARS


@pytest.fixture(scope="session")
def cars(tmp_path_factory):
    path = tmp_path_factory.mktemp("assistants") / "cars.csv"
    path.write_text(CARS)
    return path
