"""What is wrong in the file of a product space is said with its line."""

import re

import pytest

import rather
from rather.formats.tables import encode_table

DESK = """\
[space]
name = "desk"
verb = "work at"
rules = [
    "width > 160 implies frame != 'crank'",
    "price <= 1500",
]

[options.top]
values = { laminate = {}, bamboo = { price = 80 }, oak = { price = 260 } }

[options.frame]
values = { fixed = {}, crank = { price = 150 }, electric = { price = 280 } }

[ranges.width]
from = 120
to = 200
step = 20
unit = "cm"
adds = { price = 2 }

[extras.drawer]
adds = { price = 70 }

[extras.lamp]
adds = { price = 40 }

[totals.price]
base = 150
unit = "EUR"
direction = "less"
"""
VALUES = "values = { laminate = {}, bamboo = { price = 80 }, oak = { price = 260 } }"
ONE = '[space]\nname = "x"\n[options.a]\nrole = "show"\nvalues = ["p", "q"]\n'

# A whole number that no float can hold.
HUGE = f"1{'0' * 400}"

# What is written in place of what, and the message.
WRONG = {
    "section": ("[options.top]", "[option.top]", "line 9: unknown section 'option'; did you mean 'options'?"),
    "no name": ('name = "desk"\n', "", "line 1: `name` must say what one configuration is called, .*; it is missing"),
    "key": ("verb =", "verbb =", "line 3: unknown setting 'verbb'; did you mean 'verb'?"),
    "verb": ('"work at"', "5", "line 3: `verb` must be a text, got 5"),
    "label": ('verb = "work at"', "label = 5", "line 3: `label` must be a text"),
    "label's column": (
        'verb = "work at"',
        'label = "{tops}"',
        "line 3: there is no column 'tops'; did you mean 'top'?",
    ),
    "rule's column": ("width > 160", "widht > 160", "line 5: .* there is no column 'widht'; did you mean 'width'?"),
    "rule's value": ("!= 'crank'", "!= 'cranck'", "line 5: .* 'frame' is never 'cranck'; did you mean 'crank'?"),
    "rule's syntax": ('"price <= 1500"', '"(price <= 1500"', "line 6: a rule cannot be understood at character 15"),
    "rule without its total": ('"price <= 1500"', '"weight <= 15"', "line 6: .* there is no column 'weight'"),
    "number for a rule": ('"price <= 1500"', "1500", "line 6: a rule must be a text"),
    "nested rule": ('"price <= 1500"', f'"{"(" * 900}lamp{")" * 900}"', "line 6: .* nested more than 50 deep"),
    "no values": (VALUES, 'unit = "x"', "line 9: the option 'top' needs `values`, .*; it has `unit`"),
    "one value": (VALUES, 'values = ["oak"]', "line 9: 'top' must have at least 2 values"),
    "a list as a value": (
        VALUES,
        'values = [["oak"], "ash"]',
        r"line 9: a value .* must be a text or a number, got \[",
    ),
    "yes and no": (VALUES, "values = [true, false]", "line 9: the option 'top' must be an extra"),
    "alike": (VALUES, 'values = ["oak", "Oak"]', "line 9: 'top' must have distinct values"),
    "price alone": ("oak = { price = 260 }", "oak = 260", "line 9: the value 'oak' .* as { price = 900 }, got 260"),
    "text for a price": ("{ price = 260 }", "{ price = '260 EUR' }", "line 9: .* must be a number, got '260 EUR'"),
    "no such total": ("{ price = 260 }", "{ prize = 260 }", "line 9: there is no total 'prize'; did you mean 'price'?"),
    "endless price": ("{ price = 260 }", "{ price = inf }", "line 9: .* must be a number, got inf"),
    "long price": ("{ price = 260 }", "{ price = 1e300 }", "line 28: 'price' must come to at most 15 digits"),
    "picture": ("{ price = 260 }", "{ image = 'javascript:x' }", "line 9: `image` of the value 'oak' .* https://"),
    "adds a text": ("adds = { price = 2 }", "adds = { price = 'a' }", "line 15: .* must be a number, got 'a'"),
    "adds a list": ("adds = { price = 70 }", "adds = [70]", "line 23: `adds` of 'drawer' must be such as"),
    "no step": ("step = 20\n", "", "line 15: the range 'width' needs .* `step` is missing"),
    "no way": ("step = 20", "step = 0", "line 15: the range 'width' must go from a lower to a higher number"),
    "far too many": ("step = 20", "step = 1e-9", "line 15: .* at most 10,000 values, got 80.0 billion"),
    "an end beside the steps": (
        "to = 200",
        "to = 190",
        "line 15: the range 'width' must end on one of its steps. 190 is not reached from 120 in steps of 20, which "
        "end at 180: write 180 or 200.",
    ),
    "a step past the end": ("to = 200", "to = 130", "line 15: .* 130 is not reached .* in steps of 20: write 140."),
    "a step of tenths": (
        "step = 20",
        "step = 0.3",
        "line 15: .* 200 is not .* which end at 199.8: write 199.8 or 200.1",
    ),
    "date": ("to = 200", "to = 2020-01-01", "line 15: `high` of the range 'width' must be a number"),
    "another name of an end": ('unit = "cm"', "low = 1", "line 19: unknown setting of 'width': 'low'; it is `from`"),
    "no float": ("to = 200", f"to = {HUGE}", "line 15: `high` of the range 'width' must be a number"),
    "a price that is no float": ("price = 260", f"price = {HUGE}", "line 9: .* must be a number"),
    "a base that is no float": (
        "base = 150",
        f"base = {HUGE}",
        "line 28: `base` of the total 'price' must be a number",
    ),
    "counts": ('"less"', '"less"\n[totals.n]\ncounts = [["lamp"]]', "line 32: there is no extra .'lamp'."),
    "setting": ('unit = "cm"', 'unitt = "cm"', "line 19: unknown setting of 'width': 'unitt'; did you mean 'unit'?"),
    "kind": ('unit = "cm"', 'kind = "category"', "line 19: unknown setting of 'width': 'kind'"),
    "unit": ('unit = "cm"', "unit = 5", "line 19: `unit` must be a text, got 5"),
    "unit of a total": ('unit = "EUR"', "unit = ['EUR']", r"line 30: `unit` must be a text, got \['EUR'\]"),
    "phrase": ('unit = "cm"', 'phrase = "wide"', "line 19: `phrase` must hold {value} once"),
    "direction": ('"less"', '"lower"', "line 31: `direction` must be one of more, less, depends, got 'lower'"),
    "base": ("base = 150", "base = '150'", "line 28: `base` of the total 'price' must be a number, got '150'"),
    "pairs": ('verb = "work at"', 'interactions = ["top", "frame"]', "line 3: `interactions` must be pairs"),
    "itself": (
        'verb = "work at"',
        'interactions = [["top", "top"]]',
        "line 3: `interactions` must be pairs of columns",
    ),
    "no such extra": (
        "[totals.price]",
        '[totals.all]\ncounts = ["shelf"]\n[totals.price]',
        "line 28: there is no extra 'shelf'. There are: drawer, lamp",
    ),
    "twice": ("[extras.lamp]", "[extras.width]", "line 15: two columns are called 'width'"),
    "backtick": ("[extras.lamp]", '[extras."la`mp"]', "line 25: a column must have a name without backticks"),
    "one left": ('"price <= 1500"', '"price <= 390"', "line 4: its rules leave a single configuration, so"),
    "impossible rule": ('"price <= 1500"', '"price <= 15"', "line 6: no configuration satisfies the rule"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_said_with_its_line(name, tmp_path):
    old, new, message = WRONG[name]
    assert DESK.count(old) == 1
    path = tmp_path / "desk.toml"
    path.write_text(DESK.replace(old, new), encoding="utf-8")
    with pytest.raises(rather.RatherError, match=re.sub(r"(?<!\\)([{])", r"\\\1", f"^desk.toml, {message}")):
        rather.open(path)


WHOLE = {
    "": "w.toml: it has no section .space., so it is no product space",
    f"space = {'9' * 5_000}": "w.toml is not valid TOML",
    "a,b\n1,2\n": "w.toml is not valid TOML: .*line 1",
    '[table]\nname = "car"\n[columns.price]\n': "w.toml: .* It holds the settings of a table: open the table",
    "space = 5": "w.toml, line 1: `space` must be a section, got 5",
    '[space]\nname = "x"\n[[options]]\n': "w.toml: `options` must be a section",
    '[space]\nname = "x"\n': "w.toml: a product space needs at least one option, range or extra",
    ONE: r"w.toml: it has no column to learn from: set role = \"use\" for at least one",
}


@pytest.mark.parametrize("text", WHOLE)
def test_what_is_no_product_space_is_rejected(text, tmp_path):
    path = tmp_path / "w.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(rather.RatherError, match=WHOLE[text]):
        rather.open(path)


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16"])
def test_other_encodings_are_rejected(encoding, tmp_path):
    path = tmp_path / "w.toml"
    path.write_bytes(DESK.replace("lamp", "lämp").encode(encoding))
    with pytest.raises(rather.RatherError, match=r"w.toml is not UTF-8"):
        rather.open(path)


def test_a_byte_order_mark_is_no_mistake(tmp_path):
    path = tmp_path / "w.toml"
    path.write_text(DESK, encoding="utf-8-sig")
    assert len(rather.open(path).catalog) == 156


@pytest.mark.parametrize(
    ("low", "high", "step", "ends"),
    [
        (50, 61, 2, ", which end at 60: write 60 or 62."),
        (50, 51, 2, ": write 52."),
        (-1, 0.2, 0.5, ", which end at 0: write 0 or 0.5."),
        (0, 1, 0.3333, ", which end at 0.9999: write 0.9999 or 1.3332."),
    ],
)
def test_a_range_from_python_ends_on_one_of_its_steps(low, high, step, ends):
    with pytest.raises(rather.RatherError) as error:
        rather.NumberRange("size", low, high, step=step)
    assert str(error.value) == (
        f"The range 'size' must end on one of its steps. {high} is not reached from {low} in steps of {step}{ends}"
    )


@pytest.mark.parametrize(
    ("low", "high", "step", "count"),
    [(0.5, 2.3, 0.1, 19), (0.1, 0.1 * 3, 0.1, 3), (0, 0.7 + 0.1, 0.1, 9), (0, 1, 1 / 3, 4), (-7, 3, 2.5, 5)],
)
def test_a_range_in_parts_of_a_unit_ends_where_it_says(low, high, step, count):
    values = rather.NumberRange("size", low, high, step=step).values
    assert len(values) == count
    assert values[-1] == pytest.approx(high, abs=1e-9)


def test_rules_that_clash_are_listed_with_their_lines(tmp_path):
    path = tmp_path / "w.toml"
    path.write_text(
        DESK.replace(
            '"price <= 1500",', '"price <= 500",\n"lamp or drawer", "width >= 180",\n"frame == \'electric\'",'
        ),
        encoding="utf-8",
    )
    with pytest.raises(rather.RatherError) as error:
        rather.open(path)
    assert str(error.value) == (
        "w.toml, line 6: no configuration satisfies these 2 rules together:\n"
        "  line 6: price <= 500\n"
        "  line 8: frame == 'electric'"
    )


def test_a_space_where_a_table_or_its_settings_are_meant_is_said_to_be_one(tmp_path):
    (tmp_path / "desk.toml").write_text(DESK, encoding="utf-8")
    (tmp_path / "desk.csv").write_text("name,price\na,1\nb,2\n", encoding="utf-8")
    with pytest.raises(rather.RatherError, match=r"desk.toml, line 1: it describes a product space and no table"):
        rather.open(tmp_path / "desk.csv")
    with pytest.raises(rather.RatherError, match=r"This needs a table; desk.toml is a product space"):
        encode_table(tmp_path / "desk.toml")


def test_thousands_of_amounts_make_no_other_column_longer(tmp_path):
    """Each is a row of a table of values; options are not padded to as many."""
    from rather.formats.spaces.space_files import parse_space
    from rather.formats.spaces.valid import ValidConfigurations

    options = "".join(f"[options.a{i}]\nvalues = {{ p = {{ price = {2**i} }}, q = {{}} }}\n" for i in range(14))
    valid = ValidConfigurations(parse_space(f'[space]\nname = "x"\n{options}[totals.price]\n', "x.toml"))
    lengths = [len(column.present) for column in valid.values]
    assert lengths == [2] * 14 + [2**14]
