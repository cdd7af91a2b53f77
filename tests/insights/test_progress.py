"""Counts of conversations."""

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
    assert found.left_at == {1: 1, 3: 1}


def test_groups_add_up_to_all():
    found = progress(COURSES)
    assert list(found.by_day) == ["2026-03-02", "2026-03-03"]
    for groups in (found.by_day, found.by_campaign, found.by_arm):
        assert sum(each.began for each in groups.values()) == 4
    assert found.by_campaign["spring"].answered == 1
    assert found.by_arm["b"].finished == 1


def test_without_times_and_studies_there_are_no_groups():
    found = progress([Course(None, 1, False)])
    assert (found.by_day, found.by_campaign, found.by_arm, found.total.seconds) == ({}, {}, {}, None)
