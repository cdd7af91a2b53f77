"""The page in each language, at the size of a phone and of a desk."""

import pytest
from browsing import PHONE, READY
from test_accessibility import violations

DESK = {"viewport": {"width": 1280, "height": 860}}
ENGLISH_WORDS = (
    "Question",
    "Skip",
    "Undo",
    "See results",
    "For you",
    "Still to gain",
    "Or one of these",
    "Your answers",
)


def answered(page):
    page.wait_for_selector(READY)
    before = page.locator("[data-question]").get_attribute("data-question")
    page.locator(".slate button").first.click()
    page.wait_for_selector(f"[data-question]:not([data-question='{before}'])")
    page.wait_for_selector(READY)


def is_too_wide(page):
    return page.evaluate(
        "document.documentElement.scrollWidth > innerWidth || "
        "[...document.querySelectorAll('.mark, button')].some((each) => each.scrollWidth > each.clientWidth + 1)"
    )


@pytest.mark.parametrize(
    "look", [{**PHONE, "color_scheme": "dark"}, {**DESK, "color_scheme": "light"}], ids=["dark phone", "light desk"]
)
@pytest.mark.parametrize(
    ("locale", "language", "prompt", "results"),
    [
        ("de-AT", "de", "Was wäre dir lieber?", "Ergebnis"),
        ("fr-CH", "fr", "Que préférez-vous\xa0?", "Résultat"),
        ("es-MX", "es", "¿Qué prefieres?", "Resultado"),
    ],
)
def test_a_browser_is_spoken_to_in_its_language(visit, locale, language, prompt, results, look):
    page = visit(locale=locale, **look)
    page.wait_for_selector(READY)
    assert page.locator("html").get_attribute("lang") == language
    assert page.locator("#prompt").text_content() == prompt
    assert not is_too_wide(page)
    assert violations(page) == []
    answered(page)
    page.get_by_role("button", name=results, exact=True).click()
    page.wait_for_selector(".results")
    assert not is_too_wide(page)
    assert violations(page) == []
    text = page.locator("body").inner_text()
    assert not [words for words in ENGLISH_WORDS if words in text]


def test_the_address_overrules_the_browser_and_stays_with_the_session(visit):
    page = visit("/?catalog=things&seed=1&language=fr", locale="de-DE")
    page.wait_for_selector(READY)
    assert page.locator("html").get_attribute("lang") == "fr"
    page.reload()
    page.wait_for_selector(READY)
    assert page.locator("#prompt").text_content() == "Que préférez-vous\xa0?"


def test_the_page_follows_a_session_that_was_opened_in_another_language(visit, server):
    session = server.post("/v1/sessions", {"catalog": "things", "language": "es"})
    page = visit(f"/#/session/{session['id']}", locale="de-DE")
    page.wait_for_selector(READY)
    assert page.locator("html").get_attribute("lang") == "es"
    assert page.locator("#prompt").text_content() == "¿Qué prefieres?"


def test_a_page_that_does_not_exist_says_so_in_the_language_of_the_browser(visit):
    page = visit("/nowhere", locale="de-DE")
    assert page.locator("h1").text_content() == "Seite nicht gefunden"
