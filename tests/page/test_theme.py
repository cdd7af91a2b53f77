"""The page under the name of a shop: its look, links to its products, and that everybody can still read it."""

import pytest
from browsing import PHONE, READY, THEMES, Server, press, wait_for_question
from catalogues import SHOP
from test_accessibility import violations


@pytest.fixture
def bikes(visit, shop):
    def open_shop(path="/?seed=1", **options):
        page = visit(path, at=shop.address, **options)
        wait_for_question(page, 1)
        return page

    return open_shop


def results(page):
    press(page, "1", 2)
    page.get_by_role("button", name="See results").click()
    page.locator(".ranked > li").nth(8).wait_for()
    page.locator(".compare summary").click()


def test_the_name_logo_and_greeting_of_the_shop(bikes):
    page = bikes()
    logo = page.get_by_role("img", name="Harbour Bikes")
    assert logo.count() == 1
    assert logo.evaluate("image => image.complete && image.naturalWidth > 0")
    assert page.title() == "Harbour Bikes · bikes"
    page.get_by_text("Tell us what you like").wait_for()
    assert page.get_by_text("Powered by").count() == 0
    press(page, "1", 2)
    assert page.get_by_text("Tell us what you like").count() == 0


@pytest.mark.parametrize(("scheme", "paper"), [("light", "rgb(251, 247, 240)"), ("dark", "rgb(16, 18, 23)")])
def test_the_colours_of_the_theme_are_used(bikes, scheme, paper):
    page = bikes(color_scheme=scheme)
    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == paper
    other = {"light": "dark", "dark": "light"}[scheme]
    visible = page.locator(".logo:visible").get_attribute("data-mode")
    assert visible == ("dark" if scheme == "dark" else None)
    page.goto(f"{page.url.split('/?')[0]}/?mode={other}")
    wait_for_question(page, 1)
    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") != paper


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everybody_can_read_it(bikes, scheme):
    page = bikes(color_scheme=scheme)
    for viewport in ({"width": 1280, "height": 800}, PHONE["viewport"]):
        page.set_viewport_size(viewport)
        assert violations(page) == []
    results(page)
    for viewport in ({"width": 1280, "height": 800}, PHONE["viewport"]):
        page.set_viewport_size(viewport)
        assert violations(page) == []


def test_products_are_linked_from_cards_results_and_the_comparison(bikes, shop):
    page = bikes()
    links = [*page.locator(".option .page-link").all()]
    assert len(links) == 2
    results(page)
    links += page.locator(".best .page-link, .ranked .page-link, .compare .page-link").all()
    assert len(links) == 2 + 1 + 9 + 3
    for link in page.locator(".page-link").all():
        assert link.get_attribute("href").startswith(f"{SHOP}/bikes/")
        assert link.get_attribute("target") == "_blank"
        assert link.get_attribute("rel") == "noopener noreferrer nofollow"
        assert link.inner_text().startswith("See the bike")
    assert page.get_by_role("button", name="Add to cart").count() == 0  # nobody would hear of it


@pytest.mark.parametrize("options", [{}, PHONE], ids=["desktop", "phone"])
def test_a_link_on_a_card_opens_the_product_and_answers_nothing(bikes, options):
    page = bikes(**options)
    opened = []
    page.context.route(f"{SHOP}/**", lambda route: (opened.append(route.request), route.fulfill(body="A bike")))
    with page.context.expect_page() as popup:
        page.locator(".option .page-link").first.click()
    popup.value.wait_for_load_state()
    assert popup.value.evaluate("window.opener === null")
    assert "referer" not in opened[0].headers
    page.wait_for_timeout(300)
    wait_for_question(page, 1)


@pytest.mark.parametrize("language", ["en", "de", "fr", "es"])
def test_nothing_is_wider_than_a_phone(visit, shop, language):
    page = visit(f"/?language={language}&questions=1", at=shop.address, **PHONE)
    page.locator(READY).wait_for()
    width = "document.documentElement.scrollWidth"
    assert page.evaluate(width) <= PHONE["viewport"]["width"]
    page.locator(".option .title button").first.click()
    page.locator(".ranked > li").nth(8).wait_for()
    page.locator(".compare summary").click()
    page.locator(".tastes").wait_for()
    assert page.evaluate(width) <= PHONE["viewport"]["width"]


def test_an_unknown_address_has_the_look_of_the_shop(visit, shop):
    page = visit("/nothing", at=shop.address)
    page.get_by_role("heading", name="Page not found").wait_for()
    assert page.get_by_role("img", name="Harbour Bikes").count() == 1
    ground = page.locator(".solid").evaluate("link => getComputedStyle(link).backgroundColor")
    assert ground == "rgb(11, 93, 75)"


def test_a_theme_that_is_always_dark_with_a_name_and_greetings(browser, visit, tmp_path):
    cinema = Server(tmp_path, "things", theme=THEMES / "matinee.toml")
    try:
        page = visit("/", at=cinema.address, color_scheme="light")
        wait_for_question(page, 1)
        assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == "rgb(25, 13, 18)"
        assert page.locator(".mark").inner_text() == "Matinée"
        page.get_by_text("What shall we show you tonight?").wait_for()
        page.get_by_text("Powered by rather").wait_for()
        assert violations(page) == []
        german = visit("/?language=de", at=cinema.address)
        german.get_by_text("Was dürfen wir dir heute Abend zeigen?").wait_for()
    finally:
        cinema.stop()
