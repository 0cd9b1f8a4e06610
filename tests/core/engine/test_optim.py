"""Schedules of resolved training settings: what the learning rate is, epoch by epoch."""

import pytest
from torch import nn

from core.engine.optim import configure_optimizers
from core.settings.validate import resolve


def test_a_warm_up_climbs_in_equal_steps_to_the_full_rate() -> None:
    given = {"optimizer": "SGD", "lr": 0.4, "warmup": 3, "scheduler": None}
    learning = configure_optimizers(nn.Linear(2, 2), resolve(given, "classification"), 1)
    rates = [learning.lr]
    for _ in range(4):
        for optimiser in learning.optimisers:
            optimiser.step()
        learning.step_schedulers(loss=1.0)
        rates.append(learning.lr)
    assert rates == pytest.approx([0.1, 0.2, 0.3, 0.4, 0.4])
