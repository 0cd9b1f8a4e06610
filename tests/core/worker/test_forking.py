"""Forks of one parent: each has its own request and files, and nothing of another's."""

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.worker import child_process, forking

pytestmark = [
    pytest.mark.alone,
    pytest.mark.skipif(not forking.is_possible(), reason="this system has no such forks"),
]
FILE = Path(__file__).with_name("forking_process.py")


@pytest.fixture
def parent() -> Iterator[tuple[forking.ForkParent, "child_process.Process[bytes]"]]:
    ours, theirs = forking.pair()
    with theirs:
        words = child_process.module(str(FILE), str(theirs.fileno()))
        process = child_process.start(words, stdin=child_process.PIPE, keep=[theirs.fileno()])
    asks = forking.ForkParent(ours)
    yield asks, process
    asks.close()
    process.stdin.close()
    assert process.wait(60) == 0


def ask(parent: forking.ForkParent, **request: object) -> tuple[forking.Forked, dict]:
    reads, writes = os.pipe()
    forked = parent.fork(request, [writes])
    os.close(writes)
    with os.fdopen(reads, "rb") as said:
        return forked, json.loads(said.read())


def test_a_fork_takes_its_own_request_and_file_and_ends(parent) -> None:
    asks, process = parent
    forked, said = ask(asks, name="ann", token="a secret")
    assert said["request"] == {"name": "ann", "token": "a secret"}
    assert said["ppid"] == process.pid
    assert forked.wait(60) == 0
    assert forked.poll() == 0


def test_a_fork_holds_no_file_of_an_earlier_one_nor_of_its_parent(parent) -> None:
    asks, _ = parent
    first, before = ask(asks, name="ann", waits=True)
    second, after = ask(asks, name="bob")
    pipes = [
        {f for f in said["files"] if "pipe:" in f or "socket:" in f} for said in (before, after)
    ]
    assert len(pipes[0]) == 2  # the pipe that it was given, and the standard input of all
    assert len(pipes[0] & pipes[1]) == 1
    assert second.wait(60) == 0
    assert first.poll() is None


def test_a_secret_of_one_request_is_nowhere_in_the_memory_of_the_next(parent) -> None:
    asks, process = parent
    waiting, _ = ask(asks, name="ann", token="f0rty-two-horses", waits=True)
    other, _ = ask(asks, name="bob", waits=True)
    assert b"f0rty-two-horses" in memory(waiting.pid)
    assert b"f0rty-two-horses" not in memory(process.pid)
    assert b"f0rty-two-horses" not in memory(other.pid)


def memory(pid: int) -> bytes:
    """What a process can write to."""
    content = b""
    maps = Path(f"/proc/{pid}/maps").read_text().splitlines()
    with Path(f"/proc/{pid}/mem").open("rb", buffering=0) as file:
        for first, last in (line.split()[0].split("-") for line in maps if " rw-p " in line):
            file.seek(int(first, 16))
            content += file.read(int(last, 16) - int(first, 16))
    return content


def test_a_fork_is_ended_by_a_signal_and_a_second_one_does_nothing(parent) -> None:
    asks, _ = parent
    forked, _ = ask(asks, waits=True)
    with pytest.raises(child_process.TimeoutExpired):
        forked.wait(0)
    forked.send_signal(signal.SIGKILL)
    assert forked.wait(60) == 0
    forked.terminate()


def test_a_parent_that_has_ended_is_an_error_of_the_system() -> None:
    ours, theirs = forking.pair()
    theirs.close()
    with pytest.raises(OSError, match=r"Broken pipe"):
        forking.ForkParent(ours).fork({}, [])


def test_too_large_a_request_is_refused_with_its_size() -> None:
    ours, theirs = forking.pair()
    with theirs, pytest.raises(OSError, match="A request has 200012 bytes, at most 100000 are"):
        forking.ForkParent(ours).fork({"long": "x" * 200_000}, [])
