"""The season of a series, and forecasts without a network: by other calculations."""

import math

import numpy as np
import pytest
import torch

from core.data.batches.naive_forecasts import naive_forecasts, repeated
from core.data.table.season import known_before, season_of

GENERATOR = np.random.default_rng(0)
ROWS = np.arange(300.0)
NOISE = GENERATOR.normal(size=300)
SERIES = {
    "a wave of twelve rows": (np.sin(ROWS * math.tau / 12) + 0.3 * NOISE, 12),
    "weeks on a trend": ((ROWS % 7 < 5) + ROWS / 50 + 0.1 * NOISE, 7),
    "noise": (NOISE, 0),
    "what wanders": (NOISE.cumsum(), 0),
    "a straight line": (3 * ROWS + 1e6, 0),
    "one value": (np.full(300, 7.0), 0),
    "two seasons alone": (np.sin(ROWS[:24] * math.tau / 12), 0),
    "few rows": (np.array([1.0, 2.0, 1.0, 2.0]), 0),
}


@pytest.mark.parametrize("name", SERIES)
def test_a_season_is_found_where_there_is_one(name: str) -> None:
    series, season = SERIES[name]
    assert season_of(series) == season


def test_missing_values_are_the_last_known_and_at_the_start_the_first() -> None:
    nan = math.nan
    found = known_before(np.array([nan, nan, 2.0, nan, 5.0, nan]))
    assert found.tolist() == [2, 2, 2, 2, 5, 5]


@pytest.mark.parametrize("season", [1, 2, 5])
def test_a_rule_repeats_what_was_known_before_the_forecast(season: int) -> None:
    series = [float(value) for value in GENERATOR.integers(0, 99, 20)]
    found = repeated(torch.tensor(series), season, 6, 4)
    assert found.shape == (11, 4)
    for window in range(11):
        for step in range(4):
            row = window + 6 + step
            while row >= window + 6:  # whole seasons ago, to before the forecast
                row -= season
            assert found[window, step] == series[row]


def test_before_the_first_row_nothing_can_be_repeated() -> None:
    found = repeated(torch.arange(9.0), 7, 5, 1).flatten()
    assert found.isnan().tolist() == [True, True, False, False]


def test_the_season_is_that_of_the_rows_that_are_learned_from() -> None:
    changed = np.concatenate([np.sin(ROWS * math.tau / 12), np.sin(ROWS * math.tau / 5)])
    assert [*naive_forecasts(torch.from_numpy(changed), 300, 4, 1)] == [1, 12]
