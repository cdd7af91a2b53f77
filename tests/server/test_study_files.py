"""A study as a TOML file: what it may say, and how a mistake is reported."""

from collections import Counter
from datetime import datetime
from urllib.parse import parse_qs, urlsplit

import pytest

from rather import Task
from rather.errors import InvalidInputError
from rather.server.studies import Arm, End, Study
from rather.server.studies.redirects import filled, validated_redirect

WHOLE = """
name = "cars-spring"
catalog = "cars"
seed = 7
opens = 2026-03-01
closes = 2026-04-01T18:00:00+02:00
quota = 200
once = true
needs_respondent = true

[questions]
minimum = 6
maximum = 12

[[arms]]
name = "adaptive"
weight = 2

[[arms]]
name = "random"
quota = 50
strategy = "random"
k = 3

[[tasks]]
question = 5
items = [12, "31"]
holdout = true

[[tasks]]
question = 3
items = ["a", "b", "c"]

[end]
text = {en = "Thank you!", de = "Danke!"}
results = false
redirect = "https://panel.example.org/done?id={respondent}&arm={arm}"
full = "We have enough."
away = "https://panel.example.org/full?id={respondent}"
"""


def read(tmp_path, text) -> Study:
    path = tmp_path / "study.toml"
    path.write_text(text, encoding="utf-8")
    return Study.from_file(path)


def test_everything_that_a_file_says_is_read(tmp_path):
    study = read(tmp_path, WHOLE)
    assert study == Study(
        name="cars-spring",
        catalog="cars",
        seed=7,
        opens=datetime(2026, 3, 1),
        closes=datetime(2026, 4, 1, 16),
        quota=200,
        once=True,
        needs_respondent=True,
        minimum=6,
        maximum=12,
        arms=(Arm("adaptive", weight=2), Arm("random", 1, 50, {"strategy": "random", "k": 3}, "own")),
        tasks=(Task(3, ("a", "b", "c")), Task(5, (12, "31"), True)),
        end=End(
            text={"en": "Thank you!", "de": "Danke!"},
            results=False,
            redirect="https://panel.example.org/done?id={respondent}&arm={arm}",
            full={"": "We have enough."},
            away="https://panel.example.org/full?id={respondent}",
        ),
    )


def test_a_name_is_enough(tmp_path):
    assert read(tmp_path, 'name = "x"') == Study("x")


def test_everybody_sees_all_tasks_even_where_no_minimum_is_given(tmp_path):
    study = read(tmp_path, 'name = "x"\n[[tasks]]\nquestion = 30\nitems = ["a", "b"]\n')
    assert (study.minimum, study.maximum) == (30, 30)


@pytest.mark.parametrize(
    ("line", "replacement", "said"),
    [
        ("quota = 200", "quota = 0", "study.toml, line 7: `quota` must be a number from 1"),
        ("quota = 200", "quotas = 200", "line 7: `quotas` is not a setting; there are name, catalog"),
        ("seed = 7", "seed = true", "line 4: `seed` must be a number"),
        ("once = true", 'once = "yes"', "line 8: `once` must be true or false, got 'yes'"),
        ("opens = 2026-03-01", 'opens = "soon"', "line 5: `opens` must be a date"),
        ("opens = 2026-03-01", "opens = 2027-03-01", "line 6: `closes` must be later than `opens`"),
        ("minimum = 6", "minimum = 4", "line 12: `questions.minimum` must be at least 5, or some people never see"),
        ("maximum = 12", "maximum = 5", "line 13: `questions.maximum` must be at least 6"),
        ("weight = 2", "weight = 0", "line 17: `arms[1].weight` must be a number from 1"),
        ('strategy = "random"', 'strategy = "best"', "line 22: `arms[2].strategy` must be one of"),
        ('name = "random"', 'name = "adaptive"', "line 20: `arms[2].name` must differ"),
        ('name = "random"', "", "line 19: `arms[2]` needs a name"),
        ("k = 3", "k = 1", "line 23: `arms[2].k` must be a number from 2"),
        ("question = 5", "question = 3", "line 31: `tasks[2].question` must differ from task to task"),
        ('items = [12, "31"]', "items = [12]", "line 27: `tasks[1].items` must list at least two"),
        ('items = [12, "31"]', "items = [12, 1.5]", "line 27: `tasks[1].items` must list the ids"),
        ("results = false", "result = false", "line 36: `end.result` is not a setting"),
        ("results = false", "results = true\nautomatic = true", "line 37: `end.automatic` leaves no time"),
        ('full = "We have enough."', "full = 5", "line 38: `end.full` must be a line"),
        ("https://panel.example.org/done", "javascript:alert(1)//", "line 37: `end.redirect` must start with https://"),
        ("{arm}", "{session}", "`end.redirect` can have {respondent}, {campaign}, {arm}, {source} filled in"),
        ('name = "cars-spring"', "", "study.toml: `name` is missing"),
        ("seed = 7", "seed = ", "study.toml is not valid TOML"),
        ("seed = 7", f"seed = {'9' * 5_000}", "study.toml is not valid TOML"),
        ("[questions]", "[question]", "`question` is not a setting"),
        ("[questions]\n", "", "`minimum` is not a setting"),
    ],
)
def test_a_mistake_is_reported_with_its_line_and_key(tmp_path, line, replacement, said):
    assert line in WHOLE
    with pytest.raises(InvalidInputError) as caught:
        read(tmp_path, WHOLE.replace(line, replacement, 1))
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there_is_reported(tmp_path):
    with pytest.raises(InvalidInputError, match="Cannot read the study"):
        Study.from_file(tmp_path / "nothing.toml")


