"""The operator's page: logging in, reading the report, asking what if, taking tables along."""

import csv

import pytest
from browsing import PHONE
from catalogues import ADMIN_TOKEN

FORM = "#try"


def converse(server, catalog, answers):
    session = server.post("/v1/sessions", {"catalog": catalog, "strategy": "random"})
    for number in range(answers):
        answer = {"question": session["question"]["id"], "choice": number % 2}
        session = server.post(f"/v1/sessions/{session['id']}/answers", answer)["session"]


def log_in(page, token=ADMIN_TOKEN):
    page.get_by_label("Admin token").fill(token)
    page.keyboard.press("Enter")


@pytest.fixture(scope="module")
def answered(shop):
    """The shop, after some conversations: a report is kept for a while, so they come before the first."""
    for answers in (0, 1, 2, 3):
        converse(shop, "bikes", answers)
    return shop


@pytest.fixture
def report(visit, answered):
    """The page of a shop, as soon as it is complete; it loads itself again until then."""

    def open_report(**options):
        page = visit("/admin/insights", at=answered.address, **options)
        log_in(page)
        page.locator(FORM).wait_for()
        return page

    return open_report


def test_only_the_token_opens_it(visit, answered):
    page = visit("/admin/insights", at=answered.address)
    log_in(page, "not the token")
    page.get_by_role("alert").get_by_text("This is not the admin token.").wait_for()
    log_in(page)
    page.get_by_role("heading", name="How conversations went").wait_for()
    page.get_by_role("button", name="Log out").click()
    page.get_by_label("Admin token").wait_for()


def test_what_if_is_answered_below_the_form_that_asked(report):
    page = report()
    winners = page.locator("details", has_text="best five").first
    winners.locator("summary").click()
    ids = winners.locator("tbody tr td:first-child").all_inner_texts()[:2]
    page.locator("#items").fill("\n".join(ids))
    page.locator("#what_if").fill(f"{ids[0]}: price=1")
    page.get_by_role("button", name="Show").click()
    page.locator("svg[aria-label^='What if']").wait_for()
    assert page.locator("#what_if").input_value() == f"{ids[0]}: price=1"
    assert page.locator("svg[aria-label='Which one people would choose'] text").all_text_contents().count("logit") == 1
    page.locator("#what_if").fill("nonsense")
    page.get_by_role("button", name="Show").click()
    page.get_by_role("alert").get_by_text("must read").wait_for()


def test_tables_are_taken_along_as_csv(report):
    page = report()
    details = page.locator("details", has=page.locator("a[href*='/importances.csv']"))
    details.locator("summary").click()
    with page.expect_download() as download:
        details.get_by_role("link", name="Download as CSV").click()
    assert download.value.suggested_filename == "importances.csv"
    headings, *rows = csv.reader(download.value.path().read_text(encoding="utf-8-sig").splitlines())
    assert headings[0] == "column"
    assert len(rows) > 2


def test_it_fits_on_a_phone(report):
    page = report(**PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_hostile_texts_do_nothing(visit, server):
    converse(server, "hostile", 2)
    page = visit("/admin/insights?catalog=hostile")
    log_in(page)
    page.get_by_role("button", name="Log out").wait_for()
    page.goto(f"{server.address}/admin/insights?catalog=hostile")
    page.locator(FORM).wait_for()
    assert page.evaluate("window.attacked") is None
    assert page.locator(".injected, iframe, img, script").count() == 0
