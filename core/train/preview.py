"""The learning rate of a run before it begins, moved by torch's own schedules."""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import nn

from core.data.batches import steps_per_epoch

from .recipe import Recipe, make_recipe
from .resolve import resolve
from .schedules import moves

MOVES = 50_000  # of a schedule; more take longer than anybody waits for a picture
SHOWN = 400


def rates(
    training: Mapping[str, Any], task: str, losses: Sequence[str], samples: int
) -> dict[str, Any]:
    """Give the learning rate over the epochs: {"epochs": [...], "lr": [...], "why": ""}.

    Of a schedule that cannot be told beforehand both lists are empty and "why" says so.
    samples: how many there are to learn from. Raises TrainingError for wrong settings.
    """
    settings = resolve(training, task, losses)
    schedule = (settings["scheduler"] or {}).get("name", "")
    if schedule == "ReduceLROnPlateau":
        return _untold("It falls whenever the validation loss no longer does, so it is not known.")
    per_epoch = -(-steps_per_epoch(samples, settings["batch_size"]) // settings["accumulate"])
    each = per_epoch if moves(settings) == "step" else 1
    count = settings["epochs"] * each
    if count > MOVES:
        return _untold(f"The run is too long to draw: its schedule moves {count:,} times.")
    with torch.random.fork_rng(devices=[]):
        weight = nn.Linear(1, 1)
    found = _moved(make_recipe(weight, settings, per_epoch), count)
    chosen = sorted({count * i // SHOWN for i in range(SHOWN)} | {count - 1})
    return {"epochs": [i / each for i in chosen], "lr": [found[i] for i in chosen], "why": ""}


def _untold(why: str) -> dict[str, Any]:
    return {"epochs": [], "lr": [], "why": why}


def _moved(recipe: Recipe, count: int) -> list[float]:
    """The rates of so many moves; a weight without gradient makes every step do nothing."""
    found: list[float] = []
    for _ in range(count):
        found.append(recipe.lr)
        for optimiser in recipe.optimisers:
            optimiser.step()
        for schedule in recipe.schedules:
            schedule.step()
    return found
