"""Where an engine stands: what a checkpoint holds of it, and how it goes on from there."""

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import torch
from torch.optim.lr_scheduler import MultiStepLR

from core.engine.optim import has_stepped
from core.engine.rng import rng_state, set_rng_state
from core.errors import CheckpointError

if TYPE_CHECKING:
    from core.engine.trainer import Trainer


def state_dict(engine: "Trainer") -> dict[str, Any]:
    """Everything that training goes on from exactly: tensors and plain values only."""
    engine.collect()
    return {
        "model": engine.module.state_dict(),
        "average": engine.average.state_dict() if engine.average else None,
        "optimizers": [o.state_dict() for o in engine.recipe.optimisers],
        "schedulers": [s.state_dict() for s in engine.recipe.schedules],
        "epoch": engine.epoch,
        "batch": engine.batch,
        "step": engine.step,
        **engine.tally.state_dict(),
        "best": engine.best,
        "progress": engine.progress,
        "top": engine.top,
        "skips": engine.skips.state_dict() if engine.skips else None,
        "scaler": engine.computing.scaler.state_dict() if engine.computing.scaler else None,
        "chance": rng_state(),
    }


def load_state_dict(engine: "Trainer", state: Mapping[str, Any]) -> None:
    """Go back to a saved state. Raises CheckpointError when it is of another network."""
    try:
        engine.module.load_state_dict(state["model"])
        if engine.average:
            engine.average.load_state_dict(state["average"])
        _restore_recipe(engine, state)
        engine.epoch, engine.batch, engine.step = state["epoch"], state["batch"], state["step"]
        before = engine._groups()[: engine.batch]
        engine.tally.load_state_dict(state, sum(len(i) for group in before for i in group))
        engine.best, engine.top = state["best"], list(state.get("top", ()))
        engine.progress = state.get("progress", state["best"])
        if engine.skips and state.get("skips"):
            engine.skips.load_state_dict(state["skips"])
        if engine.computing.scaler and state.get("scaler"):
            engine.computing.scaler.load_state_dict(state["scaler"])
        set_rng_state(state["chance"])
    except (LookupError, RuntimeError, ValueError, TypeError) as error:
        message = f"The checkpoint does not fit this network: {str(error).splitlines()[0]}"
        raise CheckpointError("checkpoint", message, "Start the run again.") from error


def _restore_recipe(engine: "Trainer", state: Mapping[str, Any]) -> None:
    for optimiser, saved in zip(engine.recipe.optimisers, state["optimizers"], strict=True):
        optimiser.load_state_dict(saved)
        _fit_device(optimiser)
        if state["step"]:
            has_stepped(optimiser)
    for schedule, saved in zip(engine.recipe.schedules, state["schedulers"], strict=True):
        schedule.load_state_dict(saved)
        for part in (schedule, *getattr(schedule, "_schedulers", ())):
            if isinstance(part, MultiStepLR):  # checkpoints hold plain dictionaries only
                part.milestones = Counter(part.milestones)


def _fit_device(optimiser: torch.optim.Optimizer) -> None:
    """Count steps where the weights are: a recording on a GPU had them counted there."""
    for group in optimiser.param_groups:
        if group.get("capturable") and group["params"][0].device.type == "cpu":
            group["capturable"] = False
