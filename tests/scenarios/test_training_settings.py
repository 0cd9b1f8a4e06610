"""Settings of the training panel do what their help says, and resume stays exact with them."""

import copy
import random
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch import nn

from core.common.errors import TrainingError
from core.engine import trainer as engine
from core.engine.load_module import load_module
from core.engine.objective import LossTerm, Objective
from core.engine.optim import configure_optimizers
from core.engine.trainer import DeviceSplit, Trainer
from core.prepare.lr_preview import rates
from core.runs import checkpoint
from core.runs.listing import read_events, view_run
from core.settings.validate import resolve
from core.tasks.readings.numeric import OneNumber
from core.worker import launch
from core.worker.launch import resume, start, wait
from core.worker.run_loop import RunLoop
from tests.core.single_output import single_loss
from tests.core.small_runs import ended, train_here, until

Make = Callable[..., Path]


def test_training_ends_when_no_epoch_was_better_for_as_long_as_patience(iris_run: Make) -> None:
    run_dir = iris_run(epochs=400, lr=0.3, patience=4)
    view = train_here(run_dir)
    assert view.state == "finished"
    assert view.best is not None
    assert view.epoch == view.best["epoch"] + 4 < 400
    ending = f"No better validation accuracy in 4 epochs, so it ended after epoch {view.epoch}."
    assert view.message == ending
    assert [e["message"] for e in read_events(run_dir) if e["kind"] == "ended"] == [ending]


def test_a_run_without_patience_trains_all_its_epochs(iris_run: Make) -> None:
    view = train_here(iris_run(epochs=30, lr=0.3))
    assert (view.state, view.epoch, view.message) == ("finished", 30, "")


@pytest.mark.slow
def test_a_killed_run_with_patience_ends_at_the_epoch_of_one_that_never_was(
    small_run: Make,
) -> None:
    settings = {"epochs": 200, "lr": 0.05, "patience": 3, "decay_of": "matrices"}
    whole, broken = (small_run(**settings, checkpoint_every_s=0.0) for _ in range(2))
    start(whole)
    assert until(whole, ended).state == "finished"
    start(broken)
    last = view_run(whole).step
    for part in range(3):
        at = last * part // 4 + random.Random(part).randrange(max(1, last // 5))
        until(
            broken, lambda view, at=at: ended(view) or (view.state == "running" and view.step >= at)
        )
        launch.kill(broken, signal.SIGKILL)
        assert wait(broken, 20)
        if view_run(broken).state == "crashed":
            resume(broken)
    assert until(broken, ended).epoch == view_run(whole).epoch < 200
    for which in ("last", "best"):
        expected, found = (load_module(run, which).state_dict() for run in (whole, broken))
        assert all(torch.equal(expected[name], found[name]) for name in expected)


def test_a_run_stops_when_its_minutes_are_over_and_resume_goes_on(small_run: Make) -> None:
    run_dir = small_run(epochs=100_000, max_minutes=0.001)
    view = train_here(run_dir)
    assert view.state == "stopped"
    assert view.resumable
    assert view.message == (
        "The time limit of 0.001 minutes was reached. Resume adds 0.001 minutes."
    )
    later = train_here(run_dir)
    assert later.state == "stopped"
    assert later.step > view.step > 0


def test_weight_decay_may_leave_biases_and_normalisation_alone() -> None:
    torch.manual_seed(0)
    module = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Linear(8, 3))
    nn.init.ones_(module[0].bias)
    before = {name: weight.detach().clone() for name, weight in module.named_parameters()}
    settings = {"optimizer": "AdamW", "lr": 0.1, "optimizer_settings": {"weight_decay": 0.5}}
    training = resolve({**settings, "decay_of": "matrices"}, "classification")
    recipe = configure_optimizers(module, training, 5)
    for weight in module.parameters():
        weight.grad = torch.zeros_like(weight)  # so that nothing but the decay moves it
    recipe.optimisers[0].step()
    for name, weight in module.named_parameters():
        factor = 0.95 if weight.ndim > 1 else 1.0
        torch.testing.assert_close(weight.detach(), before[name] * factor)


WARM = {"lr": 0.1, "epochs": 6, "warmup": 2, "batch_size": 10}


