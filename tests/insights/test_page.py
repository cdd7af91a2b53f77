"""The page loads and runs nothing, whatever the texts of a table are; CSV holds no formula."""

import csv
import io
import json
import re
from xml.etree import ElementTree

import pytest
import torch
from insight_worlds import EFFECTS, cars, sampled, utility

from rather.insights.deciding import Deciding, DecidingStep
from rather.insights.estimates import Estimate
from rather.insights.figures import figures, write_svg
from rather.insights.page import page
from rather.insights.page_text import deciding_text
from rather.insights.plots import bars, curve, signed
from rather.insights.progress import Course, progress
from rather.insights.report import Insights, Wishes, as_data, wants_of
from rather.insights.tables import Table, csv_text, people_tables, tables, write_csv

DRAWN = ("text", "rect", "line", "circle", "polygon", "polyline")
EVIL = "<script>alert(1)</script>"
TABLE = f"""\
id,name,price,drive,electric
a,{EVIL},10000,"<img src=x onerror=alert(1)>",no
b,=HYPERLINK(1),20000,AWD,yes
c,Cat,30000,"<img src=x onerror=alert(1)>",yes
d,Dog,40000,AWD,no
e,Elk,10000,AWD,no
f,Fox,40000,AWD,yes
"""


def report(tmp_path):
    catalog, belief = cars(tmp_path, TABLE)
    generator = torch.Generator().manual_seed(0)
    vector = utility(catalog, {"electric": {"yes": 1.0}}, -1e-4)
    draws = vector + torch.randn(40, 6, catalog.dimensions, generator=generator)
    names = [f"=cmd|{number}" for number in range(40)]
    wishes = Wishes(items=("a", "b"), what_if=("a: price=20000",))
    wants = wants_of(sampled(draws, names), catalog, belief, wishes, effects=EFFECTS, answering=100)
    courses = [Course(None, 2, False, campaign=EVIL), Course(None, 5, True)]
    return Insights(f"cars {EVIL}", "car", "2026-03-02 09:00", progress(courses), wants)


def test_texts_are_escaped(tmp_path):
    text = page(report(tmp_path))
    assert "<script" not in text
    assert "<img" not in text
    assert "<i>this</i>" not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text


def test_nothing_is_loaded(tmp_path):
    text = page(report(tmp_path))
    assert "default-src 'none'" in text
    addresses = set(re.findall(r"https?://[^\"' <]+", text))
    assert addresses <= {"http://www.w3.org/2000/svg"}  # the name of a vocabulary, not an address
    assert not re.search(r"\s(src|href|on\w+)=", re.sub(r"&lt;.*?&gt;", "", text))


def test_a_sample_is_said_to_be_one(tmp_path):
    assert "estimated from 40 conversations, a random sample of 100" in page(report(tmp_path))


def test_csv_holds_no_formula(tmp_path):
    for path in write_csv(report(tmp_path), tmp_path / "csv"):
        for row in csv.reader(io.StringIO(path.read_text(encoding="utf-8-sig"))):
            for cell in row:
                assert not cell.startswith(("=", "@", "+")), (path, cell)
                assert not cell.startswith("-") or float(cell) < 0


def test_numbers_stay_numbers_in_csv():
    assert csv_text(Table("t", ("a", "b"), ((-1.5, "-x"),))) == "a,b\r\n-1.5,'-x\r\n"


@pytest.mark.parametrize("end", ["\r", "\n", "\r\n"])
def test_a_line_break_in_a_text_begins_no_row_of_a_csv(end):
    text = csv_text(Table("t", ("label",), ((f"Golf{end}=1+1",),)))
    assert list(csv.reader(io.StringIO(text, newline=""))) == [["label"], [f"Golf{end}=1+1"]]


def test_json_is_plain_and_leaves_respondents_out_on_demand(tmp_path):
    found = report(tmp_path)
    assert len(json.loads(json.dumps(as_data(found)))["wants"]["people"]) == 40
    assert "=cmd" not in json.dumps(as_data(found, people=False))


def test_every_plot_stands_beside_a_table(tmp_path):
    found = report(tmp_path)
    text = page(found)
    known = {table.name for table in tables(found)}
    drawn = figures(found)
    assert {"importances", "part_worths", "shares", "what_if", "winners", "map", "questions_by_number"} <= known
    assert {figure.table for figure in drawn} <= known
    assert all(figure.svg in text for figure in drawn)


def test_plots_as_files_are_well_formed_and_load_nothing(tmp_path):
    written = write_svg(report(tmp_path), tmp_path / "plots")
    assert len(written) == len({path.name for path in written}) == len(figures(report(tmp_path)))
    for path in written:
        root = ElementTree.parse(path).getroot()
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        assert {each.tag.split("}")[1] for each in root.iter()} <= {"svg", *DRAWN}


def numbers_of(svg, attribute, tag):
    return [float(found) for found in re.findall(rf'<{tag} [^>]*{attribute}="([\d.]+)"', svg)]


def test_plots_of_one_span_have_one_scale():
    small, large = Estimate(1.0, 1.0, 1.0), Estimate(4.0, 4.0, 4.0)
    (width,) = numbers_of(bars(["a"], [small], title="", span=(0.0, 4.0)), "width", "rect")
    (widest,) = numbers_of(bars(["a"], [large], title=""), "width", "rect")
    assert width == pytest.approx(widest / 4, abs=0.1)
    bottom, _, quarter = numbers_of(
        curve((0, 1, 2), "abc", [Estimate(0, 0, 0), small, small], title="", span=(0, 4)), "cy", "circle"
    )
    _, _, top = numbers_of(curve((0, 1, 2), "abc", [Estimate(0, 0, 0), small, large], title=""), "cy", "circle")
    assert bottom - quarter == pytest.approx((bottom - top) / 4, abs=0.1)


def test_every_part_worth_is_drawn_on_the_scale_of_all(tmp_path):
    found = report(tmp_path)
    ends = [end for column in found.wants.part_worths for each in column.worths for end in (0.0, each.low, each.high)]
    drawn = {figure.name.split("_", 3)[3]: figure.svg for figure in figures(found) if figure.table == "part_worths"}
    drive = next(column for column in found.wants.part_worths if column.column == "drive")
    pairs = sorted(zip(drive.values, drive.worths, strict=True), key=lambda pair: -pair[1].value)
    labels, worths = zip(*pairs, strict=True)
    assert drawn["drive"] == bars(labels, worths, title="What drive is worth", span=(min(ends), max(ends)))


@pytest.mark.parametrize(("numbers", "said"), [((1, 2, 4), True), ((1, 2, 3), False)])
def test_hold_outs_that_are_left_out_are_mentioned(numbers, said):
    steps = tuple(DecidingStep(number, 10, 0.5, 0.1) for number in numbers)
    assert ("Hold-outs are left out" in " ".join(deciding_text(Deciding(10, steps, ())))) == said


def test_headings_of_a_table_differ(tmp_path):
    for table in (*tables(report(tmp_path)), *people_tables(report(tmp_path).wants)):
        assert len(set(table.headings)) == len(table.headings), table.name


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [(0.004, 2, "0.00"), (-0.004, 2, "0.00"), (1.25, 1, "+1.2"), (-1234.5, 0, "−1,234")],
)
def test_signed_numbers(value, digits, text):
    assert signed(value, digits) == text
