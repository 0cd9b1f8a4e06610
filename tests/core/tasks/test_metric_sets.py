"""Metrics of numbers, from their sums: mean absolute error and R²."""

import math

import pytest
import torch

from core.tasks.readings.numeric import OneNumber


def values(outputs: list[float], targets: list[float]) -> dict[str, float]:
    measure = OneNumber()
    return measure.values(measure.sums(torch.tensor(outputs), torch.tensor(targets)))


def test_r2_is_of_the_spread_around_the_mean() -> None:
    found = values([11.0, 11.0, 12.0, 12.0], [10.0, 11.0, 12.0, 13.0])
    assert found == pytest.approx(
        {"mae": 0.5, "r2": 0.6}
    )  # 1 - 2/5: squares 2, around 11.5 they are 5


def test_r2_of_the_mean_is_0_however_far_the_mean_is_from_0() -> None:
    assert values([101.0] * 3, [100.0, 101.0, 102.0])["r2"] == pytest.approx(0.0)


def test_r2_of_equal_targets_is_not_a_number() -> None:
    assert math.isnan(values([1.0, 2.0], [3.0, 3.0])["r2"])
