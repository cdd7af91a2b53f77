"""A conversation whose catalogue is no longer served is still there to read."""

import pytest
from browsing import Server, answer_on, session_id, wait_for_question


@pytest.fixture
def gone(browser, tmp_path):
    """Two servers with one database: one with a catalogue, then one without it."""
    servers = []

    def serve(name):
        for server in servers:
            server.stop()
        servers.append(Server(tmp_path, name))
        return servers[-1]

    yield serve
    for server in servers:
        server.stop()


def test_answers_are_readable_without_their_catalogue(visit, gone):
    before = gone("things")
    page = visit("/?catalog=things&seed=1", at=before.address)
    for _ in range(2):
        answer_on(page, "1")
    wait_for_question(page, 3)
    id = session_id(page)
    labels = [turn["options"][0]["label"] for turn in before.get(f"/v1/sessions/{id}/history")["turns"]]
    page.close()
    after = gone("plain")
    page = visit(f"/#/session/{id}", at=after.address)
    page.get_by_role("heading", name="Your answers are still here").wait_for()
    page.get_by_text("The catalogue things of this session is no longer served.").wait_for()
    page.get_by_text("Your answers", exact=True).click()
    assert page.locator(".answers strong").all_inner_texts() == labels
    assert page.get_by_role("button", name="Undo the last answer").count() == 0


def shop(folder, least_price):
    """Writes a table of forty bags, the cheapest at this price."""
    rows = [f"Bag {row},{least_price + 5 * row},{20 + row * 7 % 40},{('red', 'blue')[row % 2]}" for row in range(40)]
    (folder / "shop.csv").write_text("\n".join(["name,price,volume,colour", *rows]), encoding="utf-8")
    return str(folder / "shop.csv")


def test_must_haves_that_nothing_matches_any_more_can_be_loosened(visit, gone, tmp_path):
    before = gone(shop(tmp_path, 50))
    page = visit("/?seed=1", at=before.address)
    answer_on(page, "1")
    page.get_by_role("button", name="Must-haves").click()
    page.get_by_label("at most").first.fill("100")
    page.get_by_role("button", name="Apply").click()
    page.get_by_role("button", name="Must-haves 1").wait_for()
    id = session_id(page)
    page.close()
    after = gone(shop(tmp_path, 500))
    page = visit(f"/#/session/{id}", at=after.address)
    page.get_by_text("No items match: loosen a filter.").wait_for()
    page.get_by_role("button", name="Must-haves 1").click()
    page.get_by_label("at most").first.fill("600")
    page.get_by_role("button", name="Apply").click()
    wait_for_question(page, 2)
    assert after.get(f"/v1/sessions/{id}")["answers"] == 1
