"""Buffers that several processes keep alike: each kind of norm has those of one process."""

from typing import Any

import pytest
import torch
from torch import nn

from core.engine.rank_statistics import NormStatistics
from core.engine.torchrun_functions import SharedBuffers
from core.wings.launch.engine.ranks import Ranks
from tests.wings.launch.engine.forked_ranks import on_ranks

WORLD = 2


class Twice(nn.Module):
    """A norm that a forward pass uses twice."""

    def __init__(self, momentum: float | None) -> None:
        super().__init__()
        self.norm = nn.BatchNorm2d(3, momentum=momentum)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.norm(self.norm(x) * 3 + 1)


class Residual(nn.Module):
    """A norm beside the way around it."""

    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.BatchNorm2d(3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.norm(x)


class Counter(nn.Module):
    """Own state that a forward pass changes: the sum of the first number of each batch."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("seen", torch.zeros(()))
        self.register_buffer("fixed", torch.tensor([2, 3]))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.seen: torch.Tensor
        self.seen += x.flatten()[0].detach()
        return x


def frozen() -> nn.Module:
    """A norm that stays as in evaluation."""
    return nn.BatchNorm2d(3).eval()


def lazy() -> nn.Module:
    """A norm that learnt its size."""
    norm = nn.LazyBatchNorm2d()
    norm(torch.zeros(2, 3, 2, 2))
    return norm


NORMS: dict[str, Any] = {
    "BatchNorm2d": lambda: nn.BatchNorm2d(3, momentum=0.3),
    "BatchNorm1d": lambda: nn.Sequential(nn.Flatten(2), nn.BatchNorm1d(3)),
    "double": lambda: nn.BatchNorm2d(3).double(),
    "momentum None": lambda: nn.BatchNorm2d(3, momentum=None),
    "twice": lambda: Twice(0.1),
    "twice, momentum None": lambda: Twice(None),
    "residual": Residual,
    "frozen": frozen,
    "no statistics": lambda: nn.BatchNorm2d(3, track_running_stats=False),
    "InstanceNorm2d": lambda: nn.InstanceNorm2d(3, track_running_stats=True),
    "InstanceNorm2d, momentum None": lambda: nn.InstanceNorm2d(
        3, momentum=None, track_running_stats=True
    ),
    "frozen InstanceNorm2d": lambda: nn.InstanceNorm2d(3, track_running_stats=True).eval(),
    "lazy": lazy,
}


def batches() -> list[torch.Tensor]:
    """The batches of a step, two rounds for two processes."""
    torch.manual_seed(0)
    return [torch.randn(4, 3, 2, 2) * (1 + k) + k for k in range(4)]


def numbers(module: nn.Module) -> list[float]:
    """All numbers of all buffers."""
    return [float(n) for buffer in module.buffers() for n in buffer.flatten()]


def like(module: nn.Module, batch: torch.Tensor) -> torch.Tensor:
    """The batch in the type of the module's weights."""
    weight = next(module.parameters(), None)
    return batch if weight is None else batch.to(weight.dtype)


@pytest.mark.parametrize("name", NORMS)
def test_shares_of_two_processes_give_the_statistics_of_one(name: str) -> None:
    alone, shared = NORMS[name](), NORMS[name]()
    statistics = NormStatistics(shared)
    for batch in batches():
        alone(like(alone, batch))
    for start in range(0, 4, WORLD):
        ends = []
        for batch in batches()[start : start + WORLD]:
            statistics.begin()
            shared(like(shared, batch))
            ends.append(statistics.end())
        with torch.no_grad():
            for end in ends:
                statistics.apply(*end)
    assert numbers(shared) == pytest.approx(numbers(alone), rel=1e-5, abs=1e-6)


def passed(ranks: Ranks) -> list[float]:
    """Buffers of a process after two steps of three batches, the last round with one process."""
    made = nn.Sequential(Counter(), *[NORMS[name]() for name in NORMS if name not in LEFT_OUT])
    shared = SharedBuffers(made, ranks.world)
    for k in (0, 1, 2, 0, 1, 2):
        if k % ranks.world == ranks.rank:
            shared.begin()
            made(batches()[k])
        if k % ranks.world == ranks.world - 1 or k == 2:
            shared.add(k % ranks.world + 1, k == 2)
    return numbers(made)


LEFT_OUT = ("BatchNorm1d", "double")


@pytest.mark.slow
def test_the_buffers_of_a_script_are_alike_in_all_processes() -> None:
    first, second = on_ranks(WORLD, passed)
    assert first == second
    alone = passed(Ranks(0, 1))
    assert first[3:] == pytest.approx(alone[3:], rel=1e-4, abs=1e-5)
    assert first[0] == pytest.approx(2 * sum(float(batches()[k].flatten()[0]) for k in (0, 2)))
