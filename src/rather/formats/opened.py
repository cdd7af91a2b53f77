"""A catalogue together with the belief that conversations about it start from."""

from typing import NamedTuple

from rather.model.belief import Belief
from rather.model.catalog import Catalog


class Opened(NamedTuple):
    """What `rather.open` returns: `catalog, belief = rather.open("cars.csv")`."""

    catalog: Catalog
    belief: Belief
