"""Catalogues and filters that leave too little to ask about: the message says so, and what to do."""

import pytest


@pytest.fixture
def table(tmp_path):
    def write(name, text):
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return write


@pytest.mark.parametrize(("bound", "left"), [(5, "1 satisfies"), (500, "none satisfies")])
def test_a_filter_that_leaves_too_few(rather, table, bound, left):
    path = table("countries.csv", "name,population\nPeru,3\nChile,2\nCuba,9\n")
    err = rather("ask", path, "--json", "--where", f"population > {bound}", expect=2).err
    assert f"Of 3 countries, {left} 'population > {bound}', but a question needs 2. Loosen the expression." in err


def test_a_table_of_one_row(rather, table):
    assert "has only one row" in rather("ask", table("t.csv", "name,price\na,1\n"), "--json", expect=2).err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--k", "7"), "A question compares at least 2 options, but 1 attribute can be combined in only one way here"),
        (("--p", "3"), "`p` must be 1 (the columns that attributes are about), got 3."),
    ],
)
def test_a_table_with_one_attribute(rather, table, options, message):
    path = table("flags.csv", "name,flag\nPeru,yes\nChile,no\nCuba,yes\n")
    assert message in rather("ask", path, "--json", "--ask", "attributes", *options, expect=2).err


def test_more_options_than_items_say_how_many_there_are(rather, table):
    path = table("t.csv", "name,price\na,1\nb,2\nc,5\n")
    assert (
        "`k` must be 2..3 (the items that may be asked about), got 7."
        in rather("ask", path, "--json", "--k", "7", expect=2).err
    )
