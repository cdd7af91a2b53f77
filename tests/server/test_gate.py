"""Only a few threads compute at once, requests in the order they came and before work done in advance."""

import threading
import time

import pytest
from waiting import wait_for

from rather.server.computing.callers import Caller, current_caller
from rather.server.computing.gate import Gate
from rather.server.problems import ProblemError
from rather.strategies.clock import Clock


def test_who_waits_too_long_is_turned_away():
    gate = Gate(2, 0.05)
    with gate.urgent(), gate.urgent():
        with pytest.raises(ProblemError) as rejected, gate.urgent():
            pass
        assert rejected.value.status == 503
        assert rejected.value.code == "busy"
    with gate.urgent():
        pass


def test_requests_go_before_work_done_in_advance():
    gate, order = Gate(1, 60.0), []

    def ahead():
        with gate.ahead() as admitted:
            assert admitted
            order.append("ahead")

    def urgent():
        with gate.urgent():
            order.append("urgent")

    with gate.urgent():
        threads = [threading.Thread(target=ahead)]
        threads[0].start()
        time.sleep(0.05)
        threads.append(threading.Thread(target=urgent))
        threads[1].start()
        wait_for(lambda: gate.waiting == 1)
    for thread in threads:
        thread.join()
    assert order == ["urgent", "ahead"]


def test_requests_are_admitted_in_the_order_they_came():
    gate, order, threads = Gate(1, 60.0), [], []

    def urgent(number):
        with gate.urgent():
            order.append(number)

    with gate.urgent():
        for number in range(5):
            threads.append(threading.Thread(target=urgent, args=(number,)))
            threads[-1].start()
            wait_for(lambda number=number: gate.waiting == number + 1)
    for thread in threads:
        thread.join()
    assert order == [0, 1, 2, 3, 4]


def test_all_slots_are_used_and_never_more():
    gate, all_inside = Gate(3, 60.0), threading.Barrier(3)
    lock, inside, most = threading.Lock(), 0, []

    def enter():
        nonlocal inside
        with lock:
            inside += 1
            most.append(inside)

    def leave():
        nonlocal inside
        with lock:
            inside -= 1

    def together():
        with gate.urgent():
            enter()
            all_inside.wait(60)  # breaks unless three are inside at the same time
            leave()

    def work(ahead):
        for _ in range(20):
            with gate.ahead() if ahead else gate.urgent():
                enter()
                time.sleep(0.0005)
                leave()

    for targets in ([(together, ())] * 3, [(work, (number % 3 == 0,)) for number in range(9)]):
        threads = [threading.Thread(target=target, args=arguments) for target, arguments in targets]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not all_inside.broken
    assert max(most) == 3
    assert len(most) == 183


def test_work_done_in_advance_leaves_a_slot_free():
    gate, second = Gate(2, 0.05), []
    with gate.ahead():
        thread = threading.Thread(target=lambda: second.append(gate.ahead().__enter__()))
        thread.start()
        with gate.urgent():  # not turned away
            time.sleep(0.05)
            assert second == []
        time.sleep(0.05)
        assert second == []
    thread.join(60)
    assert second == [True]


def test_work_done_in_advance_waits_until_no_request_is_computed():
    gate, admitted = Gate(4, 60.0), []

    def ahead():
        with gate.ahead():
            admitted.append(True)

    threads = [threading.Thread(target=ahead) for _ in range(2)]
    with gate.urgent():
        for thread in threads:
            thread.start()
        time.sleep(0.05)
        assert admitted == []
    for thread in threads:
        thread.join(60)
    assert admitted == [True, True]


def test_a_closed_gate_admits_no_work_done_in_advance():
    gate = Gate(1, 1.0)
    gate.close()
    with gate.ahead() as admitted:
        assert not admitted
    with gate.urgent():
        pass


def test_an_exempt_thread_neither_waits_nor_takes_a_slot():
    gate, entered = Gate(1, 0.01), []

    def urgent():
        with gate.urgent():
            entered.append(True)

    with gate.exempt(), gate.urgent():
        other = threading.Thread(target=urgent)
        other.start()
        other.join()
        assert entered
    with gate.urgent():
        with gate.exempt():
            urgent()
        with pytest.raises(ProblemError):
            urgent()


def in_thread(gate, caller, work):
    """Starts a thread that asks the gate for a caller; errors become results."""

    def run():
        current_caller.set(caller)
        try:
            with gate.urgent():
                work(caller.address)
        except ProblemError as problem:
            work(problem.code)

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def test_addresses_take_turns():
    gate, order, threads = Gate(1, 60.0), [], []
    with gate.urgent():
        for number, address in enumerate("aaaabac"):
            threads.append(in_thread(gate, Caller(address), order.append))
            wait_for(lambda number=number: gate.waiting == number + 1)
    for thread in threads:
        thread.join()
    assert order == ["a", "b", "c", "a", "a", "a", "a"]


def test_who_goes_while_waiting_is_not_computed_for():
    gate, results, gone, stays = Gate(1, 60.0), [], Caller("a"), Caller("a")
    with gate.urgent():
        threads = []
        for number, caller in enumerate((gone, stays, Caller("b"))):
            threads.append(in_thread(gate, caller, results.append))
            wait_for(lambda number=number: gate.waiting == number + 1)
        gone.leave()
        threads[0].join()
        assert results == ["caller-gone"]
        assert gate.waiting == 2
    for thread in threads:
        thread.join()
    assert sorted(results) == ["a", "b", "caller-gone"]
    with gate.urgent():
        pass


def test_who_had_gone_before_does_not_wait():
    gate, results, caller = Gate(1, 60.0), [], Caller("a")
    caller.leave()
    with gate.urgent():
        in_thread(gate, caller, results.append).join()
    assert results == ["caller-gone"]
    assert gate.waiting == 0


def test_what_is_computed_for_somebody_who_has_gone_ends_and_frees_its_slot():
    gate, caller, begun, results = Gate(1, 60.0), Caller("a"), threading.Event(), []

    def work():
        current_caller.set(caller)
        try:
            with gate.urgent():
                begun.set()
                while not Clock(60_000).spent(1):
                    time.sleep(0.001)
        except ProblemError as error:
            results.append(error.code)

    thread = threading.Thread(target=work)
    thread.start()
    begun.wait(60)
    caller.leave()
    with gate.urgent():  # waits for the slot
        pass
    thread.join()
    assert results == ["caller-gone"]
    assert not Clock(None).spent(1)
