"""Server processes for the tests: started, killed, stopped; and simulated users who answer them."""

import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

from rather.client import Client
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
    """Opens sessions and answers until asked to stop; notes what was acknowledged.

    Attributes:
        acknowledged: For each session the answers that the server said are stored, in order.
        wrong: What the server did that it must not.
        retried: Answers that had been stored although their first response never came.
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
        opened = Client(self.urls[0], patience=60.0, strategy="random")  # quick: the more answers the better
        connections = [Connection(url, opened.id) for url in self.urls]
        answers = self.acknowledged.setdefault(opened.id, [])
        question = opened.ask()
        for turn in range(self.answers):
            if self.stop_event.is_set():
                break
            choice = (self.number + turn) % 2
            client = self.tell(connections[turn % len(connections)], question, choice)
            answers.append((question.id, choice))
            if client.number != len(answers) + 1:
                self.wrong.append(("count", client.number, len(answers)))
            question = client.ask()
        for client in (opened, *connections):
            client.close()

    def tell(self, connection, question, choice):
        """The client that knows what came after the answer."""
        try:
            connection.impatient.tell(question, choice)
            return connection.impatient
        except RatherError:
            # It may or may not have been stored. After the restart the same question is open, or the next one.
            connection.patient.refresh()
            now = connection.patient.ask()
            if now.number == question.number and now != question:
                self.wrong.append(("question", question, now))
            self.retried += now.number != question.number
            connection.patient.tell(question, choice)
            return connection.patient


class Connection:
    """Clients of one session on one server: one that fails at once, and one that waits for a restart."""

    def __init__(self, url, session):
        self.patient = Client(url, session=session, patience=60.0)
        self.impatient = None
        while self.impatient is None:
            with suppress(RatherError):
                self.impatient = Client(url, session=session, patience=0.0)

    def close(self):
        self.patient.close()
        self.impatient.close()


def compare(users, store):
    """What is wrong between what was acknowledged and what is stored: lost, doubled or changed answers."""
    wrong = []
    for user in users:
        wrong += user.wrong
        for id, answers in user.acknowledged.items():
            stored = store.load(id)
            kept = [(item.question, item.event["answer"]) for item in stored.events]
            if kept != answers:
                wrong.append((id, answers, kept))
    return wrong
