"""What a host program set stays set, whatever is asked of us."""

import multiprocessing
import os
import threading
import warnings

import pytest
import torch

import rather.numerics.threads
from rather import SKIP, Belief, Catalog, Policy, Session, SimulatedUser, Stopping
from rather.numerics.threads import allowed_threads, on_all_threads, one_thread
from worlds import normal, world


@pytest.fixture
def host_threads():
    """The host allows three threads."""
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    yield 3
    torch.set_num_threads(before)


# The default finds the same best question from most draws; random questions show every draw.
STRATEGIES = ["auto", "random", "cont-free"]


def converse(seed: int = 0, strategy: str = "auto") -> Session:
    here = world(n=40, m=100, smooth=True)
    talk = Session(Policy(here.catalog, here.belief, seed=seed, strategy=strategy), stopping=Stopping())
    person = SimulatedUser(here.belief.particles[0], talk.policy.response, seed)
    for _ in range(3):
        talk.tell(talk.ask(), person.answer(talk.ask()))
    talk.tell(talk.ask(), SKIP)
    talk.undo()
    talk.recommend(3), talk.stop, talk.expected_regret
    Session.from_json(talk.to_json(), here.catalog, here.belief).ask()
    return talk


def test_one_thread_inside_and_the_hosts_number_after(host_threads):
    with one_thread():
        assert torch.get_num_threads() == 1
    assert torch.get_num_threads() == host_threads


def test_one_thread_may_be_nested(host_threads):
    with one_thread():
        with one_thread():
            assert torch.get_num_threads() == 1
        assert torch.get_num_threads() == 1
    assert torch.get_num_threads() == host_threads


def test_inside_one_thread_the_hosts_number_is_known(host_threads):
    with one_thread(), one_thread():
        assert allowed_threads() == host_threads


def test_the_hosts_number_is_back_after_an_error(host_threads):
    with pytest.raises(KeyError), one_thread():
        raise KeyError
    assert torch.get_num_threads() == host_threads


def number_in_a_new_thread() -> int:
    seen = []
    thread = threading.Thread(target=lambda: seen.append(torch.get_num_threads()))
    thread.start()
    thread.join()
    return seen[0]


@pytest.mark.skipif(
    rather.numerics.threads._native_limits() is None, reason="this torch cannot be limited for one thread alone"
)
def test_a_thread_started_while_we_compute_gets_the_hosts_number(host_threads):
    with one_thread():
        assert number_in_a_new_thread() == host_threads
        on_all_threads(lambda piece: piece, range(9))
        assert number_in_a_new_thread() == host_threads


def test_a_torch_that_can_only_set_all_threads_at_once_is_restored_too(host_threads, monkeypatch):
    monkeypatch.setattr(rather.numerics.threads, "_native_limits", lambda: None)
    with one_thread():
        assert torch.get_num_threads() == 1
    assert torch.get_num_threads() == number_in_a_new_thread() == host_threads


def test_pieces_run_on_one_torch_thread_each_and_come_back_in_order(host_threads):
    together = threading.Barrier(2)  # passes only when two pieces run at the same time

    def work(piece: int) -> tuple[int, int]:
        if piece < 2:
            together.wait(timeout=60)
        return piece, torch.get_num_threads()

    assert on_all_threads(work, range(20)) == [(piece, 1) for piece in range(20)]
    assert torch.get_num_threads() == host_threads


def test_a_host_with_one_thread_gets_no_helpers():
    names = on_all_threads(lambda _: threading.current_thread().name, range(5))
    assert set(names) == {threading.current_thread().name}


def test_what_a_piece_raises_is_raised(host_threads):
    def work(piece: int) -> None:
        if piece == 7:
            raise KeyError(piece)

    with pytest.raises(KeyError, match="7"):
        on_all_threads(work, range(9))
    assert torch.get_num_threads() == host_threads


def test_pieces_of_pieces_do_not_wait_for_each_other(host_threads):
    sums = on_all_threads(lambda piece: sum(on_all_threads(lambda part: part, range(piece))), range(6))
    assert sums == [0, 0, 1, 3, 6, 10]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_process_gets_helpers_of_its_own(host_threads):
    on_all_threads(lambda piece: piece, range(4))
    child = multiprocessing.get_context("fork").Process(target=_pieces_in_a_child)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # Python warns of forks beside threads: here they are meant
        child.start()
    child.join(timeout=60)
    assert child.exitcode == 0


def _pieces_in_a_child() -> None:
    ok = on_all_threads(lambda piece: piece, range(4)) == [0, 1, 2, 3]
    os._exit(0 if ok else 1)


def test_a_conversation_leaves_the_number_of_threads_alone(host_threads):
    converse()
    assert torch.get_num_threads() == host_threads


def test_a_rejected_answer_leaves_the_number_of_threads_alone(host_threads):
    talk = converse()
    with pytest.raises(ValueError, match="choice"):
        talk.tell(talk.ask(), 7)
    assert torch.get_num_threads() == host_threads


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_conversation_leaves_torchs_global_generator_alone(strategy):
    before = torch.get_rng_state()
    converse(strategy=strategy)
    assert torch.equal(torch.get_rng_state(), before)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_conversation_does_not_depend_on_torchs_global_generator(strategy):
    torch.manual_seed(1)
    one = converse(strategy=strategy).ask()
    torch.manual_seed(2)
    assert converse(strategy=strategy).ask() == one


def test_a_conversation_does_not_depend_on_the_number_of_threads(host_threads):
    many = converse().ask()
    torch.set_num_threads(1)
    assert converse().ask() == many


@pytest.fixture
def double_by_default():
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


def test_a_conversation_does_not_depend_on_the_hosts_default_dtype(double_by_default):
    double = converse()
    torch.set_default_dtype(torch.float32)
    assert converse().ask() == double.ask()
    assert double.belief.particles.dtype == torch.float32


@pytest.mark.usefixtures("double_by_default")
def test_every_way_to_a_belief_works_under_a_default_of_double():
    catalog = Catalog(normal(9, 2))
    for belief in (
        Belief.from_users(normal(20, 2), weights=range(20)),
        Belief.from_users([[1.0, 2.0], [0.5, 1.0]]),
        Belief.gaussian([0.0, 0.0], [[1.0, 0.0], [0.0, 1.0]], particles=50),
    ):
        assert Session(Policy(catalog, belief, strategy="cont-reg")).ask().evoi >= 0


def test_gradients_switched_off_by_the_host_make_no_difference():
    with torch.no_grad():
        off = converse().ask()
    assert converse().ask() == off


def test_conversations_in_several_threads_give_what_they_give_alone(host_threads):
    alone = [converse(seed).ask() for seed in range(4)]
    found = {}
    workers = [
        threading.Thread(target=lambda seed=seed: found.update({seed: converse(seed).ask()})) for seed in range(4)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [found[seed] for seed in range(4)] == alone
    assert torch.get_num_threads() == host_threads
