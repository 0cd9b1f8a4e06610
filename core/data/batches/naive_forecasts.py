"""Forecasts without a network: the last value again, and that of a season ago."""

import torch
from torch import Tensor

from core.data.table.season import known_before, season_of


def naive_forecasts(targets: Tensor, learned: int, length: int, ahead: int) -> dict[int, Tensor]:
    """By the rows that each rule goes back, what it predicts for each window, (S, ahead).

    targets: of each row, (N,), NaN where they are missing. learned: how many rows the training
    part has, which say whether there is a season.
    """
    series = known_before(targets.double().numpy())
    season = season_of(series[:learned])
    values = torch.from_numpy(series).float()
    backs = dict.fromkeys((1, season) if season else (1,))
    return {back: repeated(values, back, length, ahead) for back in backs}


def repeated(series: Tensor, season: int, length: int, ahead: int) -> Tensor:
    """For each window, (S, ahead): of each row to predict the last row before, whole seasons ago.

    series: (N,) without missing values. NaN where a row lies before the first one.
    """
    first = torch.arange(length, len(series) - ahead + 1)[:, None]
    step = torch.arange(ahead)[None]
    rows = first + step - season * (step // season + 1)
    return torch.where(rows < 0, torch.nan, series[rows.clamp_min(0)])