@pytest.mark.parametrize(
    "address",
    [
        "javascript:alert(1)",
        "data:text/html,x",
        "//panel.example.org/",
        "/done",
        "ftp://panel.example.org/",
        "https://",
        "https://user@panel.example.org/",
        "https://{respondent}.example.org/",
        "https://panel.example.org/{respondent}",
        "https://panel.example.org/?id={",
        "https://panel.example.org/?id={0}",
        "https://panel.example.org/?id={respondent.x}",
        'https://panel.example.org/?id="',
        "https://panel.example.org\\@evil.example.org/",
        "https://panel.example.org:port/",
        "https://panel.example.org/\n",
        "https://päd.example.org/",
        5,
    ],
)
def test_addresses_that_could_lead_elsewhere_are_rejected(address):
    with pytest.raises(InvalidInputError, match="`redirect`"):
        validated_redirect(address, "redirect")


@pytest.mark.parametrize(
    "respondent", ["p-1", "a b&c=d#e", "../..", "https://evil.example.org/", "ä€\u4e2d", "{arm}", "%00", "x;y?z+1"]
)
def test_what_is_filled_in_arrives_as_it_is_and_changes_no_site(respondent):
    template = validated_redirect("https://panel.example.org/done?id={respondent}&arm={arm}&x={source}", "redirect")
    address = filled(template, {"respondent": respondent, "arm": "b"})
    parts = urlsplit(address)
    assert (parts.scheme, parts.netloc, parts.path) == ("https", "panel.example.org", "/done")
    assert parse_qs(parts.query, keep_blank_values=True) == {"id": [respondent], "arm": ["b"], "x": [""]}


def test_arms_are_balanced_in_every_block_and_follow_from_the_seed():
    study = Study("x", seed=3, arms=(Arm("a", 2), Arm("b"), Arm("c")))
    drawn = [study.arms_for(ticket)[0].name for ticket in range(400)]
    for start in range(0, 400, 4):
        assert Counter(drawn[start : start + 4]) == {"a": 2, "b": 1, "c": 1}
    assert len({tuple(drawn[start : start + 4]) for start in range(0, 400, 4)}) == 12  # all orders occur
    assert drawn == [study.arms_for(ticket)[0].name for ticket in range(400)]
    other = Study("x", seed=4, arms=study.arms)
    assert drawn != [other.arms_for(ticket)[0].name for ticket in range(400)]


def test_every_arm_comes_up_once_for_whoever_finds_the_first_ones_full():
    study = Study("x", arms=(Arm("a", 2), Arm("b"), Arm("c")))
    for ticket in range(12):
        assert sorted(arm.name for arm in study.arms_for(ticket)) == ["a", "b", "c"]


def test_seeds_are_shared_or_everybodys_own():
    study = Study("x", seed=5, arms=(Arm("a"), Arm("b", seeds="own")))
    assert {study.seed_for(study.arms[0], ticket) for ticket in range(50)} == {5}
    assert len({study.seed_for(study.arms[1], ticket) for ticket in range(50)}) == 50
