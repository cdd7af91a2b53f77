"""What a browser gets: everything from this server, under a strict policy."""

import html
import json
import re

import pytest

from rather.server import Theme

PAGES = ["/", "/docs", "/embed", "/shared/some-token"]


@pytest.mark.parametrize("path", PAGES)
def test_pages_have_a_strict_policy(client, path):
    response = client.get(path)
    assert response.status_code == 200
    assert response.headers["content-type"].startswith("text/html")
    policy = dict(part.strip().split(" ", 1) for part in response.headers["content-security-policy"].split(";"))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert "unsafe" not in response.headers["content-security-policy"]
    assert policy["frame-ancestors"] == ("'self'" if path == "/embed" else "'none'")


@pytest.mark.parametrize("path", [*PAGES, "/health", "/v1/catalogs", "/nothing", "/openapi.json"])
def test_the_usual_security_headers_are_everywhere(client, path):
    headers = client.get(path).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-opener-policy"] == "same-origin"
    assert "content-security-policy" in headers
    assert "server" not in headers


@pytest.mark.parametrize("path", PAGES)
def test_pages_load_from_this_server_and_have_no_inline_script(client, path):
    text = client.get(path).text
    assert not re.search(r"<script(?![^>]*\bsrc=)", text)
    assert not re.search(r"\son\w+=|<style|\sstyle=", text)
    for address in re.findall(r'(?:src|href)="([^"]+)"', text):
        assert address.startswith(("/", "data:,")), address
        if address.startswith("/") and not address.startswith("/shared"):
            assert client.get(address).status_code == 200, address


def test_the_documentation_loads_its_files_from_here(client):
    for path in ("/swagger/swagger-ui-bundle.js", "/swagger/swagger-ui.css", "/docs.js"):
        assert client.get(path).status_code == 200
    assert client.get("/openapi.json").json()["info"]["title"] == "rather"


def test_static_files_do_not_lead_outside(client):
    for path in (
        "/swagger/../core.py",
        "/swagger/%2e%2e/core.py",
        "/assets/..%2findex.html",
        "/assets/..%2f..%2fapp.py",
    ):
        assert client.get(path).status_code == 404


BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}


def test_a_browser_gets_a_page_where_there_is_nothing(client):
    response = client.get("/nothing", headers=BROWSER)
    assert response.status_code == 404
    assert response.headers["content-type"].startswith("text/html")
    assert response.headers["content-security-policy"] == client.get("/").headers["content-security-policy"]
    assert 'href="/"' in response.text
    assert client.head("/nothing", headers=BROWSER).headers["content-type"].startswith("text/html")


@pytest.mark.parametrize(
    ("method", "path", "headers"),
    [
        ("GET", "/nothing", {}),
        ("GET", "/nothing", {"Accept": "*/*"}),
        ("GET", "/nothing", {"Accept": "application/json"}),
        ("POST", "/nothing", BROWSER),
        ("GET", "/v1/nothing", BROWSER),
        ("GET", "/v1/sessions/nobody", BROWSER),
    ],
)
def test_a_program_gets_a_problem_where_there_is_nothing(client, method, path, headers):
    response = client.request(method, path, headers=headers)
    assert response.status_code == 404
    assert response.headers["content-type"] == "application/problem+json"
    assert response.json()["status"] == 404


def test_other_sites_are_shut_out_unless_allowed(make_client):
    ours, theirs = "https://shop.example", "https://evil.example"
    closed, opened = make_client(), make_client(origins=(ours,))
    assert "access-control-allow-origin" not in closed.get("/v1/catalogs", headers={"Origin": ours}).headers
    assert opened.get("/v1/catalogs", headers={"Origin": ours}).headers["access-control-allow-origin"] == ours
    assert "access-control-allow-origin" not in opened.get("/v1/catalogs", headers={"Origin": theirs}).headers
    preflight = {"Origin": ours, "Access-Control-Request-Method": "POST"}
    assert opened.options("/v1/sessions", headers=preflight).status_code == 200
    assert opened.options("/v1/sessions", headers={**preflight, "Origin": theirs}).status_code == 400
    assert f"frame-ancestors 'self' {ours}" in opened.get("/embed").headers["content-security-policy"]
    assert "frame-ancestors 'none'" in opened.get("/").headers["content-security-policy"]


