"""Public data sets: where they are, how to get them, and how to read them as ratings and attributes.

Nothing of them is shipped with this package. A data set is downloaded by its user from its publisher, or read from a
folder that holds it.
"""

from rather.learn.item_attributes import ItemAttributes
from rather.learn.ratings import Ratings, read_ratings
from rather.research.datasets.folders import find_dataset
from rather.research.datasets.registry import DATASETS, Dataset, dataset_named

__all__ = ["DATASETS", "Dataset", "ItemAttributes", "Ratings", "dataset_named", "find_dataset", "read_ratings"]
