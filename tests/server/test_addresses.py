"""Who asks, and under which name."""

import pytest

from rather.errors import InvalidInputError
from rather.server import Settings
from rather.server.http.addresses import caller, is_served


@pytest.mark.parametrize(
    ("address", "counted"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::1", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::1", "2001:db8:1:3::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("testclient", "testclient"),
    ],
)
def test_limits_count_an_ipv6_network_as_one(address, counted):
    assert caller({"client": (address, 1)}) == counted


def test_a_request_without_an_address_is_local():
    assert caller({"client": None}) == "local"


@pytest.mark.parametrize(
    "host",
    ["localhost", "localhost:8000", "LOCALHOST", "127.0.0.1", "127.0.0.1:80", "[::1]:8000", "[::1]", "server", "a.org",
     "A.org:443", "a.org.", ""],
)  # fmt: skip
def test_addresses_names_without_a_dot_and_ours_are_served(host):
    assert is_served(host, ("a.org",))


@pytest.mark.parametrize(
    "host", ["evil.example", "b.a.org", "a.org.evil.example", "127.0.0.1.evil.example", "[evil.x]"]
)
def test_other_names_are_not_served(host):
    assert not is_served(host, ("a.org",))
    assert is_served(host, ("*",))


def test_a_page_of_another_name_cannot_read(make_client):
    client = make_client(hosts=("shop.example.org",))
    for path in ("/", "/v1/catalogs", "/docs", "/metrics", "/v1/sessions/x"):
        rejected = client.get(path, headers={"Host": "evil.example"})
        assert (rejected.status_code, rejected.json()["code"]) == (421, "unknown-host")
        assert rejected.headers["x-request-id"]
    assert client.get("/v1/catalogs", headers={"Host": "shop.example.org:443"}).status_code == 200


@pytest.mark.parametrize("host", ["https://a.org", "a.org:80", "", "a..org"])
def test_names_that_make_no_sense_are_rejected(host):
    with pytest.raises(InvalidInputError, match="`hosts` must"):
        Settings(hosts=(host,))
