"""Texts of a catalogue are only ever text, and the page talks to its own server only (`visit` checks that)."""

from browsing import PHONE, press, session_id, wait_for_question


def test_a_hostile_catalogue_does_nothing(visit, server, screen):
    page = visit("/?catalog=hostile", **screen)
    dialogs = []
    page.on("dialog", lambda dialog: dialogs.append(dialog))
    for number in (2, 3):
        press(page, "1", number)
        _unharmed(page)
    page.get_by_role("button", name="Must-haves").click()
    _unharmed(page)
    page.keyboard.press("Escape")
    labels = [option["label"] for option in server.get(f"/v1/sessions/{session_id(page)}")["question"]["options"]]
    shown = page.locator(".stage > .slate .title").evaluate_all("titles => titles.map(title => title.textContent)")
    assert shown == labels
    page.get_by_role("button", name="See results").click()
    page.locator(".ranked > li").nth(8).wait_for()
    page.locator(".tastes").wait_for()
    page.locator(".answers summary").click()
    _unharmed(page)
    assert dialogs == []


def test_hostile_attributes_do_nothing(visit):
    page = visit("/?catalog=hostile&ask=attributes")
    press(page, "1", 2)
    _unharmed(page)


def _unharmed(page):
    assert page.evaluate("window.attacked") is None
    injected = (
        "main :is(script, style, iframe, a:not([href^='mailto:?']), i, b, u, .injected), dialog :is(script, b, i)"
    )
    assert page.locator(injected).count() == 0
    width = page.viewport_size["width"]
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_page_runs_under_its_policy_without_a_complaint(visit):
    page = visit()
    page.evaluate(
        """() => {
            window.refused = [];
            addEventListener("securitypolicyviolation", event => refused.push(event.violatedDirective));
        }"""
    )
    wait_for_question(page, 1)
    press(page, "1", 2)
    page.get_by_role("button", name="See results").click()
    page.locator(".tastes").wait_for()
    assert page.evaluate("window.refused") == []


def test_nothing_moves_for_those_who_want_it_calm(visit):
    page = visit(**PHONE)  # `visit` asks for reduced motion
    press(page, "1", 2)
    moving = "document.getAnimations().filter(animation => animation.playState === 'running').length"
    assert page.evaluate(moving) == 0


def test_the_next_question_glides_in_for_the_others(browser, server):
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(f"{server.address}/?catalog=things")
        wait_for_question(page, 1)
        page.evaluate(
            """() => {
                window.animated = 0;
                const animate = Element.prototype.animate;
                Element.prototype.animate = function (...given) {
                    window.animated += 1;
                    return animate.apply(this, given);
                };
            }"""
        )
        press(page, "1", 2)
        assert page.evaluate("window.animated") > 0
        page.locator(".departing").wait_for(state="detached")
        assert page.locator(".slate").count() == 1


def test_an_address_with_nothing_leads_to_the_start(visit):
    page = visit("/nothing")
    page.get_by_role("heading", name="Page not found").wait_for()
    assert page.locator(".solid").evaluate("link => getComputedStyle(link).borderRadius") != "0px"  # styled
    page.get_by_role("link", name="Go to the start").click()
    page.get_by_role("heading", name="What are you looking for?").wait_for()
