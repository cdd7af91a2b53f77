"""Server processes for the tests: started, killed, stopped; and people who answer them."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

from rather.client import Client, _question
from rather.errors import RatherError

HERE = Path(__file__).parent


class ServerProcess:
    """One server on a port of loopback."""

    def __init__(self, port, database):
        self.port, self.database, self.parent, self.process = port, database, None, None

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def start(self):
        """Start it, for the first time or again, and wait until it is ready."""
        if self.parent is None:
            command = [sys.executable, str(HERE / "small_server.py"), str(self.port), self.database]
            paths = [str(HERE.parents[1] / "src"), os.environ.get("PYTHONPATH", "")]
            environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
            pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
            self.parent = subprocess.Popen(command, env=environment, **pipes)
        self.parent.stdin.write("start\n")
        self.parent.stdin.flush()
        word, number = self.parent.stdout.readline().split()
        assert word == "ready"
        self.process = int(number)
        return self

    def kill(self):
        """As a crash: no warning, nothing finished."""
        return self._signal(signal.SIGKILL)

    def stop(self):
        """As an operator: SIGTERM, and wait until it has drained."""
        return self._signal(signal.SIGTERM)

    def close(self):
        """End what start had to begin with."""
        self.parent.stdin.close()
        self.parent.wait(30)
        self.parent.stdout.close()

    def _signal(self, number):
        os.kill(self.process, number)
        word, code = self.parent.stdout.readline().split()
        assert word == "ended"
        return int(code)


class SimulatedUser(threading.Thread):
    """Opens sessions and answers until told to stop; remembers what was acknowledged.

    Attributes:
        acknowledged: For each session the answers that the server said are safe, in order.
        wrong: What the server did that it must not.
        retried: Answers that had to be sent again.
    """

    def __init__(self, number, urls, stop, answers=12):
        super().__init__(daemon=True)
        self.number, self.urls, self.stop_event, self.answers = number, urls, stop, answers
        self.acknowledged, self.wrong, self.retried, self.error = {}, [], 0, None

    def run(self):
        try:
            while not self.stop_event.is_set():
                self.converse()
        except BaseException as error:
            self.error = error
            raise

    def converse(self):
        clients = [Client(self.urls[0], patience=60.0, strategy="random")]  # quick: the more answers the better
        clients += [Client(url, session=clients[0].id, patience=60.0) for url in self.urls[1:]]
        answers = self.acknowledged.setdefault(clients[0].id, [])
        question = clients[0].ask()
        for turn in range(self.answers):
            if self.stop_event.is_set():
                break
            client = clients[turn % len(clients)]
            choice = (self.number + turn) % 2
            body = {"question": question.id, "choice": choice}
            answered = self.send(client, body, question)
            self.retried += answered["repeated"]
            answers.append((question.id, choice))
            if answered["session"]["answers"] != len(answers):
                self.wrong.append(("count", answered["session"]["answers"], len(answers)))
            question = _question(answered["session"]["question"])
        for client in clients:
            client.close()

    def send(self, client, body, question):
        path = f"/v1/sessions/{client.id}/answers"
        try:
            return client._http._once("POST", path, body, None)
        except RatherError:
            # It may or may not have been stored. After the restart the same question is open, or the next one.
            now = client._http.send("GET", f"/v1/sessions/{client.id}")["question"]
            if now["number"] == question.number and _question(now) != question:
                self.wrong.append(("question", question, now))
            return client._http.send("POST", path, body)


def compare(people, store):
    """What is wrong between what was acknowledged and what is stored: lost, doubled or changed answers."""
    wrong = []
    for person in people:
        wrong += person.wrong
        for id, answers in person.acknowledged.items():
            stored = store.load(id)
            kept = [(item.question, item.event["answer"]) for item in stored.events]
            if kept != answers:
                wrong.append((id, answers, kept))
    return wrong
