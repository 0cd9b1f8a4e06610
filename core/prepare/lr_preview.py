"""The learning rate of a run before it begins, computed by torch's own schedulers."""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from core.data.sources.counts import steps_per_epoch
from core.engine.optim import Optimization, configure_optimizers
from core.settings.lr_schedulers import has_trait, moves
from core.settings.step_settings import StepSettings
from core.settings.validate import resolve

MOVES = 50_000  # of a schedule; more take longer than anybody waits for a picture
SHOWN = 400


def rates(
    training: Mapping[str, Any],
    task: str,
    losses: Sequence[str],
    samples: int,
    factors: Sequence[float] = (),
) -> dict[str, Any]:
    """Give the learning rate over the epochs: {"epochs", "lr", "others", "stairs", "why": ""}.

    Of a schedule that cannot be told beforehand both lists are empty and "why" says so.
    stairs: whether a rate stays until the next, rather than moving with every step.
    samples: how many there are to learn from. factors: of blocks with rates of their own; "others"
    has a list for each. Raises TrainingError for wrong settings.
    """
    settings = resolve(training, task, losses)
    if has_trait(settings, "watches_loss"):
        return _unknown(
            "It drops when the validation loss stops improving, so it is not known in advance."
        )
    batches = steps_per_epoch(samples, settings["batch_size"], settings["drop_last"])
    per_epoch = StepSettings.of(settings).steps(batches)
    each = per_epoch if moves(settings) == "step" else 1
    count = settings["epochs"] * each
    if count > MOVES:
        return _unknown(f"The run is too long to plot: its schedule has {count:,} steps.")
    names = [f"part{i}" for i in range(len(factors))]
    settings["rates"] = dict(zip(names, factors, strict=True))
    with torch.random.fork_rng(devices=[]):
        layers = {name: nn.Linear(1, 1) for name in ("all", *names)}
    weights = [layer.weight for layer in layers.values()]
    main, *others = _simulate(
        configure_optimizers(nn.ModuleDict(layers), settings, per_epoch), count, weights
    )
    chosen = sorted({count * i // SHOWN for i in range(SHOWN)} | {count - 1})
    return {
        "epochs": [i / each for i in chosen],
        "lr": [main[i] for i in chosen],
        "others": [[rates_[i] for i in chosen] for rates_ in others],
        "stairs": each == 1,
        "why": "",
    }


def _unknown(why: str) -> dict[str, Any]:
    return {"epochs": [], "lr": [], "others": [], "stairs": False, "why": why}


def _simulate(recipe: Optimization, count: int, weights: Sequence[Tensor]) -> list[list[float]]:
    """The rates of so many moves, of each weight; without a gradient every step does nothing."""
    every = [group for optimiser in recipe.optimisers for group in optimiser.param_groups]
    groups = [next(g for g in every if any(p is w for p in g["params"])) for w in weights]
    rates: list[list[float]] = [[] for _ in weights]
    for _ in range(count):
        for rates_, group in zip(rates, groups, strict=True):
            rates_.append(group["lr"])
        for optimiser in recipe.optimisers:
            optimiser.step()
        for schedule in recipe.schedules:
            schedule.step()
    return rates
