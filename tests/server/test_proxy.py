"""The documented configuration of nginx, in front of a real server."""

import json
import os
import shutil
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from serving import free_port
from waiting import wait_for

ROOT = Path(__file__).parents[2]
NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
HOST = "shop.example.org"

pytestmark = pytest.mark.skipif(NGINX is None, reason="nginx was not tested: it is missing (apt install nginx-light)")

MAIN = """
pid {folder}/pid;
error_log {folder}/log;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    {server}
}}
"""


def call(port, path, body=None, **headers):
    """Status and body of a response."""
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", body, {"Host": HOST, **headers})
    try:
        with urllib.request.urlopen(request, timeout=60) as response:
            return response.status, response.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()
    except OSError:
        return None, b""


@pytest.fixture(scope="module")
def port(tmp_path_factory):
    """Of nginx, with the documented configuration but for its ports."""
    folder, behind, front = tmp_path_factory.mktemp("proxy"), free_port(), free_port()
    written = (ROOT / "docs" / "guides" / "nginx.conf").read_text(encoding="utf-8")
    assert "server 127.0.0.1:8000;" in written
    assert "listen 80;" in written
    server = written.replace("127.0.0.1:8000", f"127.0.0.1:{behind}").replace("listen 80", f"listen 127.0.0.1:{front}")
    (folder / "nginx.conf").write_text(MAIN.format(folder=folder, server=server))
    options = ["--trusted-proxy", "127.0.0.1", "--allowed-host", HOST, "--sessions-per-day", "1", "--quiet"]
    database = ["--database", f"sqlite:///{folder}/sessions.db", "--port", str(behind), "--no-prefetch"]
    paths = [str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    command = [sys.executable, "-m", "rather", "serve", "films", *options, *database]
    processes = [
        subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL),
        subprocess.Popen([NGINX, "-p", str(folder), "-c", str(folder / "nginx.conf"), "-g", "daemon off;"]),
    ]
    wait_for(lambda: call(front, "/health")[0] == 200)
    yield front
    for process in reversed(processes):
        process.terminate()
        process.wait(60)


def test_nobody_gets_around_the_limits_by_claiming_another_address(port):
    opened = [
        call(
            port, "/v1/sessions", b"{}", **{"Content-Type": "application/json", "X-Forwarded-For": f"192.0.2.{number}"}
        )
        for number in range(2)
    ]
    assert [status for status, _ in opened] == [201, 429]
    id = json.loads(opened[0][1])["id"]
    assert call(port, f"/v1/sessions/{id}")[0] == 200


def test_the_page_is_served_and_other_names_are_not(port):
    assert call(port, "/")[0] == 200
    assert call(port, "/", Host="evil.example")[0] == 421


def test_a_large_body_is_rejected(port):
    assert call(port, "/v1/sessions", b"x" * 2_000_000)[0] in (413, None)  # nginx may close before all is sent
