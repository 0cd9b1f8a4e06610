"""A pool whose process is forked: called as one of concurrent.futures, ended with its owner."""

import os
import signal
import socket
import time
from collections.abc import Iterator
from concurrent.futures import Executor
from concurrent.futures.process import BrokenProcessPool

import pytest

from core.worker import child_process, forked_pool, forking

pytestmark = [
    pytest.mark.alone,
    pytest.mark.skipif(not forking.is_possible(), reason="this system has no such forks"),
]


@pytest.fixture
def pool() -> Iterator[Executor]:
    forked_pool.use_forks()
    parent = forked_pool.parent()
    with child_process.pool() as pool:
        yield pool
    forked_pool._parent.clear()
    parent.close()


def fail(words: str) -> None:
    raise LookupError(words)


def test_calls_run_in_one_process_that_begins_outside_the_folder_of_its_owner(pool) -> None:
    assert isinstance(pool, forked_pool.ForkedPool)
    first, second = pool.submit(os.getpid).result(60), pool.submit(os.getpid).result(60)
    assert first == second != os.getpid()
    assert pool.submit(os.getcwd).result(60) == "/"


def test_two_pools_have_a_process_each(pool) -> None:
    with child_process.pool() as other:
        assert other.submit(os.getpid).result(60) != pool.submit(os.getpid).result(60)


def test_an_exception_comes_back_and_the_next_call_is_answered(pool) -> None:
    with pytest.raises(LookupError, match=r"^no such thing$"):
        pool.submit(fail, "no such thing").result(60)
    with pytest.raises(TypeError, match=r"cannot pickle '_io.TextIOWrapper'"):
        pool.submit(open, os.devnull).result(60)
    assert pool.submit(max, 3, 7).result(60) == 7


def test_what_cannot_be_sent_is_an_error_of_that_call_alone(pool) -> None:
    with pytest.raises((AttributeError, TypeError)):
        pool.submit(lambda: 1).result(60)
    assert pool.submit(max, 3, 7).result(60) == 7


def test_a_killed_process_breaks_the_calls_that_wait(pool) -> None:
    pid = pool.submit(os.getpid).result(60)
    waits = pool.submit(time.sleep, 600)
    os.kill(pid, signal.SIGKILL)
    with pytest.raises(BrokenProcessPool):
        waits.result(60)


def test_where_the_parent_was_killed_processes_start_afresh(pool) -> None:
    os.kill(pool.submit(os.getppid).result(60), signal.SIGKILL)
    for _ in range(2):
        with child_process.pool() as other:
            assert other.submit(os.getppid).result(60) == os.getpid()


def test_a_process_amid_a_call_ends_with_its_owner(pool) -> None:
    other = child_process.pool()
    pid = other.submit(os.getpid).result(60)
    waits = other.submit(time.sleep, 600)
    handle = os.pidfd_open(pid)
    with socket.socket(fileno=os.dup(other._line.fileno())) as line:
        line.shutdown(socket.SHUT_RDWR)  # as the end of the owner does; a thread of ours reads it
    assert forking.Forked(pid, handle).wait(60) == 0
    waits.cancel()
    other.shutdown(wait=False)
