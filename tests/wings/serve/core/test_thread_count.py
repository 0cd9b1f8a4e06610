"""A served network runs with no more threads than make it faster."""

from typing import Any

import pytest
import torch
from torch import Tensor

from core.wings.serve import thread_count
from core.wings.serve.batching import Columns
from core.wings.serve.thread_count import FewestThreads, worth

INTERFACE: dict[str, Any] = {"inputs": [{"shape": [2], "dtype": "float32"}]}
ONE, MANY = (torch.ones(1, 2),), (torch.ones(8, 2),)


@pytest.mark.parametrize(
    ("seconds", "chosen"),
    [
        ({1: 0.010}, 1),
        ({2: 0.010, 1: 0.010}, 1),
        ({2: 0.0081, 1: 0.010}, 1),
        ({2: 0.008, 1: 0.010}, 2),
        ({8: 0.020, 4: 0.025, 2: 0.045, 1: 0.080}, 8),
        ({8: 0.021, 4: 0.025, 2: 0.045, 1: 0.080}, 4),
        ({4: 0.030, 2: 0.070, 1: 0.080}, 4),
        ({6: 0.050}, 6),
    ],
)
def test_threads_are_worth_it_where_they_are_a_quarter_faster(
    seconds: dict[int, float], chosen: int
) -> None:
    assert worth(seconds) == chosen


class Network:
    """Notes the threads that it runs with; `takes` is the seconds by samples and threads."""

    def __init__(
        self, monkeypatch: pytest.MonkeyPatch, takes: dict[tuple[int, int], float]
    ) -> None:
        self.threads, self.clock, self.takes = 4, 0.0, takes
        self.ran = list[tuple[int, int]]()
        monkeypatch.setattr(torch, "get_num_threads", lambda: self.threads)
        monkeypatch.setattr(torch, "set_num_threads", lambda count: setattr(self, "threads", count))
        monkeypatch.setattr(thread_count, "perf_counter", lambda: self.clock)

    def __call__(self, columns: Columns, count: int) -> list[Tensor]:
        assert [column.shape for column in columns if column is not None] == [(count, 2)]
        self.ran.append((count, self.threads))
        self.clock += self.takes[count, self.threads]
        return [torch.zeros(count)]


def test_one_sample_and_a_batch_have_threads_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    one = {(1, 1): 0.001, (1, 2): 0.001, (1, 4): 0.002}
    network = Network(monkeypatch, one | {(8, 1): 0.008, (8, 2): 0.005, (8, 4): 0.003})
    paced = FewestThreads(network, INTERFACE, 8)
    paced.measure()
    assert (paced.few, paced.many) == (1, 4)
    network.ran.clear()
    for columns, count in ((ONE, 1), (MANY, 8), (ONE, 1)):
        paced(columns, count)
    assert network.ran == [(1, 1), (8, 4), (1, 1)]


def test_a_batch_that_would_take_long_is_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    network = Network(monkeypatch, {(1, 1): 0.4, (1, 2): 0.2, (1, 4): 0.1})
    paced = FewestThreads(network, INTERFACE, 8)
    paced.measure()
    assert (paced.few, paced.many) == (4, 4)


def test_a_network_that_fails_on_zeros_keeps_the_threads_of_torch(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    network = Network(monkeypatch, {})

    def failing(columns: Columns, count: int) -> list[Tensor]:
        raise ValueError(f"{count} samples of zeros")

    paced = FewestThreads(failing, INTERFACE, 8)
    paced.measure()
    assert (paced.few, paced.many) == (4, 4)
    assert network.ran == []


def test_with_one_thread_nothing_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    network = Network(monkeypatch, {})
    network.threads = 1
    paced = FewestThreads(network, INTERFACE, 8)
    paced.measure()
    assert (paced.few, paced.many, network.ran) == (1, 1, [])
