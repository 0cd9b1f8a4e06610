"""How many threads a network runs with: measured at the start, for one sample and for a batch.

More threads than a small network can use slow one sample down, and take the cores on which other
requests are read and answered. Needs torch.
"""

from collections.abc import Callable, Mapping
from time import perf_counter
from typing import Any

import torch

from core.common.threads import seconds_by_threads
from core.wings.serve.batching import FEW, Columns, Outputs, Run

LEAST_GAIN = 1.25
"""How many times as fast more threads must be. LeNet on two cores: 1.0 for one sample, where the
second thread only takes the core that reads requests; 1.5 to 1.9 for a batch of 64."""
LONG_BATCH_S = 0.5
"""A batch that takes longer is not tried: it gets the threads that one sample is worth."""


class FewestThreads:
    """A network that runs with as many threads as make it fast, and no more.

    few, many: threads for at most FEW samples, and for more. Both are torch's own number until
    `measure` is called, in the thread in which the network runs.
    """

    def __init__(self, run: Run, interface: Mapping[str, Any], most: int) -> None:
        self.run, self.interface, self.most = run, interface, most
        self.few = self.many = torch.get_num_threads()

    def __call__(self, columns: Columns, count: int) -> Outputs:
        """The outputs of `count` samples."""
        torch.set_num_threads(self.few if count <= FEW else self.many)
        return self.run(columns, count)

    def measure(self) -> None:
        """Run zeros: one sample, and a full batch where that takes no longer than LONG_BATCH_S. A
        network that fails on zeros keeps torch's number: the answer to a request says why."""
        threads = torch.get_num_threads()
        if threads == 1:
            return
        try:
            one = seconds_by_threads(self._timed(1), threads)
            self.few = self.many = worth(one)
            if min(one.values()) * self.most <= LONG_BATCH_S:
                self.many = worth(seconds_by_threads(self._timed(self.most), threads))
        except (RuntimeError, IndexError, ValueError):
            self.few = self.many = threads

    def _timed(self, count: int) -> Callable[[], float]:
        """A call that runs the network on as many samples of zeros, and returns its seconds."""
        columns = tuple(
            torch.zeros((count, *spec["shape"]), dtype=getattr(torch, spec["dtype"]))
            for spec in self.interface["inputs"]
        )

        def call() -> float:
            began = perf_counter()
            self.run(columns, count)
            return perf_counter() - began

        return call


def worth(seconds: Mapping[int, float]) -> int:
    """The fewest threads from which on no more make a call LEAST_GAIN times as fast."""
    chosen, *more = sorted(seconds)
    for count in more:
        if seconds[chosen] >= LEAST_GAIN * seconds[count]:
            chosen = count
    return chosen
