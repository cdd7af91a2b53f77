"""Headers and cells that are longer than anybody writes by hand."""

import pytest

import rather
from rather.errors import InvalidInputError


@pytest.mark.parametrize(
    "header", [",".join(f"column number {number} of many" for number in range(12_000)), "a" * 300_000 + ",b"]
)
def test_a_header_that_is_too_long_is_called_that(tmp_path, header):
    path = tmp_path / "wide.csv"
    row = ",".join("1" for _ in header.split(","))
    path.write_text(f"{header}\n{row}\n{row}\n")
    with pytest.raises(InvalidInputError, match=r"The header of .* is too long"):
        rather.open(path)


def test_a_very_long_cell_is_no_reason_to_reject_a_table(tmp_path):
    path = tmp_path / "things.csv"
    path.write_text(f"name,price\n{'x' * 2_000_000},2\nb,4\nc,1\n")
    catalog, _ = rather.open(path)
    assert len(catalog) == 3
