"""Leave a server less and less memory while people use it, and see if it answers and goes on (`--megabytes 40 8 1 0`).

Needs Linux, whose `prlimit` changes the limit of another process.
"""

import argparse
import json
import resource
import tempfile
import threading
import urllib.error
import urllib.request
from collections import Counter
from pathlib import Path

from rather.research.bench.served import ServerProcess


def address_space(process):
    """Bytes that a process has reserved."""
    lines = Path(f"/proc/{process}/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmSize"))


def send(url, path, body=None, seconds=60):
    """What a request came to, and the content of its response."""
    sent = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url + path, sent, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=seconds) as response:
            return "done", json.loads(response.read())
    except urllib.error.HTTPError as error:
        with error:
            return json.loads(error.read())["code"], None
    except TimeoutError:
        return "no response", None
    except OSError:  # not even the connection found room
        return "connection ended", None


def converse(url, seed, outcomes):
    """Open a session, answer twice and read what came of it."""
    harder = {"ask": "attributes", "k": 4, "p": 3} if seed % 2 else {}
    outcome, session = send(url, "/v1/sessions", {"seed": seed, **harder})
    outcomes[f"open: {outcome}"] += 1
    if session is None:
        return
    path = f"/v1/sessions/{session['id']}"
    for _ in range(2):
        outcome, found = send(url, f"{path}/answers", {"question": session["question"]["id"], "choice": 0})
        outcomes[f"answer: {outcome}"] += 1
        session = session if found is None else found["session"]
    for part in ("profile", "recommendations?limit=50", "history"):
        outcomes[f"read: {send(url, f'{path}/{part}')[0]}"] += 1


def crowd(url, first_seed, people=4, sessions=4):
    """What the requests of several people at once came to."""
    outcomes = Counter()

    def visit(number):
        for session in range(sessions):
            converse(url, first_seed + 100 * number + session, outcomes)

    threads = [threading.Thread(target=visit, args=(number,)) for number in range(people)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return dict(sorted(outcomes.items()))


def run(megabytes):
    """Use a server with that much memory left, one after the other, and without a limit after each."""
    with tempfile.TemporaryDirectory() as folder, ServerProcess(["films"], folder) as server:
        url = f"http://127.0.0.1:{server.address[1]}"
        converse(url, 0, Counter())
        for number, left in enumerate(megabytes, start=1):
            process = server.process.pid
            limit = address_space(process) + int(left * 2**20)
            resource.prlimit(process, resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))
            print(f"{left:g} MB left:", crowd(url, 10_000 * number), flush=True)
            resource.prlimit(process, resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
            afterwards = Counter()
            converse(url, 10_000 * number + 9_000, afterwards)
            print("  without a limit again:", dict(afterwards), flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=float, nargs="+", default=[40, 8, 1, 0])
    run(parser.parse_args().megabytes)
