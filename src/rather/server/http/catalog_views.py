"""Catalogues as the API describes them."""

from collections.abc import Iterable

from rather.model.catalog import Catalog
from rather.model.filters import NumberColumn
from rather.server.computing.catalogs import ServedCatalog
from rather.server.computing.filters import FilterColumn
from rather.server.http import schema
from rather.server.settings import Settings


def catalog_view(served: ServedCatalog, settings: Settings) -> schema.CatalogView:
    """A catalogue in short."""
    catalog = served.catalog
    return schema.CatalogView(
        name=served.name,
        item=catalog.name,
        items=len(catalog),
        dimensions=catalog.dimensions,
        hash=catalog.content_hash,
        kinds=["items", "attributes"] if catalog.attributes else ["items"],
        strategies=list(settings.strategies_for(len(catalog))),
        largest_slate=min(settings.limits.slate, len(catalog)),
        takes_where=catalog.filters is not None,
    )


def attributes_view(served: ServedCatalog) -> schema.AttributesView:
    """What the items of a catalogue differ in, and what they can be filtered by."""
    columns = served.filters.columns.values()
    return schema.AttributesView(attributes=_feature_views(served.catalog), filters=_filter_views(columns))


def _feature_views(catalog: Catalog) -> list[schema.AttributeView]:
    if not catalog.features:
        return []
    low, high, spread = catalog.feature_ranges
    return [
        schema.AttributeView(name=name, low=float(low[column]), high=float(high[column]), spread=float(spread[column]))
        for column, name in enumerate(catalog.features)
    ]


def _filter_views(columns: Iterable[FilterColumn]) -> list[schema.FilterOption]:
    """Of each column the bounds, or the values with the most frequent first."""
    views = []
    for column in columns:
        if isinstance(column, NumberColumn):
            known = column.values[~column.values.isnan()]
            bounds = {"minimum": float(known.min()), "maximum": float(known.max())}
            unit = column.unit or None
            views.append(schema.FilterOption(attribute=column.name, kind="number", values=[], unit=unit, **bounds))
        else:
            counts = sorted(
                ((value, len(rows)) for value, rows in column.rows.items()), key=lambda pair: (-pair[1], pair[0])
            )
            values = [schema.FilterValue(value=value, items=count) for value, count in counts]
            kind = "tags" if column.several else "category"
            views.append(schema.FilterOption(attribute=column.name, kind=kind, values=values))
    return views
