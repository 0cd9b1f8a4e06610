"""Several processes that train one network: the same numbers as one process."""

from dataclasses import replace
from typing import Any

import pytest

from core.engine.trainer import Trainer
from core.wings.launch.engine import rank_step
from core.wings.launch.engine.ranked_trainer import RankedTrainer
from core.wings.launch.engine.ranks import Ranks
from tests.core.small_runs import CHANCY_NET, project, table_net
from tests.gpu.engines import engine, template
from tests.wings.launch.engine.forked_ranks import buffers, on_ranks, trained, weights_hash

WITHOUT_DROPOUT = {
    "nodes": {**CHANCY_NET["nodes"], "drop1": {"block": "ReLU"}},
    "edges": CHANCY_NET["edges"],
}

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


@pytest.mark.slow(keep=["2-settings1"])
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


def of_digits(kind: type[Trainer] = Trainer, **settings: Any) -> Any:
    """A trainer of the chancy net: batch norm keeps buffers, dropout draws random numbers."""
    return engine("cpu", None, kind, **{"epochs": 1, "batch_size": 64, "accumulate": 4, **settings})


@pytest.mark.slow
def test_batch_norm_keeps_the_statistics_of_one_process() -> None:
    found = project(WITHOUT_DROPOUT, {"source": "digits"}, epochs=1, batch_size=64, accumulate=4)
    alone = engine("cpu", found)
    for _ in alone.fit():
        pass
    made: Any = engine("cpu", found, RankedTrainer)
    first, second = on_ranks(2, lambda ranks: trained(made, ranks))
    assert first["weights"] == weights_hash(alone)
    assert first["buffers"] == second["buffers"]
    assert first["buffers"] == pytest.approx(buffers(alone), rel=1e-5, abs=1e-6)


@pytest.mark.slow
def test_dropout_is_the_same_on_any_number_of_ranks() -> None:
    one, *_ = on_ranks(1, lambda ranks: trained(of_digits(RankedTrainer), ranks))
    three, *_ = on_ranks(3, lambda ranks: trained(of_digits(RankedTrainer), ranks))
    assert three == one


def first_steps(name: str, kind: type[Trainer], steps: int = 3) -> Any:
    """A trainer of a template that draws nothing, for a few steps of four micro-batches."""
    found = template(name)
    found = replace(found, data={k: v for k, v in found.data.items() if k != "noise"})
    made: Any = engine("cpu", found, kind, epochs=1, batch_size=4, accumulate=4)
    whole = made.batches_of_epoch
    made.batches_of_epoch = lambda: whole()[:steps]
    return made


@pytest.mark.slow
@pytest.mark.parametrize("name", ["lenet_digits", "regression_diabetes", "gpt_text", "unet_digits"])
@pytest.mark.parametrize("world", [1, 2, 4])
def test_templates_train_on_ranks_as_in_one_process(world: int, name: str) -> None:
    alone = first_steps(name, Trainer)
    for _ in alone.fit(0.0):
        pass
    first, *others = on_ranks(world, lambda ranks: trained(first_steps(name, RankedTrainer), ranks))
    assert first["weights"] == weights_hash(alone)
    assert [other["weights"] for other in others] == [first["weights"]] * (world - 1)


@pytest.mark.slow
def test_several_losses_that_move_weights_of_their_own_are_added_up_alike() -> None:
    one, *_ = on_ranks(1, lambda ranks: trained(first_steps("dcgan_digits", RankedTrainer), ranks))
    two, *_ = on_ranks(2, lambda ranks: trained(first_steps("dcgan_digits", RankedTrainer), ranks))
    assert two == one


@pytest.mark.slow
def test_large_gradients_are_added_up_to_rounding(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rank_step, "ORDERED_BYTES", 0)
    alone = of_iris()
    for _ in alone.fit():
        pass
    first, second, _, _ = on_ranks(4, lambda ranks: numbers(of_iris(RankedTrainer), ranks))
    assert first == second
    assert first == pytest.approx(all_numbers(alone), rel=1e-4, abs=1e-6)


def numbers(trainer: RankedTrainer, ranks: Ranks) -> list[float]:
    """Train, and return all weights."""
    trained(trainer, ranks)
    return all_numbers(trainer)


def all_numbers(trainer: Any) -> list[float]:
    """All numbers of all weights."""
    return [x for weight in trainer.module.parameters() for x in weight.flatten().tolist()]


@pytest.mark.gate
def test_batch_norm_of_whole_batches_makes_two_processes_equal_one() -> None:
    settings = {"epochs": 1, "batch_size": 64, "lr": 0.05, "optimizer": "SGD"}
    found = project(WITHOUT_DROPOUT, {"source": "digits"}, **settings, drop_last=True)
    alone = engine("cpu", found)
    for _ in alone.fit():
        pass

    def on_rank(ranks: Ranks) -> list[list[float]]:
        trainer: Any = engine("cpu", found, RankedTrainer, batch_size=32, accumulate=2)
        trainer.training = {**trainer.training, "batch_parts": 2}
        return [numbers(trainer, ranks), buffers(trainer)]

    first, second = on_ranks(2, on_rank)
    assert first == second
    assert first[0] == pytest.approx(all_numbers(alone), rel=1e-3, abs=1e-5)
    assert first[1] == pytest.approx(buffers(alone), rel=1e-3, abs=1e-5)