def rates_of(**settings: object) -> list[float]:
    found = rates({**WARM, **settings}, "classification", ["CrossEntropyLoss"], samples=100)
    return [round(rate, 6) for rate in found["lr"]]


def test_the_rate_climbs_for_the_warm_up_and_the_schedule_begins_after_it() -> None:
    assert rates_of() == [0.033333, 0.066667, 0.1, 0.1, 0.1, 0.1]
    cosine = rates_of(scheduler="CosineAnnealingLR")
    assert cosine == [0.033333, 0.066667, 0.1, 0.085355, 0.05, 0.014645]
    step = rates_of(scheduler={"name": "StepLR", "step_size": 2, "gamma": 0.5})
    assert step == [0.033333, 0.066667, 0.1, 0.1, 0.05, 0.05]


def test_the_curve_of_a_schedule_that_moves_each_step_has_every_step() -> None:
    found = rates(
        {"lr": 0.1, "epochs": 2, "batch_size": 10, "scheduler": "OneCycleLR"},
        "classification",
        ["CrossEntropyLoss"],
        100,
    )
    assert found["epochs"] == pytest.approx([i / 10 for i in range(20)])
    assert (round(found["lr"][0], 6), round(max(found["lr"]), 6)) == (0.004, 0.1)
    assert found["lr"].index(max(found["lr"])) == 5


def test_a_schedule_that_follows_the_loss_is_said_not_to_be_known() -> None:
    plan = {"scheduler": "ReduceLROnPlateau"}
    found = rates(plan, "classification", ["CrossEntropyLoss"], 100)
    assert found["lr"] == []
    assert found["why"].startswith("It drops when the validation loss stops improving")


@pytest.mark.parametrize("name", ["OneCycleLR", "ReduceLROnPlateau"])
def test_a_warm_up_before_a_schedule_that_cannot_wait_is_refused(name: str) -> None:
    with pytest.raises(TrainingError, match=f"warmup is 2 but {name} cannot start after"):
        resolve({**WARM, "scheduler": name}, "classification")


def test_a_warm_up_that_leaves_no_epochs_is_refused() -> None:
    with pytest.raises(TrainingError, match="must be less than the 2 epochs but is 2"):
        resolve({"epochs": 2, "warmup": 2}, "classification")


