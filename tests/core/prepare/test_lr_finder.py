"""The learning-rate finder: what it suggests of a curve, and that it leaves nothing behind."""

import math
from pathlib import Path

import pytest
import torch

from core.common.errors import TrainingError
from core.engine import trainer
from core.prepare.lr_finder import find_lr, suggested

IRIS = Path(__file__).parents[3] / "projects" / "mlp_iris.loom.json"


def test_the_steepest_descent_and_a_tenth_of_the_minimum_are_suggested() -> None:
    rates = [10 ** (i / 10 - 6) for i in range(70)]
    losses = [2 - 1.5 / (1 + math.exp(-4 * (math.log10(r) + 3))) for r in rates[:55]]
    losses += [losses[-1] * 1.5**i for i in range(15)]
    found = suggested(rates, losses)
    assert 1e-3 < found["steepest"] < 4e-3
    assert found["tenth"] == pytest.approx(0.03, rel=0.3)
    assert len(found["lr"]) == len(found["loss"]) < 70


def test_losses_that_are_never_numbers_are_refused() -> None:
    with pytest.raises(TrainingError, match="not finite even with the smallest"):
        suggested([1e-6 * 2**i for i in range(20)], [math.nan] * 20)


def test_a_network_is_tried_without_moving_any_random_state() -> None:
    torch.manual_seed(5)
    before = torch.get_rng_state()
    found = find_lr(IRIS.read_text("utf-8"))
    assert torch.equal(torch.get_rng_state(), before)
    assert 1e-4 < found["steepest"] < 1.0
    assert found["loss"][0] > min(found["loss"]) > 0
    assert found["lr"][0] == pytest.approx(1e-6)
    assert found == find_lr(IRIS.read_text("utf-8"))


def test_what_is_found_does_not_depend_on_when_the_losses_were_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = find_lr(IRIS.read_text("utf-8"))
    for tick_s in (0.0, math.inf):  # after every step, and after every epoch
        monkeypatch.setattr(trainer, "TICK_S", tick_s)
        assert find_lr(IRIS.read_text("utf-8")) == found
