"""Kill a busy server again and again, and see that no answer is lost or doubled: `killing.py --kills 100`."""

import argparse
import random
import tempfile
import threading
import time

from processes import ServerProcess, SimulatedUser, compare
from serving import free_port

from rather.server.sessions.sql_store import SqlStore


def run(kills, people, database, seed=0, report=lambda line: None):
    """Kill the server so many times while people answer.

    Returns:
        (acknowledged answers, answers that were sent again, what is wrong)
    """
    moments, stop = random.Random(seed), threading.Event()
    server = ServerProcess(free_port(), database).start()
    crowd = [SimulatedUser(number, [server.url], stop) for number in range(people)]
    for person in crowd:
        person.start()
    for number in range(1, kills + 1):
        enough = count(crowd) + moments.randint(1, 40)
        while count(crowd) < enough:
            time.sleep(0.002)
        time.sleep(moments.uniform(0, 0.02))
        server.kill()
        server.start()
        if number % 10 == 0:
            report(f"{number} kills, {count(crowd)} answers acknowledged")
    stop.set()
    for person in crowd:
        person.join(300)
        assert not person.is_alive()
        assert person.error is None, person.error
    server.stop()
    server.close()
    store = SqlStore(database)
    wrong = compare(crowd, store)
    store.close()
    return count(crowd), sum(person.retried for person in crowd), wrong


def count(crowd):
    """Answers that were acknowledged so far."""
    return sum(len(answers) for person in crowd for answers in person.acknowledged.copy().values())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--people", type=int, default=8)
    parser.add_argument("--database", help="SQLAlchemy URL; by default a SQLite file that is thrown away")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        database = options.database or f"sqlite:///{folder}/sessions.db"
        answers, again, wrong = run(options.kills, options.people, database, options.seed, print)
    print(f"{options.kills} kills: {answers} answers acknowledged, {again} sent again and known, {len(wrong)} wrong")
    for item in wrong[:20]:
        print(item)
    raise SystemExit(bool(wrong))


if __name__ == "__main__":
    main()
