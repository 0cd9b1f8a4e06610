"""Batch norm over processes: what one process with the whole batch has, forward and backward."""

from collections.abc import Callable

import pytest
import torch
from torch import nn

from core.engine.synced_norms import SyncedNorms
from core.wings.launch.engine.ranks import Ranks
from tests.wings.launch.engine.forked_ranks import on_ranks
from tests.wings.launch.engine.test_rank_statistics import Residual, Twice

NORMS: dict[str, Callable[[], nn.Module]] = {
    "BatchNorm2d": lambda: nn.BatchNorm2d(3, momentum=0.3),
    "BatchNorm1d": lambda: nn.Sequential(nn.Flatten(), nn.BatchNorm1d(12)),
    "SyncBatchNorm": lambda: nn.SyncBatchNorm(3, momentum=0.3),
    "momentum None": lambda: nn.BatchNorm2d(3, momentum=None),
    "no statistics": lambda: nn.BatchNorm2d(3, track_running_stats=False),
    "no weights": lambda: nn.BatchNorm2d(3, affine=False),
    "double": lambda: nn.BatchNorm2d(3).double(),
    "twice": lambda: Twice(0.1),
    "residual": Residual,
    "frozen": lambda: nn.BatchNorm2d(3).eval(),
}
BATCHES = (7, 6)


def network(kind: str) -> nn.Module:
    torch.manual_seed(1)
    norm = NORMS[kind]()
    first = nn.Conv2d(3, 3, 1).to(torch.float64 if kind == "double" else torch.float32)
    return nn.Sequential(first, norm, nn.Flatten())


def batches(kind: str) -> list[torch.Tensor]:
    torch.manual_seed(2)
    made = [torch.randn(count, 3, 2, 2) * 2 + 1 for count in BATCHES]
    return [x.double() for x in made] if kind == "double" else made


def results(model: nn.Module, loss: torch.Tensor) -> list[torch.Tensor]:
    """Gradients of a loss, then the buffers."""
    loss.backward()
    grads = [w.grad if w.grad is not None else torch.zeros(1) for w in model.parameters()]
    return [*grads, *(buffer.double() for buffer in model.buffers())]


def by_parts(kind: str) -> Callable[[Ranks], list[list[float]]]:
    """Each rank has every second sample of a batch; gradients and statistics of all."""

    def work(ranks: Ranks) -> list[list[float]]:
        model = network(kind)
        norms = SyncedNorms(model, ranks.rank, ranks.world, ranks.world)
        loss = torch.zeros(())
        for x in batches(kind):
            norms.begin(ranks.world)
            loss = loss + model(x[ranks.rank :: ranks.world]).pow(3).sum()
        found = results(model, loss)
        norms.end()
        for gradient in found[: len(list(model.parameters()))]:
            ranks.all_reduce(gradient)
        return [each.flatten().tolist() for each in found]

    return work


@pytest.mark.gate
@pytest.mark.parametrize("kind", NORMS)
def test_processes_have_what_one_process_has_of_the_whole_batch(kind: str) -> None:
    model = network("BatchNorm2d" if kind == "SyncBatchNorm" else kind)
    loss = sum((model(x).pow(3).sum() for x in batches(kind)), torch.zeros(()))
    expected = [each.flatten().tolist() for each in results(model, loss)]
    first, _ = on_ranks(2, by_parts(kind))
    for found, wanted in zip(first, expected, strict=True):
        assert found == pytest.approx(wanted, rel=1e-4, abs=1e-3)


def _open(ranks: Ranks) -> list[int]:
    norms = SyncedNorms(nn.BatchNorm1d(2), ranks.rank, ranks.world, 3)
    sizes = list[int]()
    for counted in (6, 5, 4, 3, 1):
        norms.begin(counted)
        sizes += [size for size, group in norms.groups.items() if group is norms.group] or [1]
    return sizes


def test_the_processes_of_a_smaller_batch_are_fewer() -> None:
    assert on_ranks(6, _open) == [
        [3, 3, 3, 3, 1],
        [3, 3, 3, 3, 1],
        [3, 3, 3, 3, 1],
        [3, 2, 1, 1, 1],
        [3, 2, 1, 1, 1],
        [3, 1, 1, 1, 1],
    ]
