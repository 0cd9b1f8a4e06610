"""Gradients cut number by number, and epochs that are not better by enough to go on for."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from core.common.errors import TrainingError
from core.engine import trainer as engine
from core.engine.loader import DeviceSplit
from core.engine.top_k import is_better
from core.engine.trainer import Trainer
from core.settings.validate import resolve
from core.tasks.readings.numeric import OneNumber
from core.worker.run_loop import RunLoop
from tests.core.single_output import single_loss
from tests.core.small_runs import train_here

Make = Callable[..., Path]
ROWS = torch.arange(12.0).reshape(6, 2) / 4


def engine_of(**settings: Any) -> Trainer:
    """A line that is to be the sum of two numbers times 100: its gradients are large."""
    torch.manual_seed(3)
    plain = {"optimizer": "SGD", "lr": 0.5, "loss": "MSELoss", "epochs": 50, "batch_size": 6}
    training = resolve({**plain, **settings}, "regression")
    part = DeviceSplit((ROWS,), (ROWS.sum(1, keepdim=True) * 100,))
    goal = single_loss(training, OneNumber())
    return Trainer(nn.Linear(2, 1), training, (part, part), goal)


def test_each_number_of_a_gradient_is_cut_to_the_largest_allowed() -> None:
    engine = engine_of(clip_value=0.25)
    before = [weight.detach().clone() for weight in engine.recipe.weights]
    engine.make_step(engine.batches_of_epoch()[0])
    moved = [w.detach() - b for w, b in zip(engine.recipe.weights, before, strict=True)]
    assert [m.round(decimals=5).tolist() for m in moved] == [[[0.125, 0.125]], [0.125]]


@pytest.mark.parametrize("settings", [{}, {"clip_norm": 0.5}])
def test_noise_on_gradients_is_torchs_own_after_clipping(settings: dict[str, Any]) -> None:
    plain, noisy = engine_of(**settings), engine_of(grad_noise=0.25, **settings)
    plain.make_step(plain.batches_of_epoch()[0])
    torch.manual_seed(7)
    noisy.make_step(noisy.batches_of_epoch()[0])
    torch.manual_seed(7)
    for weight, without in zip(noisy.recipe.weights, plain.recipe.weights, strict=True):
        noise = 0.25 * torch.randn_like(without)
        assert torch.allclose(weight, without - 0.5 * noise, rtol=0, atol=1e-5)
    assert not torch.equal(noisy.recipe.weights[0], plain.recipe.weights[0])


@pytest.mark.parametrize("settings", [{}, {"accumulate": 3, "batch_size": 2}])
def test_it_is_torchs_own_clipping_of_the_whole_step(settings: dict[str, Any]) -> None:
    engine = engine_of(clip_value=120.0, **settings)
    group, module = engine.batches_of_epoch()[0], engine_of().module
    parts = [
        nn.functional.mse_loss(module(ROWS[rows]), engine.train.targets[0][rows]) for rows in group
    ]
    (sum(parts[1:], parts[0]) / len(parts)).backward()
    wanted = list(module.parameters())
    assert any(weight.grad is not None and weight.grad.abs().max() > 120 for weight in wanted)
    nn.utils.clip_grad_value_(wanted, 120.0)
    torch.optim.SGD(wanted, lr=0.5).step()
    engine.make_step(group)
    for weight, other in zip(engine.recipe.weights, wanted, strict=True):
        assert torch.allclose(weight, other)


def test_a_gradient_that_is_infinite_is_left_out_not_cut() -> None:
    engine = engine_of(clip_value=0.25, on_not_finite="skip")
    before = [weight.detach().clone() for weight in engine.recipe.weights]
    engine.train.targets[0][2] = float("inf")
    engine.make_step(engine.batches_of_epoch()[0])
    assert engine.skips is not None
    assert engine.skips.total == 1
    for weight, old in zip(engine.recipe.weights, before, strict=True):
        assert torch.equal(weight, old)


def test_a_gradient_is_clipped_one_way_only() -> None:
    with pytest.raises(TrainingError) as found:
        resolve({"clip_norm": 1, "clip_value": 0.5}, "classification")
    assert found.value.message == (
        "Gradients are clipped in one way but clip_norm is 1 and clip_value is 0.5."
    )


def place(*rank: float, metric: str = "val_loss") -> dict[str, Any]:
    return {"metric": metric, "rank": list(rank)}


@pytest.mark.parametrize(
    ("now", "before", "by", "better"),
    [
        (place(0.5), None, 0.1, True),
        (place(0.5), place(0.5), 0.0, False),
        (place(0.4), place(0.5), 0.0, True),
        (place(0.375), place(0.5), 0.125, False),
        (place(0.37), place(0.5), 0.125, True),
        (place(-0.9, 0.2), place(-0.9, 0.3), 0.0, True),
        (place(-0.9, 0.2), place(-0.9, 0.3), 0.01, False),
        (place(-7.0, metric="last"), place(-6.0, metric="last"), 5.0, True),
        (place(0.5), place(float("nan")), 0.0, True),
        (place(float("nan")), place(0.5), 0.0, False),
    ],
)
def test_an_epoch_is_better_by_more_than_is_asked(
    now: dict[str, Any], before: dict[str, Any] | None, by: float, better: bool
) -> None:
    assert is_better(now, before, by) is better


def ends(engine: Trainer, losses: Sequence[float]) -> int:
    """The epoch after which patience is over, where these are the validation losses."""
    for loss in losses[engine.epoch :]:
        engine._note_best({"val_loss": loss})
        engine.epoch += 1
        if engine.should_stop_early:
            break
    return engine.epoch


LOSSES = [1.0, 0.95, 0.92, 0.89, 0.86, 0.7, 0.69, 0.68, 0.67, 0.1]


def test_patience_starts_anew_only_where_enough_was_gained() -> None:
    engine = engine_of(patience=3, min_delta=0.1)
    assert ends(engine, LOSSES) == 9
    assert engine.progress == {"metric": "val_loss", "rank": [0.7], "epoch": 6}
    assert engine.best is not None
    assert (engine.best["epoch"], engine.best["value"]) == (9, 0.67)
    assert ends(engine_of(patience=3), LOSSES) == 10


@pytest.mark.parametrize("epoch", range(1, 9))
def test_going_on_from_a_checkpoint_ends_at_the_same_epoch(epoch: int) -> None:
    whole, part = (engine_of(patience=3, min_delta=0.1) for _ in range(2))
    ends(part, LOSSES[:epoch])
    later = engine_of(patience=3, min_delta=0.1)
    later.load_state_dict(part.state_dict())
    assert ends(later, LOSSES) == ends(whole, LOSSES) == 9


def test_a_checkpoint_from_before_there_was_min_delta_counts_from_its_best_epoch() -> None:
    before = engine_of(patience=3)
    ends(before, LOSSES[:4])
    state = before.state_dict()
    del state["progress"]
    after = engine_of(patience=3)
    after.load_state_dict(state)
    assert after.progress is not None
    assert after.progress["epoch"] == 4


@pytest.mark.gate
def test_a_run_stopped_again_and_again_ends_at_the_epoch_of_one_that_never_was(
    iris_run: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = {"epochs": 200, "lr": 0.02, "patience": 5, "min_delta": 0.05, "best_by": "val_loss"}
    whole, broken = iris_run(**settings), iris_run(**settings)
    view = train_here(whole)
    assert view.best is not None
    assert view.epoch < 200
    assert view.message == (
        "No validation loss better by more than 0.05 in 5 epochs, so it ended after epoch "
        f"{view.epoch}."
    )
    assert view.best["epoch"] > view.epoch - 5, "small gains are kept, but count for nothing"
    monkeypatch.setattr(engine, "TICK_S", 0.0)  # it looks up after every step
    monkeypatch.setattr(
        RunLoop, "_time_limit_state", lambda self: "stopped" if self.engine.step % 7 == 0 else ""
    )
    attempts = 1
    while (again := train_here(broken)).state == "stopped":
        attempts += 1
    assert attempts > 4
    assert (again.state, again.epoch, again.message) == ("finished", view.epoch, view.message)
    assert again.best == view.best
