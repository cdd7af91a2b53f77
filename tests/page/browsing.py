"""A server in a process of its own, and the steps of somebody who answers in a browser."""

import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

HERE = Path(__file__).parent
THEMES = HERE.parents[1] / "docs" / "guides" / "themes"
CHROMIUM = os.environ.get("RATHER_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run")
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}

READY = ".slate[data-ready]"

# Nothing here takes so long; it only ends a test that hangs, also on a slow machine with much else to do.
TIMEOUT_SECONDS = 90


def free_port():
    """A port below those of outgoing connections, one of which might take it before a server listens on it."""
    for port in random.SystemRandom().sample(range(20_000, 32_000), 100):
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
    raise AssertionError("no port is free")


class Server:
    """Serves catalogues from a process that can be killed and started again on the same port and database."""

    def __init__(self, folder, *names, origin="http://localhost:1", theme="", study=""):
        self.port = free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        database = f"sqlite:///{folder / 'sessions.db'}"
        self._arguments = [str(self.port), database, origin, str(theme), str(study), *names]
        self._process = None
        self.start()

    def start(self):
        source = HERE.parents[1] / "src"
        self._process = subprocess.Popen(
            [sys.executable, str(HERE / "catalogues.py"), *self._arguments],
            env={**os.environ, "PYTHONPATH": str(source)},
            stdout=subprocess.PIPE,
            text=True,
        )
        said = self._process.stdout.readline()
        assert said == "listening\n", f"The server did not start: {said}"

    def stop(self, how=signal.SIGTERM):
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(timeout=TIMEOUT_SECONDS)
            self._process.stdout.close()
            self._process = None

    def get(self, path):
        with urllib.request.urlopen(self.address + path) as response:
            return json.load(response)

    def post(self, path, body):
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(self.address + path, json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request) as response:
            return json.load(response)


class Site:
    """A site of somebody else: the pages in `pages`, by path."""

    def __init__(self):
        self.pages = {}
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                body = site.pages.get(self.path, "").encode()
                self.send_response(200 if body else 404)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def launch(playwright):
    """Chromium without a window."""
    return playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))


def session_id(page):
    """The conversation that the address names."""
    return re.search(r"#/session/([\w-]+)$", page.url)[1]


def wait_for_question(page, number):
    """Until question `number` can be answered."""
    page.locator(".eyebrow", has_text=re.compile(rf"^Question {number}\b")).wait_for()
    page.locator(READY).wait_for()


def press(page, key, number):
    """Answer with a key and wait for question `number`."""
    page.locator(READY).wait_for()
    page.keyboard.press(key)
    wait_for_question(page, number)


def answer_on(page, key):
    """Answer with a key and wait until another question, or the end, is there."""
    page.locator(READY).wait_for()
    before = page.locator(".asking").get_attribute("data-question")
    page.keyboard.press(key)
    wait_for_change(page, before)


def wait_for_change(page, question):
    """Until the page (or a frame of it) no longer asks this question, and can be answered again or has ended."""
    page.locator(f'.asking:not([data-question="{question}"]) {READY}, .results, .study-end').first.wait_for()


def poll(page, condition):
    """Until the condition holds, with the page going on meanwhile."""
    end = time.monotonic() + TIMEOUT_SECONDS
    while not condition():
        assert time.monotonic() < end
        page.wait_for_timeout(20)


def titles(page):
    """What can be chosen."""
    return page.locator(".stage > .slate:not(.departing) .title").all_inner_texts()


def choose(page, name, value):
    """Choose another value of a configuration, and wait for what becomes of it."""
    page.get_by_label(name, exact=True).select_option(value)
    page.locator(".outcome li", has_text=re.compile(rf"^{name}: ")).first.wait_for()


def choices(server, id):
    """The answers that are stored and hold."""
    return [turn["choice"] for turn in server.get(f"/v1/sessions/{id}/history")["turns"] if not turn["undone"]]
