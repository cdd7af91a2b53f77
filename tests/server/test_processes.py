"""Real server processes: killed, drained, and two on one database."""

import re
import threading
import time
import urllib.request

import killing
from killing import count
from processes import ServerProcess, SimulatedUser, compare
from serving import free_port

from rather.client import Client
from rather.server.sessions.sql_store import SqlStore


def wait_for(condition, seconds=300.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.005)


def arrived(server):
    """Answers that the server has received, whether it has answered them or not."""
    with urllib.request.urlopen(f"{server.url}/metrics") as response:
        text = response.read().decode()
    done = re.search(r'rather_requests_total\{.*?answers",status="200"\} ([\d.]+)', text)
    under_way = re.search(r"(?m)^rather_requests_under_way ([\d.]+)", text)
    return (float(done[1]) if done else 0) + float(under_way[1]) - 1  # this request itself


def test_no_acknowledged_answer_is_lost_or_doubled_by_kills(database):
    answers, _, wrong = killing.run(4, 6, database)
    assert wrong == []
    assert answers >= 4


def test_two_processes_on_one_database_serve_the_same_sessions(any_database):
    servers = [ServerProcess(free_port(), any_database) for _ in range(2)]
    starting = [threading.Thread(target=server.start) for server in servers]  # both may find an empty database
    for thread in starting:
        thread.start()
    for thread in starting:
        thread.join()
    stop = threading.Event()
    urls = [server.url for server in servers]
    crowd = [SimulatedUser(number, urls[number % 2 :] + urls[: number % 2], stop) for number in range(6)]
    for user in crowd:
        user.start()
    for number, server in enumerate(servers, start=1):
        wait_for(lambda number=number: count(crowd) > 15 * number)
        server.kill()
        server.start()
    wait_for(lambda: count(crowd) > 45)
    stop.set()
    for user in crowd:
        user.join(300)
        assert user.error is None
    assert [server.stop() for server in servers] == [0, 0]
    store = SqlStore(any_database)
    assert compare(crowd, store) == []
    store.close()
    for server in servers:
        server.close()


def test_a_restart_goes_on_with_the_same_question_and_a_signal_drains(database):
    server = ServerProcess(free_port(), database).start()
    with Client(server.url, patience=30.0) as client:
        client.tell(client.ask(), 1)
        question = client.ask()
        server.kill()
        server.start()
        client.refresh()
        assert client.ask() == question
    sessions = [Client(server.url, patience=0.0, strategy="cont-deep-retr", k=5) for _ in range(6)]
    results = []

    def tell(client):
        try:
            client.tell(client.ask(), 0)
            results.append(client.number)
        except Exception as error:
            results.append(error)

    threads = [threading.Thread(target=tell, args=(client,)) for client in sessions]
    for thread in threads:
        thread.start()
    wait_for(lambda: arrived(server) == 6)
    assert server.stop() == 0
    for thread in threads:
        thread.join()
    assert results == [2] * 6
    store = SqlStore(database)
    assert all(len(store.load(client.id).events) == 1 for client in sessions)
    store.close()
    for client in sessions:
        client.close()
    server.close()
