"""The torch objects of resolved training settings: optimisers and schedules."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim import lr_scheduler

from core.common.errors import nothing_learns
from core.engine.param_groups import freeze, param_groups
from core.settings.lr_schedulers import arguments, moves
from core.settings.optimizers import OPTIMIZERS


@dataclass
class Optimization:
    """How a module learns. Usually one optimiser; two where one steps matrices only."""

    optimisers: list[torch.optim.Optimizer]
    schedules: list[lr_scheduler.LRScheduler]
    per: str  # when the schedule moves: "step", "epoch" or "" without one
    weights: Sequence[Tensor]
    flavour: str  # "fused" or "plain", for the fingerprint

    @property
    def lr(self) -> float:
        """The learning rate of the next step."""
        return self.optimisers[0].param_groups[0]["lr"]

    def step_after_batch(self) -> None:
        """Move a schedule that counts steps, where the text of the step did not: it was played."""
        if self.per == "step":
            for schedule in self.schedules:
                schedule.step()

    def step_schedulers(self, loss: float) -> None:
        """Move a schedule that counts epochs; `loss` is what ReduceLROnPlateau watches."""
        if self.per != "epoch":
            return
        for schedule in self.schedules:
            if isinstance(schedule, lr_scheduler.ReduceLROnPlateau):
                schedule.step(loss)
            else:
                schedule.step()


def has_stepped(optimiser: torch.optim.Optimizer) -> None:
    """Tell schedules that it has stepped: in another process, or in a step that was left out.

    Else torch takes the next move of a schedule for one in the wrong order, and says so.
    """
    optimiser.__dict__["_opt_called"] = True


def configure_optimizers(
    module: nn.Module, training: Mapping[str, Any], steps_per_epoch: int
) -> Optimization:
    """Build everything that training settings name. Raises TrainingError without weights."""
    freeze(module, training)
    named = {name: p for name, p in module.named_parameters() if p.requires_grad}
    weights = list(named.values())
    if not weights:
        raise nothing_learns(bool(training.get("rates")))
    name = training["optimizer"]
    fused = OPTIMIZERS[name].fused and all(w.is_floating_point() for w in weights)
    parts = _parts(named, training, {"fused": True} if fused else {})
    for part in parts:
        own = [weight for group in part.param_groups for weight in group["params"]]
        part.__dict__["zero_grad"] = partial(_zero_grad, own)
    schedules, per = _schedules(parts, training, steps_per_epoch)
    return Optimization(
        optimisers=parts,
        schedules=schedules,
        per=per,
        weights=weights,
        flavour="fused" if fused else "plain",
    )


def _zero_grad(weights: Sequence[Tensor]) -> None:
    """What an optimiser's own does, without its profiler's marks."""
    for weight in weights:
        weight.grad = None


def _parts(
    weights: dict[str, nn.Parameter], training: Mapping[str, Any], extra: dict[str, Any]
) -> list[torch.optim.Optimizer]:
    chosen = OPTIMIZERS[training["optimizer"]]
    make = getattr(torch.optim, chosen.name)
    lr, factors = training["lr"], dict(training.get("rates") or {})
    decay_all = training["decay_of"] == "all"
    settings = {"lr": lr, **training["optimizer_settings"], **extra}
    if not chosen.matrices:
        return [make(param_groups(weights, lr, factors, decay_all), **settings)]
    matrices = {name: weight for name, weight in weights.items() if weight.ndim == 2}
    others = {name: weight for name, weight in weights.items() if weight.ndim != 2}
    groups = param_groups(matrices, lr, factors, decay_all=True)
    optimizers = [make(groups, **settings)] if matrices else []
    if others:
        groups = param_groups(others, lr, factors, decay_all)
        optimizers.append(torch.optim.AdamW(groups, lr=lr, fused=True))
    return optimizers


def _schedules(
    parts: list[torch.optim.Optimizer], training: Mapping[str, Any], steps_per_epoch: int
) -> tuple[list[lr_scheduler.LRScheduler], str]:
    warmup, schedule = training["warmup"], training["scheduler"]
    if not schedule:
        return [_warmup(part, warmup) for part in parts] if warmup else [], moves(training)
    settings = arguments(training, steps_per_epoch)
    make = getattr(lr_scheduler, schedule["name"])
    if not warmup:
        return [make(part, **_for(part, settings)) for part in parts], moves(training)
    chains = [
        lr_scheduler.SequentialLR(part, [_warmup(part, warmup), make(part, **settings)], [warmup])
        for part in parts
    ]
    return [*chains], moves(training)


def _for(part: torch.optim.Optimizer, settings: dict[str, Any]) -> dict[str, Any]:
    """Arguments of a schedule for one optimiser: OneCycleLR takes the peak of each group."""
    peaks = {"max_lr": [group["lr"] for group in part.param_groups]}
    return settings | (peaks if "max_lr" in settings else {})


def _warmup(part: torch.optim.Optimizer, epochs: int) -> lr_scheduler.LinearLR:
    """Equal steps up to the full rate, which the epoch after the warm-up has."""
    return lr_scheduler.LinearLR(part, start_factor=1 / (epochs + 1), total_iters=epochs)
