"""Snapshot of a trainer before trial steps, and its restoration after them."""

import copy
from typing import Any

import torch
from torch import Tensor

from core.engine.rng import rng_state, set_rng_state
from core.engine.trainer_state import TrainerState


def take_snapshot(engine: TrainerState) -> dict[str, Tensor]:
    """What a step changes beside the optimisers: the network, and its average."""
    average = engine.average.state_dict(prefix="average of ") if engine.average else {}
    return {**engine.module.state_dict(), **average}


def snapshot(engine: TrainerState) -> dict[str, Any]:
    """A copy of all that steps change."""
    optimisers = [
        {
            weight: {
                k: copy.copy(v) if not isinstance(v, Tensor) else v.clone()
                for k, v in state.items()
            }
            for weight, state in optimiser.state.items()
        }
        for optimiser in engine.recipe.optimisers
    ]
    model = {name: value.detach().clone() for name, value in take_snapshot(engine).items()}
    return {"model": model, "optimisers": optimisers, "chance": rng_state()}


def restore_snapshot(engine: TrainerState, before: dict[str, Any]) -> None:
    """Undo steps in place, as a recorded step goes on reading the same memory.

    What an optimiser keeps of a weight that it had not stepped before begins with zeros.
    """
    with torch.no_grad():
        for name, value in take_snapshot(engine).items():
            value.copy_(before["model"][name])
        for optimiser, saved in zip(engine.recipe.optimisers, before["optimisers"], strict=True):
            for weight, state in optimiser.state.items():
                for key, value in state.items():
                    if isinstance(value, Tensor):
                        old = saved.get(weight, {}).get(key)
                        value.zero_() if old is None else value.copy_(old)
    set_rng_state(before["chance"])
