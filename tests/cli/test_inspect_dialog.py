"""`rather inspect` as a place to fix things: the dialog about doubtful columns, and the questions for the owner."""

import json
import sys
from io import StringIO

from rather.cli.inspect_dialog import decided, doubt, usual_phrase
from rather.formats.tables import ColumnKind, Role
from rather.formats.tables.inspection import inspect_table

LAMPS = {
    "name": [f"Lamp {number}" for number in range(12)],
    "price": ["€20", "€35", "€20", "on request", "€35", "€50", "€80", "€80", "€90", "€95", "€99", "€15"],
    "gears": ["3", "7", "3", "7", "hub", "3", "7", "hub", "3", "7", "hub", "hub"],
    "colour": ["red", "blue", "green"] * 4,
    "stock": ["3", "0", "sold out", "5+", "yes", "in stock", "yes", "12 pcs", "3", "3", "3", "3"],
}
CSV = "\n".join([",".join(LAMPS), *(",".join(row) for row in zip(*LAMPS.values(), strict=True))])


class Owner:
    """Answers prompts in turn, and takes the default when an answer is empty."""

    def __init__(self, *answers):
        self.answers, self.asked, self.told = list(answers), [], []

    def prompt(self, text, default):
        self.asked.append((text.strip(), default))
        return (self.answers.pop(0) if self.answers else "") or default


def dialog(*answers):
    owner = Owner(*answers)
    return decided(inspect_table(LAMPS), owner.prompt, owner.told.append), owner


def test_only_doubtful_columns_are_asked_about():
    inspected = inspect_table(LAMPS)
    assert [column.name for column in inspected.columns if doubt(column)] == ["price", "gears", "stock"]
    assert doubt(inspected.column("stock")) == (
        "It seems to say what is in stock. 2 of 12 rows are out of stock and left out."
    )
    assert doubt(inspected.column("price")) == "1 value is not a number and counts as missing: 'on request'"
    assert doubt(inspected.column("gears")) == "60% of its values are numbers, the others are not."


def test_the_guess_is_the_default_everywhere():
    settings, owner = dialog()
    assert [default for _, default in owner.asked] == [
        *("item",),
        *("price", "price", "that costs {value}"),
        *("category", "gears", "whose gears are {value}"),
        *("stock", "stock"),
    ]
    again, before = inspect_table(LAMPS, settings), inspect_table(LAMPS)
    assert [(column.kind, column.role) for column in again.columns] == [
        (column.kind, column.role) for column in before.columns
    ]


def test_what_the_owner_says_becomes_the_settings():
    settings, owner = dialog("lamp", "", "cost", "for {value}", "ignore", "category", "")
    assert settings.name == "lamp"
    assert (settings.column("price").name, settings.column("price").phrase) == ("cost", "for {value}")
    assert settings.column("gears").role is Role.IGNORE
    assert settings.column("stock").kind is ColumnKind.CATEGORY
    assert len(inspect_table(LAMPS, settings)) == 12
    assert any("a lamp …" in text for text, _ in owner.asked)


def test_a_wrong_answer_is_asked_again():
    settings, owner = dialog("", "prise", "price", "", "for the price", "for {value}")
    assert settings.column("price").phrase == "for {value}"
    assert [line for line in owner.told if "Please" in line] == [
        f"  Please type one of these: {', '.join(kind.value for kind in ColumnKind)} or ignore.",
        "  Please write {value} once where the value belongs.",
    ]


def test_phrases_are_shown_with_a_place_for_the_value():
    inspected = inspect_table(LAMPS)
    assert usual_phrase(inspected.column("colour")) == "that is {value}"
    assert usual_phrase(inspected.column("name")) == ""


def test_at_a_terminal_the_dialog_writes_the_settings(rather, tmp_path, monkeypatch):
    path = tmp_path / "lamps.csv"
    path.write_text(CSV, encoding="utf-8")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    rather("inspect", path, stdin="\n\nfor {value}\nignore\n\n\n", terminal=True)
    text = path.with_suffix(".toml").read_text(encoding="utf-8")
    assert 'phrase = "for {value}"' in text
    assert '[columns."gears"]\nrole = "ignore"' in text


def test_yes_json_and_no_terminal_ask_nothing(rather, tmp_path, monkeypatch):
    path = tmp_path / "lamps.csv"
    path.write_text(CSV, encoding="utf-8")
    plain = rather("inspect", path).out
    written = path.with_suffix(".toml").read_text(encoding="utf-8")
    assert "Kind (" not in plain
    for arguments in (("--yes",), ("--json",)):
        path.with_suffix(".toml").unlink()
        monkeypatch.setattr(sys, "stdin", StringIO())
        rather("inspect", path, *arguments, terminal=True)
        assert path.with_suffix(".toml").read_text(encoding="utf-8") == written


def test_questions_are_printed_with_the_reasons(rather, tmp_path):
    path = tmp_path / "lamps.csv"
    path.write_text(CSV, encoding="utf-8")
    report = json.loads(rather("inspect", path, "--questions", "--json").out)
    questions = [question for each in report["conversations"] for question in each["questions"]]
    assert {question["kind"] for question in questions} == {"items", "attributes"}
    assert all(question["text"].startswith("Would you rather have ") for question in questions)
    assert all(len(each["recommendations"]) == 3 for each in report["conversations"])
    assert any(item["reasons"] for each in report["conversations"] for item in each["recommendations"])
    assert not path.with_suffix(".toml").exists()
    printed = rather("inspect", path, "--questions", columns=200).out
    assert all(question["text"] in printed for question in questions)


def test_questions_are_printed_in_the_language_of_the_customers(rather, tmp_path):
    path = tmp_path / "flats.csv"
    rows = [f"F{number},{60 + number} €,{('ja', 'nein')[number % 2]}\n" for number in range(20)]
    path.write_text("name,Preis,Sauna\n" + "".join(rows), encoding="utf-8")
    report = json.loads(rather("inspect", path, "--questions", "--language", "de", "--json").out)
    questions = [question["text"] for each in report["conversations"] for question in each["questions"]]
    assert questions
    assert all(question.startswith(("Was wäre dir lieber, ", "Was würdest du lieber ")) for question in questions)
    assert "use it with --questions" in rather("inspect", path, "--language", "de", expect=2).err