def test_the_policy_lets_pictures_come_from_named_hosts(make_client):
    client = make_client(image_hosts=("https://Images.example",))
    for path in ("/", "/embed", "/shared/some-token"):
        assert "img-src 'self' https://images.example;" in client.get(path).headers["content-security-policy"]


def test_the_embedding_script_may_be_loaded_by_other_sites(client):
    response = client.get("/embed.js")
    assert response.headers["cross-origin-resource-policy"] == "cross-origin"
    assert "javascript" in response.headers["content-type"]


def test_health_and_readiness(client):
    assert client.get("/health").json()["status"] == "ok"
    assert client.get("/ready").status_code == 200
    client.app.state.draining.set()
    assert client.get("/ready").json()["code"] == "draining"
    assert client.get("/health").status_code == 200


THEME = """
title = "Anna & <b>Sons</b>"
greeting = {en = "Hello", de = "Hallo"}
logo = "logo.svg"
mode = "dark"
[colors.dark]
paper = "#190d12"
[fonts]
titles = "Georgia, serif"
"""


@pytest.fixture
def themed(make_client, tmp_path):
    (tmp_path / "logo.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>')
    (tmp_path / "shop.toml").write_text(THEME, encoding="utf-8")
    return make_client(theme=Theme.from_file(tmp_path / "shop.toml"))


def test_a_theme_changes_the_page_and_not_its_policy(client, themed):
    for path in PAGES:
        assert (
            themed.get(path).headers["content-security-policy"] == client.get(path).headers["content-security-policy"]
        )
    text = themed.get("/").text
    assert "<title>Anna &amp; &lt;b&gt;Sons&lt;/b&gt;</title>" in text
    assert '<html data-mode="dark" ' in text
    assert 'content="#190d12"' in text
    assert "preload" not in text  # of a font that the theme replaces
    settings = re.search(r'<meta name="rather-theme" content="([^"]*)">', text)[1]
    assert json.loads(html.unescape(settings))["greeting"] == {"en": "Hello", "de": "Hallo"}
    test_pages_load_from_this_server_and_have_no_inline_script(themed, "/")


def test_the_files_of_a_theme_are_kept_by_browsers_and_can_do_nothing(themed):
    style, logo = (re.search(rf'"(/theme/\w+\.{kind})"', themed.get("/").text)[1] for kind in ("css", "svg"))
    assert "--paper:#190d12;" in themed.get(style).text
    response = themed.get(logo)
    assert response.headers["content-type"] == "image/svg+xml"
    assert "immutable" in response.headers["cache-control"]
    assert response.headers["content-security-policy"].endswith("sandbox")
    assert themed.get("/theme/other.svg").status_code == 404


def test_a_page_of_an_unknown_address_has_the_theme(themed):
    text = themed.get("/nothing", headers=BROWSER).text
    assert re.search(r'<img class="logo" src="/theme/\w+\.svg" alt="Anna &amp; &lt;b&gt;Sons&lt;/b&gt;">', text)
    assert "/theme/" in re.search(r'<link rel="icon" href="([^"]*)', text)[1]


def test_the_address_chooses_the_mode(client):
    assert '<html data-mode="light" ' in client.get("/embed?mode=light").text
    assert "data-mode" not in client.get("/embed?mode=purple").text


@pytest.mark.parametrize("site", ["https://other.example", "null", 'x"><script>1</script>'])
def test_a_site_that_may_not_embed_is_told_so(make_client, site):
    client = make_client(origins=("https://shop.example",))
    response = client.get("/embed", params={"parent": site})
    assert response.status_code == 403
    policy = response.headers["content-security-policy"]
    assert "frame-ancestors *" in policy
    assert "<script" not in response.text
    assert "cannot be shown here" in response.text
    assert "{" not in re.sub(r"\s", "", response.text)


@pytest.mark.parametrize("site", ["https://shop.example", "http://testserver"])
def test_a_site_that_may_embed_gets_the_page(make_client, site):
    client = make_client(origins=("https://shop.example",))
    response = client.get("/embed", params={"parent": site})
    assert response.status_code == 200
    assert "frame-ancestors 'self' https://shop.example" in response.headers["content-security-policy"]
