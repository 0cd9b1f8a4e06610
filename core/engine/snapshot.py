"""Snapshot of a trainer before trial steps, and its restoration after them.

A part of a training that steps change is a row of PARTS: how it is saved, and how it is put back.
"""

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.optim import Optimizer

from core.engine.rng import rng_state, set_rng_state
from core.engine.trainer_state import TrainerState

Saved = Any
MOVED = ("lr", "momentum", "betas")
"""What schedules move of an optimiser's groups (OneCycleLR moves momentum, too)."""


def take_snapshot(engine: TrainerState) -> dict[str, Tensor]:
    """What a step changes beside the optimisers: the network, and its average."""
    average = engine.average.state_dict(prefix="average of ") if engine.average else {}
    return {**engine.module.state_dict(), **average}


def snapshot(engine: TrainerState) -> dict[str, Any]:
    """A copy of all that steps change."""
    return {name: part.save(engine) for name, part in PARTS.items()}


def restore_snapshot(
    engine: TrainerState, before: Mapping[str, Any], recorded: bool = True
) -> None:
    """Undo steps.

    recorded: a recorded step goes on reading the same memory, so the optimisers' state is put back
    in place; what they keep of a weight that they had not stepped before begins with zeros. Else
    that is forgotten, and begins as each optimiser makes it (NAdam with ones, for example).
    """
    with torch.no_grad():
        for name, part in PARTS.items():
            part.restore(engine, before[name])
        if not recorded:
            _forget_new(engine, before["optimisers"])


@dataclass(frozen=True)
class _Part:
    save: Callable[[TrainerState], Saved]
    restore: Callable[[TrainerState, Saved], None]


def _copied(value: Any) -> Any:
    return value.detach().clone() if isinstance(value, Tensor) else copy.deepcopy(value)


def _save_model(engine: TrainerState) -> Saved:
    return {name: value.detach().clone() for name, value in take_snapshot(engine).items()}


def _restore_model(engine: TrainerState, saved: Saved) -> None:
    for name, value in take_snapshot(engine).items():
        value.copy_(saved[name])


def _save_states(engine: TrainerState) -> Saved:
    return [
        {
            weight: {key: _copied(value) for key, value in state.items()}
            for weight, state in optimiser.state.items()
        }
        for optimiser in engine.recipe.optimisers
    ]


def _restore_states(engine: TrainerState, saved: Saved) -> None:
    for optimiser, states in zip(engine.recipe.optimisers, saved, strict=True):
        for weight, state in optimiser.state.items():
            old = states.get(weight, {})
            for key, value in state.items():
                if not isinstance(value, Tensor):
                    state[key] = copy.deepcopy(old[key]) if key in old else value
                elif key in old:
                    value.copy_(old[key])
                else:
                    value.zero_()


def _forget_new(engine: TrainerState, saved: Saved) -> None:
    """Drop what optimisers keep of weights that they had not stepped before."""
    for optimiser, states in zip(engine.recipe.optimisers, saved, strict=True):
        for weight in set(optimiser.state) - set(states):
            del optimiser.state[weight]
        for weight, old in states.items():
            for key in set(optimiser.state[weight]) - set(old):
                del optimiser.state[weight][key]


def _moved(optimiser: Optimizer) -> list[dict[str, Any]]:
    return [
        {key: _copied(group[key]) for key in MOVED if key in group}
        for group in optimiser.param_groups
    ]


def _save_groups(engine: TrainerState) -> Saved:
    return [_moved(optimiser) for optimiser in engine.recipe.optimisers]


def _restore_groups(engine: TrainerState, saved: Saved) -> None:
    for optimiser, groups in zip(engine.recipe.optimisers, saved, strict=True):
        for group, old in zip(optimiser.param_groups, groups, strict=True):
            for key, value in old.items():
                if isinstance(group[key], Tensor):
                    group[key].fill_(value)
                else:
                    group[key] = _copied(value)


def _save_schedules(engine: TrainerState) -> Saved:
    return [copy.deepcopy(schedule.state_dict()) for schedule in engine.recipe.schedules]


def _restore_schedules(engine: TrainerState, saved: Saved) -> None:
    for schedule, state in zip(engine.recipe.schedules, saved, strict=True):
        schedule.load_state_dict(copy.deepcopy(state))


def _save_scaler(engine: TrainerState) -> Saved:
    scaler = engine.computing.scaler
    return copy.deepcopy(scaler.state_dict()) if scaler else None


def _restore_scaler(engine: TrainerState, saved: Saved) -> None:
    scaler = engine.computing.scaler
    if scaler and saved:
        scaler.load_state_dict(copy.deepcopy(saved))


def _save_skips(engine: TrainerState) -> Saved:
    return {**vars(engine.skips)} if engine.skips else None


def _restore_skips(engine: TrainerState, saved: Saved) -> None:
    if engine.skips and saved:
        vars(engine.skips).update(saved)


PARTS: Mapping[str, _Part] = {
    "model": _Part(_save_model, _restore_model),
    "optimisers": _Part(_save_states, _restore_states),
    "groups": _Part(_save_groups, _restore_groups),
    "schedules": _Part(_save_schedules, _restore_schedules),
    "scaler": _Part(_save_scaler, _restore_scaler),
    "skips": _Part(_save_skips, _restore_skips),
    "chance": _Part(lambda _: rng_state(), lambda _, saved: set_rng_state(saved)),
}
"""All that a step changes, in the order in which it is put back."""
