import pytest

import rather
from rather.errors import InvalidInputError
from rather.formats.spaces.space_files import parse_space

GOOD = """\
[space]
name = "bike"
rules = ["frame == 'carbon' implies size <= 58", "price <= 1200"]
interactions = [["frame", "size"]]

[options.frame]
values = { steel = { price = 0 }, carbon = { price = 900 } }

[ranges.size]
from = 48
to = 62
step = 2
unit = "cm"

[extras.lights]
adds = { price = 60 }

[totals.price]
base = 200
unit = "EUR"
direction = "less"
"""


def test_a_space_in_a_file_is_the_space_that_is_built(tmp_path):
    path = tmp_path / "bike.toml"
    path.write_text(GOOD)
    built = rather.ProductSpace(
        "bike",
        [
            rather.Option("frame", {"steel": {"price": 0}, "carbon": {"price": 900}}),
            rather.NumberRange("size", 48, 62, step=2, unit="cm"),
            rather.Extra("lights", adds={"price": 60}),
        ],
        [rather.Total("price", base=200, unit="EUR", direction="less")],
        ["frame == 'carbon' implies size <= 58", "price <= 1200"],
        [("frame", "size")],
    )
    own, expected = rather.open(path)[0], rather.open(built)[0]
    assert own.content_hash == expected.content_hash
    assert list(own.ids) == list(expected.ids)
    assert own.facts_of(5) == expected.facts_of(5)


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("[options.frame]", "[option.frame]", 6, "unknown section 'option'; did you mean 'options'"),
        ('name = "bike"', 'nam = "bike"', 2, "unknown setting 'nam'; did you mean 'name'"),
        ('name = "bike"', "name = 5", 2, 'is called, such as "bicycle", got 5'),
        ("price <= 1200", "prize <= 1200", 3, "'prize'"),
        ("frame == 'carbon'", "frame == 'carbn'", 3, "did you mean 'carbon'"),
        ('[["frame", "size"]]', '[["frame", "siz"]]', 4, "there is no column 'siz'; did you mean 'size'"),
        ('[["frame", "size"]]', '[["frame"]]', 4, "`interactions` must be pairs of columns"),
        ("price = 900", "prize = 900", 6, "there is no total 'prize'; did you mean 'price'"),
        ("price = 900", 'price = "dear"', 6, "what 'frame' adds to 'price' must be a number, got 'dear'"),
        ("steel = { price = 0 }", "steel = 5", 6, "must say what it adds as { price = 900 }, got 5"),
        ("values = {", "vals = {", 6, "the option 'frame' needs `values`"),
        ("step = 2", "step = 0", 9, "must go from a lower to a higher number in steps above 0"),
        ("step = 2\n", "", 9, "`step` is missing"),
        ("step = 2", "step = 0.001", 9, "must have at most 10,000 values, got 14,001"),
        ('unit = "cm"', 'unti = "cm"', 9, "'unti'; did you mean 'unit'"),
        ("[extras.lights]", "[extras.size]", 9, "two columns are called 'size'"),
        ("adds = { price = 60 }", "adds = 60", 15, "`adds` of 'lights' must be such as { price = 60 }, got 60"),
        ("base = 200", 'base = "x"', 18, "`base` of the total 'price' must be a number, got 'x'"),
        (
            "[totals.price]",
            '[totals.parts]\ncounts = ["light"]\n[totals.price]',
            17,
            "there is no extra 'light'; did you mean 'lights'",
        ),
        ('direction = "less"', 'direction = "up"', None, "'up'"),
    ],
)
def test_a_mistake_is_reported_with_its_line_and_a_suggestion(old, new, line, message):
    assert GOOD.count(old) == 1
    with pytest.raises(InvalidInputError) as raised:
        rather.open(parse_space(GOOD.replace(old, new), "bike.toml"))
    text = str(raised.value)
    assert text.startswith("bike.toml")
    assert message in text
    if line is not None:
        reported = int(text.removeprefix("bike.toml, line ").split(":")[0])
        # The line itself, or the head of the section it stands in.
        assert line <= reported <= line + 4


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[space\n", "bike.toml is not valid TOML"),
        ("", "it has no section [space], so it is no product space"),
        ("[columns.a]\nrole = 'use'\n", "It holds the settings of a table: open the table beside it."),
        ("[space]\nname = 'x'\n", "needs at least one option, range or extra"),
        ("space = 5\n", "`space` must be a section, got 5"),
        ("[space]\nname = 'x'\n[options]\na = 3\n", "`a` must be a section, got 3"),
    ],
)
def test_a_file_that_is_no_space_says_why(text, message):
    with pytest.raises(InvalidInputError) as raised:
        parse_space(text, "bike.toml")
    assert message in str(raised.value)
