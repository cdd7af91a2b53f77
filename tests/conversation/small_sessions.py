"""Sessions that are small enough to check by hand."""

from rather import Catalog, Policy, Session, Stopping
from worlds import normal, world


def session(n=30, m=40, d=3, k=2, seed=0, smooth=True, **parts) -> Session:
    here = world(n=n, m=m, d=d, smooth=smooth)
    stopping = parts.pop("stopping", Stopping())
    return Session(Policy(here.catalog, here.belief, k, seed, **parts), stopping)


def titled() -> Session:
    facts = [{"year": str(1950 + row)} for row in range(12)]
    catalog = Catalog(
        normal(12, 3), ids=[f"f{row}" for row in range(12)], labels=[f"Film {row}" for row in range(12)], facts=facts
    )
    return Session(Policy(catalog, world(m=20).belief, seed=3))
