"""Which questions decided: only those that could."""

from rather import Policy, Session, Task
from rather.insights.deciding import effects
from worlds import world


def test_a_hold_out_neither_decided_nor_hides_what_the_others_did():
    here = world(n=30, m=40)
    session = Session(Policy(here.catalog, here.belief, tasks=[Task(2, (3, 7), holdout=True)]))
    for _ in range(3):
        session.tell(session.ask(), 0)
    found = effects(session)
    assert [effect.number for effect in found] == [1, 3]
    assert found[1].before == found[0].after
