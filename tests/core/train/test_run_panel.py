"""Settings of the training panel do what their help says, and resume stays exact with them."""

import random
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from small_runs import ended, train_here, until
from torch import nn

from core.train import control, load_module, read_events, resume, start, view_run, wait
from core.train.errors import TrainingError
from core.train.preview import rates
from core.train.recipe import make_recipe
from core.train.resolve import resolve

Make = Callable[..., Path]


def test_training_ends_when_no_epoch_was_better_for_as_long_as_patience(iris_run: Make) -> None:
    run_dir = iris_run(epochs=400, lr=0.3, patience=4)
    view = train_here(run_dir)
    assert view.state == "finished"
    assert view.best is not None
    assert view.epoch == view.best["epoch"] + 4 < 400
    ending = f"No better val_accuracy in 4 epochs, so it ended after epoch {view.epoch}."
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
        control.kill(broken, signal.SIGKILL)
        assert wait(broken, 20)
        if view_run(broken).state == "crashed":
            resume(broken)
    assert until(broken, ended).epoch == view_run(whole).epoch < 200
    for which in ("last", "best"):
        expected, found = (load_module(run, which).state_dict() for run in (whole, broken))
        assert all(torch.equal(expected[name], found[name]) for name in expected)


def test_a_run_stops_when_its_minutes_are_over_and_resume_goes_on(small_run: Make) -> None:
    run_dir = small_run(epochs=100_000, max_minutes=0.01)
    view = train_here(run_dir)
    assert view.state == "stopped"
    assert view.resumable
    assert view.message == "Its 0.01 minutes are over. Resume gives it as many again."
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
    recipe = make_recipe(module, training, 5)
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
    assert found["why"].startswith("It falls whenever the validation loss no longer does")


@pytest.mark.parametrize("name", ["OneCycleLR", "ReduceLROnPlateau"])
def test_a_warm_up_before_a_schedule_that_cannot_wait_is_refused(name: str) -> None:
    with pytest.raises(TrainingError, match=f"warmup is 2 but {name} cannot begin after"):
        resolve({**WARM, "scheduler": name}, "classification")


def test_a_warm_up_that_leaves_no_epochs_is_refused() -> None:
    with pytest.raises(TrainingError, match="needs less than the 2 epochs but receives 2"):
        resolve({"epochs": 2, "warmup": 2}, "classification")


@pytest.mark.slow
def test_a_run_killed_in_its_warm_up_goes_on_bit_for_bit(small_run: Make) -> None:
    same_after_kills(small_run, epochs=6, warmup=3, scheduler="CosineAnnealingLR")


def same_after_kills(make: Make, **settings: object) -> None:
    """A run stopped by max_minutes again and again equals one that was not."""
    whole = make(**settings)
    broken = make(**settings, max_minutes=1e-5)
    assert train_here(whole).state == "finished"
    for _ in range(40):
        if train_here(broken).state == "finished":
            break
    assert view_run(broken).attempt > 3
    for which in ("last", "best"):
        expected, found = (load_module(run, which).state_dict() for run in (whole, broken))
        assert all(torch.equal(expected[name], found[name]) for name in expected)


def test_an_optimiser_without_weight_decay_cannot_leave_any_out() -> None:
    with pytest.raises(TrainingError, match="Rprop has no weight decay, so decay_of needs to be"):
        resolve({"optimizer": "Rprop", "decay_of": "matrices"}, "classification")
