"""Kill a busy server again and again, and see that no answer is lost or doubled: `killing.py --kills 100`."""

import argparse
import random
import tempfile
import threading
import time

from processes import ServerProcess, SimulatedUser, compare
from serving import free_port

from rather.server.sessions.sql_store import SqlStore


def run(kills, users, database, seed=0, report=lambda line: None):
    """Kill the server this many times while simulated users answer.

    Returns:
        (acknowledged answers, answers that were sent again, what is wrong)
    """
    moments, stop = random.Random(seed), threading.Event()
    server = ServerProcess(free_port(), database).start()
    crowd = [SimulatedUser(number, [server.url], stop) for number in range(users)]
    for user in crowd:
        user.start()
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
    for user in crowd:
        user.join(300)
        assert not user.is_alive()
        assert user.error is None, user.error
    server.stop()
    server.close()
    store = SqlStore(database)
    wrong = compare(crowd, store)
    store.close()
    return count(crowd), sum(user.retried for person in crowd), wrong


def count(crowd):
    """Answers that were acknowledged so far."""
    return sum(len(answers) for user in crowd for answers in user.acknowledged.copy().values())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--users", type=int, default=8)
    parser.add_argument("--database", help="SQLAlchemy URL; by default a SQLite file that is thrown away")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        database = options.database or f"sqlite:///{folder}/sessions.db"
        answers, again, wrong = run(options.kills, options.users, database, options.seed, print)
    print(
        f"{options.kills} kills: {answers} answers acknowledged, {again} sent again and recognised, {len(wrong)} wrong"
    )
    for item in wrong[:20]:
        print(item)
    raise SystemExit(bool(wrong))


if __name__ == "__main__":
    main()
