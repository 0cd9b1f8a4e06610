"""The season of a series: after how many rows it repeats itself."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

LEAST_SEASONS = 3
"""Seasons in the training rows: a period that comes only twice may be chance."""
LONGEST = 2000
"""Rows of a season: half-hours of six weeks. Longer ones need more rows than windows reach."""
CLEAR, ERRORS = 0.3, 3.0
"""The least autocorrelation of a season, and in standard errors, 1 / sqrt(rows): the highest of
many lags of a series without a season is two to three of them."""
NEAR = 0.5
"""The least correlation of each value with the one before it where they follow each other."""
ALIKE = 0.9
"""Of the highest autocorrelation: the first lag near it is the season, its multiples follow it."""
FLAT = 1e-9
"""Of the largest value: what is left of a straight line when that is taken away, by rounding."""
Numbers = NDArray[np.float64]


def season_of(series: Numbers) -> int:
    """Rows after which a series (N,) repeats itself, by its autocorrelation; 0 without a season.

    A straight line is taken away first: a trend makes near rows alike, but is no season. A season
    is a peak, higher than the lags beside it: values that wander make only near rows alike.
    """
    count = len(series)
    longest = min(count // LEAST_SEASONS, LONGEST)
    if longest < 3:
        return 0
    time = np.linspace(-1, 1, count)
    values = series - series.mean()
    values = values - time * (values @ time) / (time @ time)
    if not np.abs(values).max() > FLAT * np.abs(series).max():
        return 0
    power = np.fft.irfft(np.abs(np.fft.rfft(values, 2 * count)) ** 2)[: longest + 2]
    alike = power / power[0] * count / (count - np.arange(len(power)))
    inner = alike[2:-1]
    clear = max(CLEAR, ERRORS / count**0.5)
    peaks = (inner > alike[1:-2]) & (inner >= alike[3:]) & (inner > clear)
    if not peaks.any():
        return 0
    good = peaks & (inner >= ALIKE * inner[peaks].max())
    return int(good.argmax()) + 2


def follows(series: Numbers) -> bool:
    """Whether values (N,) tell the next ones: each is near the one before, or they come again after
    a season."""
    before, after = series[:-1] - series.mean(), series[1:] - series.mean()
    power = float(before @ before)
    return (power > 0 and float(before @ after) / power > NEAR) or season_of(series) > 0


def known_before(series: Numbers) -> Numbers:
    """A series (N,) whose missing values are the last known, at its start the first known.

    At least one value has to be known.
    """
    return pd.Series(series).ffill().bfill().to_numpy(copy=True)
