"""What imports alone cannot say about the layers."""

import ast
from pathlib import Path

import rather

SOURCE = Path(rather.__file__).parent

# Retrieval searches all items, storage holds them, and the contract suites check retrievers by brute force.
MAY_TOUCH_ALL_ITEMS = ("retrieval", "model", "formats", "testing.py")


def whole_catalogue_accesses(code: str) -> list[int]:
    """Lines that read all items or norms of something called a catalogue."""
    names = {"items", "tensor", "norms"}
    return [
        node.lineno
        for node in ast.walk(ast.parse(code))
        if isinstance(node, ast.Attribute) and node.attr in names and _is_catalog(node.value)
    ]


def _is_catalog(node: ast.expr) -> bool:
    name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
    return name.strip("_").endswith(("catalog", "storage"))


def test_the_check_sees_what_it_is_for():
    lines = ["catalog.items", "self._catalog.items[3]", "catalog.storage.norms", "vectors.items", "catalog.vectors(3)"]
    assert sorted(whole_catalogue_accesses("\n".join(lines))) == [1, 2, 3]


def test_only_retrieval_and_storage_touch_all_items():
    found = {
        str(path.relative_to(SOURCE)): lines
        for path in sorted(SOURCE.rglob("*.py"))
        if path.relative_to(SOURCE).parts[0] not in MAY_TOUCH_ALL_ITEMS
        and (lines := whole_catalogue_accesses(path.read_text(encoding="utf-8")))
    }
    assert not found, f"take vectors by row (catalog.vectors): {found}"
