"""Bodies that go on after their answer wait for others, and end."""

from types import SimpleNamespace
from typing import Any

import pytest

from core.wings.serve.patience import Deadlines

MB = 1 << 20


class Base:
    """What uvicorn's protocol does with what comes: here nothing."""

    def data_received(self, data: bytes) -> None:
        pass


class Probe(Deadlines, Base):
    """A connection of one request that is answered, or not."""

    def __init__(self, answered: bool, others: int) -> None:
        self.cycle = SimpleNamespace(response_complete=answered)
        self.done = list[Any]()
        self.connections = set(range(others + 1))
        self.transport = SimpleNamespace(
            pause_reading=lambda: self.done.append("pause"),
            resume_reading=lambda: self.done.append("resume"),
            abort=lambda: self.done.append("abort"),
        )
        self.loop = SimpleNamespace(call_later=lambda seconds, call: self.done.append(seconds))


@pytest.mark.parametrize(("others", "seconds"), [(0, 0.005), (31, 0.16), (99, 0.2)])
def test_what_nobody_reads_comes_the_slower_the_more_there_are(others: int, seconds: float) -> None:
    probe = Probe(answered=True, others=others)
    probe.data_received(bytes(MB // 4))
    assert probe.done == ["pause", seconds]


def test_a_small_rest_and_a_body_without_its_answer_do_not_wait() -> None:
    rest, body = Probe(answered=True, others=31), Probe(answered=False, others=31)
    rest.data_received(bytes(1000))
    for _ in range(100):
        body.data_received(bytes(MB))
    assert rest.done == body.done == []


def test_a_body_that_goes_on_and_on_ends() -> None:
    probe = Probe(answered=True, others=0)
    for _ in range(65):
        probe.data_received(bytes(MB))
    assert probe.done.count("abort") == 1
    assert probe.done[-1] == "abort"
