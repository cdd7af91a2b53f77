"""The folders in which data sets are looked for."""

import os
from collections.abc import Iterator
from pathlib import Path

from rather.errors import MissingDataError
from rather.research.datasets.registry import Dataset, dataset_named


def data_directory() -> Path:
    """The user's own directory, where downloads go."""
    import platformdirs

    return Path(platformdirs.user_data_dir("rather", appauthor=False)) / "data"


def find_dataset(name: str, folder: Path | None = None, *, directory: Path | None = None) -> Path:
    """The folder that holds a data set.

    Args:
        name: Of `rather.research.datasets.DATASETS`.
        folder: The only one to look in: the data set's own folder, or one that holds it by its name. By default, that
            of the environment variable `RATHER_DATA` and then the user's data directory.
        directory: The user's data directory, by default `data_directory()`.
    """
    dataset = dataset_named(name)
    for candidate in _candidates(dataset, folder, directory):
        if dataset.is_in(candidate):
            return candidate
    wanted = " or ".join(" + ".join(files) for files in dataset.files)
    if folder is not None:
        raise MissingDataError(f"{folder} does not hold {name}: looked for {wanted} there and in {folder / name}.")
    get = f"Download it with `rather data get {name}`, or " if dataset.downloads else "It cannot be downloaded; "
    raise MissingDataError(
        f"{name} is not on this machine. {get}point RATHER_DATA or --from at a folder that has {wanted} in {name}/."
    )


def _candidates(dataset: Dataset, folder: Path | None, directory: Path | None) -> Iterator[Path]:
    if folder is not None:
        yield from (folder, folder / dataset.name)
        return
    if from_environment := os.environ.get("RATHER_DATA"):
        yield Path(from_environment) / dataset.name
        yield Path(from_environment)
    yield (directory or data_directory()) / dataset.name
