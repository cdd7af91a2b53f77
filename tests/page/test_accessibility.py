"""Every screen, light and dark, on a desktop and on a phone, passes axe-core's rules up to WCAG 2.2 AA."""

import pytest
from browsing import PHONE, READY, press, wait_for_question

axe_core = pytest.importorskip("axe_playwright_python.base", reason="axe was not run: pip install 'rather[dev]'")

RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}


def asking(page):
    press(page, "1", 2)


def attributes(page):
    page.goto(page.url.split("#")[0] + "&ask=attributes&p=2")
    page.locator(".attributes").wait_for()


def filtering(page):
    wait_for_question(page, 1)
    page.get_by_role("button", name="Must-haves").click()
    page.get_by_role("checkbox").first.check()


def ending(page):
    asking(page)
    page.get_by_role("button", name="See results").click()
    page.locator(".tastes").wait_for()
    page.locator(".answers summary").click()
    page.locator(".compare summary").click()


def steered(page):
    ending(page)
    page.locator(".best .chip").first.click()
    page.locator(".said li").wait_for()


def steering(page):
    asking(page)
    page.locator(".steering summary").first.click()


def shared(page):
    ending(page)
    page.goto(page.get_by_label("Share a read-only link").input_value())
    page.locator(".tastes").wait_for()


def choosing(page):
    page.goto(page.url.split("?")[0])
    page.locator(".catalogs").wait_for()


def gone(page):
    page.goto(page.url.split("?")[0] + "#/session/nobody-knows-this")
    page.reload()
    page.locator(".problem").wait_for()


def nowhere(page):
    page.goto(page.url.split("?")[0] + "nothing")
    page.get_by_role("heading", name="Page not found").wait_for()


def disconnected(page):
    page.locator(READY).wait_for()
    page.route("**/v1/sessions/*/answers", lambda route: route.abort())
    page.keyboard.press("1")
    page.locator(".banner").wait_for()


SCREENS = [asking, attributes, filtering, ending, steering, steered, shared, choosing, gone, nowhere, disconnected]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("show", SCREENS, ids=lambda show: show.__name__)
def test_no_violations(visit, show, scheme):
    page = visit(color_scheme=scheme)
    show(page)
    assert violations(page) == []
    page.set_viewport_size(PHONE["viewport"])
    assert violations(page) == []


def violations(page):
    """What axe finds, as `rule: element`."""
    page.evaluate(axe_core.AXE_FILE_PATH.read_text(encoding="utf-8"))
    found = page.evaluate("rules => axe.run(document, rules)", RULES)["violations"]
    return [f"{rule['id']}: {node['html'][:200]}" for rule in found for node in rule["nodes"]]


def adjusting(page):
    ending(page)
    page.locator(".adjust summary").click()
    page.get_by_label("type", exact=True).select_option("mountain")
    page.locator(".outcome .becomes").wait_for()


def adjusted(page):
    adjusting(page)
    page.get_by_role("button", name="Take it").click()
    page.locator(".said li").wait_for()


def adjusting_beside_a_question(page):
    asking(page)
    page.locator(".adjust summary").click()
    page.get_by_label("type", exact=True).select_option("mountain")
    page.locator(".outcome .becomes").wait_for()


def adjusted_beside_a_question(page):
    adjusting_beside_a_question(page)
    page.get_by_role("button", name="Take it").click()
    page.get_by_text("As you adjusted it").wait_for()
    page.locator(".adjust summary").click()
    page.locator(".adjust select").first.wait_for()


MADE_TO_ORDER = [asking, adjusting, adjusted, adjusting_beside_a_question, adjusted_beside_a_question]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("show", MADE_TO_ORDER, ids=lambda show: show.__name__)
def test_no_violations_where_something_is_made_to_order(visit, builder, show, scheme):
    page = visit("/?seed=1", at=builder.address, color_scheme=scheme)
    show(page)
    assert violations(page) == []
    page.set_viewport_size(PHONE["viewport"])
    assert violations(page) == []


def test_dark_is_dark(visit):
    light, dark = visit(color_scheme="light"), visit(color_scheme="dark")
    shade = "getComputedStyle(document.documentElement).backgroundColor.match(/\\d+/g).map(Number)"
    for page in (light, dark):
        wait_for_question(page, 1)
    assert min(light.evaluate(shade)) > 200
    assert max(dark.evaluate(shade)) < 60


def test_every_control_can_be_reached_with_the_tab_key(visit):
    page = visit()
    press(page, "1", 2)
    wanted = page.locator("button:visible").evaluate_all("buttons => buttons.map(button => button.textContent)")
    reached = []
    for _ in range(len(wanted) + 2):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.textContent"))
    assert set(wanted) <= set(reached)
