"""The documentation of the API runs under the same strict policy, from this server alone (`visit` checks that)."""


def test_the_documentation_shows_every_route_and_runs_under_the_policy(visit, server):
    page = visit("/docs")
    page.locator(".opblock").first.wait_for()
    described = server.get("/openapi.json")["paths"]
    assert page.locator(".opblock").count() == sum(len(methods) for methods in described.values())
    page.locator("#operations-sessions-open_session").click()
    page.locator("#operations-sessions-open_session .model-example, .example").first.wait_for()


def test_a_route_can_be_tried_from_the_documentation(visit):
    page = visit("/docs")
    route = page.locator("#operations-catalogs-list_catalogs")
    route.click()
    route.get_by_role("button", name="Try it out").click()
    route.get_by_role("button", name="Execute").click()
    route.locator(".live-responses-table", has_text="hostile").wait_for()