@pytest.mark.slow
def test_a_run_stopped_in_its_warm_up_goes_on_bit_for_bit(
    small_run: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    same_after_stops(small_run, monkeypatch, 30, epochs=6, warmup=3, scheduler="CosineAnnealingLR")


@pytest.mark.slow
def test_a_run_that_accumulates_and_averages_goes_on_bit_for_bit(
    small_run: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    same_after_stops(
        small_run, monkeypatch, 4, epochs=2, accumulate=3, ema_decay=0.9, batch_size=32
    )


def engine_of(module: nn.Module, rows: int, **settings: object) -> Trainer:
    """An engine on a straight line, in plain steps of 1 against the gradient."""
    plain = {"optimizer": "SGD", "lr": 0.1, "epochs": 1, "loss": "MSELoss", **settings}
    training = resolve(plain, "regression")
    x = torch.arange(float(rows))[:, None] / rows
    part = DeviceSplit((x,), (2 * x + 1,))
    return Trainer(module, training, (part, part), single_loss(training, OneNumber()))


def test_equal_batches_that_make_one_step_are_as_one_larger_batch() -> None:
    torch.manual_seed(0)
    one, three = nn.Linear(1, 1), nn.Linear(1, 1)
    three.load_state_dict(one.state_dict())
    for module, size, many in ((one, 12, 1), (three, 4, 3)):
        engine = engine_of(module, 12, batch_size=size, accumulate=many)
        assert list(engine.fit())[-1] == "epoch"
        assert engine.step == 1
    torch.testing.assert_close(one.weight, three.weight)
    torch.testing.assert_close(one.bias, three.bias)


def test_batches_that_make_one_step_train_each_part_by_its_own_losses() -> None:
    """As one batch of their size would, where each of two losses moves another block."""

    class Two(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.make, self.judge = nn.Linear(1, 1), nn.Linear(1, 1)

        def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            made = self.make(x)
            return made, self.judge(made)

    torch.manual_seed(0)
    whole = Two()
    parts = copy.deepcopy(whole)
    for module, size, many in ((whole, 12, 1), (parts, 4, 3)):
        plain = {"optimizer": "SGD", "lr": 0.1, "epochs": 1, "loss": "MSELoss"}
        training = resolve({**plain, "batch_size": size, "accumulate": many}, "regression")
        x = torch.arange(12.0)[:, None] / 12
        aims = [
            LossTerm("made", nn.MSELoss(), (0,), 0, trains="make"),
            LossTerm("judged", nn.L1Loss(), (1,), 0, trains="judge"),
        ]
        part = DeviceSplit((x,), (3 * x,))
        found = Trainer(module, training, (part, part), Objective(aims))
        assert list(found.fit())[-1] == "epoch"
        assert found.step == 1
    for one, three in zip(whole.parameters(), parts.parameters(), strict=True):
        torch.testing.assert_close(one, three)
        assert one.grad is not None


def test_a_short_last_step_divides_by_the_batches_it_has() -> None:
    """Four batches, three to a step: the step of the fourth is a whole one."""
    torch.manual_seed(0)
    module, alone = nn.Linear(1, 1), nn.Linear(1, 1)
    engine = engine_of(module, 16, batch_size=4, accumulate=3)
    groups = engine.batches_of_epoch()
    assert [len(group) for group in groups] == [3, 1]
    engine.make_step(groups[0])
    alone.load_state_dict(module.state_dict())
    engine.make_step(groups[1])
    single = engine_of(alone, 16, batch_size=4)
    single.make_step(groups[1])
    assert torch.equal(module.weight, alone.weight)
    assert engine.drain_metrics()["step"] == [1, 2]


def test_the_average_follows_the_weights_by_what_the_decay_leaves() -> None:
    torch.manual_seed(0)
    module = nn.Linear(1, 1)
    engine = engine_of(module, 4, batch_size=4, ema_decay=0.75)
    group = engine.batches_of_epoch()[0]
    engine.make_step(group)
    first = module.weight.detach().clone()
    engine.make_step(group)
    expected = 0.75 * first + 0.25 * module.weight.detach()
    torch.testing.assert_close(engine.eval_model.weight.detach(), expected)
    assert engine.eval_model is not module


def test_the_averaged_weights_are_those_a_run_gives_away(iris_run: Make) -> None:
    run_dir = iris_run(epochs=3, ema_decay=0.9, best_by="last")
    assert train_here(run_dir).state == "finished"
    last, best = (load_module(run_dir, which).state_dict() for which in ("last", "best"))
    assert all(torch.equal(last[name], best[name]) for name in last)
    raw = checkpoint.load(run_dir, "last")["model"]
    assert not torch.equal(raw["fc1.weight"], best["fc1.weight"])


def same_after_stops(
    make: Make, monkeypatch: pytest.MonkeyPatch, every: int, **settings: object
) -> None:
    """A run stopped after every so many steps equals one that was not."""
    whole, broken = make(**settings), make(**settings)
    assert train_here(whole).state == "finished"
    monkeypatch.setattr(engine, "TICK_S", 0.0)  # it looks up after every step
    monkeypatch.setattr(
        RunLoop,
        "_time_limit_state",
        lambda self: "stopped" if self.engine.step % every == 0 else "",
    )
    while train_here(broken).state == "stopped":
        assert view_run(broken).step % every == 0
    assert view_run(broken).attempt > 3
    for which in ("last", "best"):
        expected, found = (load_module(run, which).state_dict() for run in (whole, broken))
        assert all(torch.equal(expected[name], found[name]) for name in expected)


def test_an_optimiser_without_weight_decay_cannot_leave_any_out() -> None:
    with pytest.raises(TrainingError, match="Rprop has no weight decay, so decay_of must be"):
        resolve({"optimizer": "Rprop", "decay_of": "matrices"}, "classification")


def test_rates_of_blocks_with_a_factor_are_drawn_beside_the_rate():
    plan = {**WARM, "scheduler": {"name": "OneCycleLR"}, "warmup": 0}
    found = rates(plan, "classification", ["CrossEntropyLoss"], 100, (0.1, 2.0))
    slow, fast = found["others"]
    assert [round(s / r, 6) for s, r in zip(slow, found["lr"], strict=True)] == [0.1] * len(slow)
    assert [round(f / r, 6) for f, r in zip(fast, found["lr"], strict=True)] == [2.0] * len(fast)
