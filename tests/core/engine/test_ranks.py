"""Several processes that train one network: the same numbers as one process."""

from typing import Any

import pytest

from core.engine.ranked_trainer import RankedTrainer
from core.engine.ranks import Ranks
from core.engine.trainer import Trainer
from tests.core.engine.forked_ranks import buffers, on_ranks, trained, weights_hash
from tests.core.small_runs import project, table_net
from tests.gpu.engines import engine

IRIS: dict[str, Any] = {"epochs": 2, "batch_size": 8, "accumulate": 4, "lr": 0.01}


def of_iris(kind: type[Trainer] = Trainer, **settings: Any) -> Any:
    """A trainer of a small net on iris."""
    found = project(table_net(4, 3), {"source": "iris"}, **{**IRIS, **settings})
    return engine("cpu", found, kind)


def in_one_process(**settings: Any) -> dict[str, Any]:
    """What an ordinary trainer comes to."""
    trainer, curves = of_iris(**settings), {"loss": [], "epochs": []}
    for moment in trainer.fit(0.0):
        curves["loss"] += trainer.drain_metrics()["loss"]
        if moment == "epoch":
            curves["epochs"].append(dict(trainer.record))
    return {"weights": weights_hash(trainer), "buffers": buffers(trainer), **curves}


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"clip_norm": 0.1, "ema_decay": 0.9, "precision": "bfloat16"},
        {"on_not_finite": "skip", "optimizer": "SGD", "drop_last": True, "grad_noise": 0.01},
        {"sampler": "balanced", "class_weights": "balanced", "scheduler": {"name": "StepLR"}},
    ],
)
@pytest.mark.parametrize("world", [1, 2, 4])
def test_ranks_equal_one_process_that_accumulates_to_the_bit(
    world: int, settings: dict[str, Any]
) -> None:
    alone = in_one_process(**settings)
    first, *others = on_ranks(
        world, lambda ranks: trained(of_iris(RankedTrainer, **settings), ranks)
    )
    assert first == alone
    assert {other["weights"] for other in others} <= {alone["weights"]}
