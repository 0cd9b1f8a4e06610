"""Weights sharded over processes: the same numbers as in one process, and an ordinary state."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn

from core.engine.loader import DeviceSplit
from core.engine.trainer import Trainer
from core.wings.launch.engine.rank_step import StepRounds
from core.wings.launch.engine.ranks import Ranks
from core.wings.launch.engine.sharded_trainer import ShardedTrainer
from core.wings.launch.engine.shards import parts_of, shard, whole
from tests.gpu.engines import engine, template
from tests.wings.launch.engine.forked_ranks import on_ranks, trained

CLOSE = 1e-6
"""The largest difference of a loss that is rounding, as a share of it."""


class Net(nn.Module):
    """Composites of all kinds: one within another, a list, and two that share a weight."""

    def __init__(self) -> None:
        super().__init__()
        self.outer = nn.Sequential(nn.Linear(2, 2), nn.Sequential(nn.Linear(2, 2)))
        self.rows = nn.ModuleList([nn.Linear(2, 2)])
        self.one, self.other = nn.Sequential(nn.Linear(2, 2)), nn.Sequential(nn.Linear(2, 2))
        self.other[0].weight = self.one[0].weight
        self.twice = self.again = nn.Sequential(nn.Linear(2, 2))
        self.head = nn.Linear(2, 2)


def test_each_composite_with_weights_of_its_own_is_gathered_by_itself() -> None:
    net = Net()
    composites = {"outer", "outer.1", "rows", "one", "other", "twice", "again", "empty"}
    assert parts_of(net, composites) == [net.outer[1], net.outer, net.twice]


def test_a_round_counts_the_ranks_that_have_a_micro_batch() -> None:
    counted = [StepRounds(0, 1, 5, number).counted(2) for number in range(3)]
    assert counted == [2, 2, 1]


def gpt(kind: type[Trainer], steps: int = 6, **settings: Any) -> Any:
    """The small Transformer; steps of four micro-batches, the last one of fewer."""
    found = template("gpt_text")
    given = {"epochs": 1, "batch_size": 4, "accumulate": 4, **settings}
    made: Any = engine("cpu", found, kind, **given)
    made.validation = DeviceSplit(*made.validation.rows(torch.arange(8)))
    groups = made.batches_of_epoch()
    kept = [*groups[: steps - 1], groups[steps][:3]]
    made.batches_of_epoch = lambda: kept
    if isinstance(made, ShardedTrainer):
        made.composites = {"blocks", "blocks.0", "blocks.0.attn", "blocks.1", "blocks.1.attn"}
    return made


def alone(**settings: Any) -> tuple[list[float], dict[str, Any]]:
    """Losses and state of one process."""
    trainer, losses = gpt(Trainer, **settings), []
    for _ in trainer.fit(0.0):
        losses += trainer.drain_metrics()["loss"]
    return losses, trainer.state_dict()


def apart(one: dict[str, Tensor], other: dict[str, Tensor]) -> float:
    """The largest difference, as a share of the largest number of its tensor."""
    assert one.keys() == other.keys()
    pairs = [(one[name].double(), other[name].double()) for name in one]
    return max(float((a - b).abs().max() / a.abs().max().clamp_min(1e-30)) for a, b in pairs)


@pytest.mark.slow
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"clip_norm": 0.5, "ema_decay": 0.9},
        {"clip_norm": None, "clip_value": 0.01, "optimizer": "SGD"},
    ],
)
@pytest.mark.parametrize("world", [2, 4])
def test_sharded_ranks_equal_one_process_to_rounding(world: int, settings: dict[str, Any]) -> None:
    losses, state = alone(**settings)

    def work(ranks: Ranks) -> dict[str, Any]:
        trainer = gpt(ShardedTrainer, **settings)
        made = trained(trainer, ranks)
        if ranks.rank:
            return {}
        own = trainer.state_dict()
        (mine,), (whole,) = own["optimizers"], state["optimizers"]
        moments = {f"{i} {n}": v for i, s in mine["state"].items() for n, v in s.items()}
        wanted = {f"{i} {n}": v for i, s in whole["state"].items() for n, v in s.items()}
        found = {"losses": made["loss"], "weights": apart(state["model"], own["model"])}
        found["moments"] = apart(wanted, moments) if wanted else 0.0
        found["groups"] = mine["param_groups"] == whole["param_groups"]
        if own["average"]:
            found["average"] = apart(state["average"], own["average"])
        return found

    first, *_ = on_ranks(world, work)
    assert first["losses"] == pytest.approx(losses, rel=CLOSE)
    assert first["weights"] < 1e-4
    assert first["moments"] < 1e-5
    assert first.get("average", 0.0) < 1e-4
    assert first["groups"]


class InPlace(nn.Module):
    """A block whose output is a view, which the next one changes in place."""

    def __init__(self) -> None:
        super().__init__()
        self.block = nn.Sequential(nn.Linear(4, 4), nn.Unflatten(1, (2, 2)))
        self.relu, self.head = nn.ReLU(inplace=True), nn.Linear(4, 1)

    def forward(self, x: Tensor) -> Tensor:
        """(N, 4) to (N, 1)."""
        return self.head(self.relu(self.block(x)).flatten(1))


def gradients(ranks: Ranks) -> list[Any]:
    """Gradients of each rank's own batch, added up; on one rank those of all batches."""
    torch.manual_seed(0)
    module, world = InPlace(), 2
    step = StepRounds(0, 1, world)
    if ranks.world > 1:
        shard(module, {"block"}, ranks, lambda: step)
    for batch in [ranks.rank] if ranks.world > 1 else range(world):
        torch.manual_seed(batch)
        module(torch.randn(3, 4)).square().mean().backward()
    found = (weight.grad for weight in module.parameters())
    return [whole(grad, ranks).tolist() for grad in found if grad is not None]


@pytest.mark.slow
def test_gradients_are_those_of_one_process_to_the_bit_where_a_view_is_changed() -> None:
    one = gradients(Ranks())
    assert len(one) == 4
    assert on_ranks(2, gradients) == [one, one]
