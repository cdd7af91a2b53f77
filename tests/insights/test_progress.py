"""Counts of conversations."""

import tracemalloc
from datetime import datetime

from rather.insights.progress import Course, Durations, progress

MONDAY, TUESDAY = datetime(2026, 3, 2, 9), datetime(2026, 3, 3, 9)
COURSES = [
    Course(MONDAY, 0, False, None, "spring", "a"),
    Course(MONDAY, 2, False, 60.0, "spring", "b"),
    Course(TUESDAY, 5, True, 100.0, "", "a"),
    Course(TUESDAY, 5, True, 140.0, "", "b"),
]


def test_what_is_counted():
    found = progress(COURSES)
    assert (found.total.began, found.total.answered, found.total.finished, found.total.answers) == (4, 3, 2, 4.0)
    assert found.total.seconds == Durations(100.0, 80.0, 120.0)
    # Question 1 was seen by all four, of whom one left; 2 and 3 by three, of whom one left at 3; 4 and 5 by two.
    assert [(each.number, each.asked, each.left) for each in found.total.steps] == [
        (1, 4, 1),
        (2, 3, 0),
        (3, 3, 1),
        (4, 2, 0),
        (5, 2, 0),
    ]


def test_groups_add_up_to_all():
    found = progress(COURSES)
    assert list(found.by_day) == ["2026-03-02", "2026-03-03"]
    for groups in (found.by_day, found.by_campaign, found.by_arm):
        assert sum(each.began for each in groups.values()) == 4
    assert found.by_campaign["spring"].answered == 1
    assert found.by_arm["b"].finished == 1
    for number in range(1, 6):
        asked = [step.asked for each in found.by_arm.values() for step in each.steps if step.number == number]
        assert sum(asked) == found.total.steps[number - 1].asked


def test_the_question_that_most_people_left_at():
    assert progress(COURSES).total.most_left_at.number == 1
    assert progress(COURSES[2:]).total.most_left_at is None


def test_without_times_and_studies_there_are_no_groups():
    found = progress([Course(None, 1, False)])
    assert (found.by_day, found.by_campaign, found.by_arm, found.total.seconds) == ({}, {}, {}, None)


def test_made_up_campaigns_take_no_memory_and_hide_no_real_one():
    made_up = (Course(None, 1, False, None, f"made up {number}" if number % 2 else "real") for number in range(60_000))
    tracemalloc.start()
    found = progress(made_up)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert next(iter(found.by_campaign)) == "real"
    assert found.by_campaign["real"].began == found.total.began / 2
    assert peak < 20e6  # all 30,000 would take 26 MB
