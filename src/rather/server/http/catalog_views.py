"""Catalogues as the API describes them."""

from collections.abc import Iterable

from rather.conversation.display_text import DisplayText
from rather.languages import name_in
from rather.model.catalog import Catalog
from rather.model.catalog_filters import FilterColumn
from rather.model.filters import NumberColumn
from rather.server.computing.catalogs import ServedCatalog
from rather.server.http import schema
from rather.server.settings import Settings

# Attributes that a page lists; a person reads no longer list.
MOST_HINTS = 500


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
        strategies=list(served.strategies),
        largest_slate=min(settings.limits.slate, len(catalog)),
        takes_where=catalog.filters is not None,
        adjustable=catalog.configurator is not None,
    )


def attributes_view(served: ServedCatalog, display: DisplayText) -> schema.AttributesView:
    """What the items of a catalogue differ in, what they can be filtered by, and what people may say about them."""
    columns = served.filters.columns.values()
    return schema.AttributesView(
        attributes=_feature_views(served.catalog),
        filters=_filter_views(columns, display.language),
        hints=_hint_views(served.catalog, display),
    )


def _hint_views(catalog: Catalog, display: DisplayText) -> list[schema.HintOption]:
    """The attributes whose texts are shown in full: they come back in a hint."""
    return [
        schema.HintOption(
            attribute=each.text,
            text=display.text(each.said(display.language).text),
            column=each.column,
            topic=display.text(name_in(display.language, each.about)),
        )
        for each in catalog.attributes[:MOST_HINTS]
        if display.text(each.text) == each.text and display.text(each.column) == each.column
    ]


def _feature_views(catalog: Catalog) -> list[schema.AttributeView]:
    if not catalog.features:
        return []
    low, high, spread = catalog.feature_ranges
    return [
        schema.AttributeView(name=name, low=float(low[column]), high=float(high[column]), spread=float(spread[column]))
        for column, name in enumerate(catalog.features)
        if name  # a product of two columns has none
    ]


def _filter_views(columns: Iterable[FilterColumn], language: str) -> list[schema.FilterOption]:
    """Of each column the bounds, or the values with the most frequent first."""
    views = []
    for column in columns:
        about = {"attribute": column.name, "label": name_in(language, column.name)}
        if isinstance(column, NumberColumn):
            low, high = column.bounds
            unit = column.unit or None
            views.append(schema.FilterOption(**about, kind="number", values=[], unit=unit, minimum=low, maximum=high))
        else:
            values = [schema.FilterValue(value=value, items=count) for value, count in column.counts]
            kind = "tags" if column.several else "category"
            views.append(schema.FilterOption(**about, kind=kind, values=values))
    return views
