"""Requests generated from the API's own description: `python tests/server/fuzzing.py --requests 10000`. No 5xx.

Half of them follow the description, half break it. Ids in paths and bodies are mostly those of a session that exists,
so that the code behind them is reached.
"""

import argparse
import random
import tempfile
from collections import Counter

import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from schemathesis import GenerationMode
from serving import bike_source, by_name, small_source
from starlette.testclient import TestClient

from rather.server import Limits, Settings, create_app

TOKEN = "the admin token of the fuzz"


class Fuzz:
    """An app, a session in it to aim at, and a count of what came back."""

    def __init__(self, folder):
        limits = Limits(requests_per_minute=10**9, session_requests_per_minute=10**9, sessions_per_day=10**9)
        database = f"sqlite:///{folder}/sessions.db"
        wanted = Settings(database=database, admin_token=TOKEN, prefetch=False, limits=limits)
        self.app = create_app(by_name(small_source(), small_source("others", 5), bike_source()), wanted)
        self.client = TestClient(self.app, raise_server_exceptions=False)
        self.schema = schemathesis.openapi.from_asgi("/openapi.json", self.app)
        self.session, self.log, self.bike = None, None, None
        self.aim, self.statuses, self.failures = random.Random(0), Counter(), []

    def operations(self):
        return [result.ok() for result in self.schema.get_all_operations()]

    def run(self, operation, examples, number):
        """So many requests of each mode to one operation."""
        self._run(operation.as_strategy(generation_mode=GenerationMode.POSITIVE), examples, number)
        # Any text may stand in a path, so what takes nothing else cannot be given the wrong thing.
        if operation.body or any(item.location.value != "path" for item in operation.iter_parameters()):
            self._run(operation.as_strategy(generation_mode=GenerationMode.NEGATIVE), examples, number)

    def _run(self, cases, examples, number):
        @seed(number)
        @settings(
            max_examples=examples,
            deadline=None,
            database=None,
            derandomize=False,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=cases)
        def send(case):
            self.send(case)

        send()

    def send(self, case):
        self._refresh()
        self._aim(case)
        headers = {"Authorization": f"Bearer {TOKEN}"} if self.aim.random() < 0.8 else {}
        response = case.call(session=self.client, headers=headers)
        self.statuses[response.status_code] += 1
        if response.status_code >= 500:
            self.failures.append((case.as_curl_command(), response.text))
        elif response.status_code >= 400:
            problem = response.json()
            if response.headers["content-type"] != ["application/problem+json"] or not problem["action"]:
                self.failures.append((case.as_curl_command(), response.text))
        else:
            case.operation.validate_response(response)

    def _refresh(self):
        """A session that exists and has not been answered too often."""
        response = self.client.get(f"/v1/sessions/{self.session['id']}") if self.session else None
        if response is None or response.status_code != 200 or response.json()["version"] > 30:
            response = self.client.post("/v1/sessions", json={"catalog": "things", "strategy": "random"})
        self.session = response.json()
        self.log = self.client.get(f"/v1/sessions/{self.session['id']}/export").json()

    def _aim(self, case):
        if case.operation.path.endswith("/adjustment") and self.aim.random() < 0.8:
            self._aim_at_configuration(case)
            return
        known = {
            "id": self.session["id"],
            "token": self.session["share"],
            "name": "things",
            "table": "winners",
            "answer": "1",
        }
        for name in case.path_parameters or {}:
            if name in known and self.aim.random() < 0.8:
                case.path_parameters[name] = known[name]
        if isinstance(case.body, dict) and self.aim.random() < 0.8:
            if "question" in case.body and self.session["question"]:
                case.body["question"] = self.session["question"]["id"]
            if "catalog" in case.body:
                case.body["catalog"] = "things"
            if "strategy" in case.body and self.aim.random() < 0.7:
                case.body["strategy"] = self.aim.choice(self.app.state.settings.strategies)
            filters = case.body.get("filters")
            for wanted in filters if isinstance(filters, list) else ():
                if isinstance(wanted, dict):
                    wanted["attribute"] = self.aim.choice(["colour", "tags", "price"])
            if "events" in case.body:
                self._damage(case.body)

    def _aim_at_configuration(self, case):
        """A configuration that there is, and often a change of it that makes sense."""
        if self.bike is None or self.client.get(f"/v1/sessions/{self.bike['id']}").status_code != 200:
            self.bike = self.client.post("/v1/sessions", json={"catalog": "bikes"}).json()
        case.path_parameters["id"] = self.bike["id"]
        if isinstance(case.query, dict):
            case.query["item"] = self.bike["recommendations"][0]["id"]
            if self.aim.random() < 0.5:
                case.query["wanted"] = '[{"column": "frame", "value": "carbon"}]'

    def _damage(self, body):
        """A real log with one part taken from the made-up one."""
        damaged = {**self.log, **{name: body[name] for name in self.aim.sample(sorted(body), 1)}}
        body.clear()
        body.update(damaged)


def run(requests, folder, report=lambda line: None):
    """At least so many requests over all operations; the fuzz with its counts and failures."""
    fuzz, rounds = Fuzz(folder), 0
    with fuzz.client:
        operations = fuzz.operations()
        while sum(fuzz.statuses.values()) < requests:
            examples = max(2, min(50, (requests - sum(fuzz.statuses.values())) // (2 * len(operations))))
            for number, operation in enumerate(operations):
                fuzz.run(operation, examples, 1_000 * rounds + number)
            rounds += 1
            report(f"{sum(fuzz.statuses.values())} requests: {dict(fuzz.statuses)}, {len(fuzz.failures)} failures")
    return fuzz


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=10_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        fuzz = run(options.requests, folder, print)
    print(f"{sum(fuzz.statuses.values())} requests, {len(fuzz.failures)} failures")
    for failure in fuzz.failures[:20]:
        print(*failure, sep="\n")
    raise SystemExit(bool(fuzz.failures))


if __name__ == "__main__":
    main()
