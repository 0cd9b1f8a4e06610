"""Snapshot of a training before trial steps, and its restoration after them.

Each part of a training that a step may change is registered in `TrainerState.parts`, so that
whatever is tried is undone whole, for all who try something.
"""

import copy
import inspect
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

KERNELS = ("params", "fused", "foreach", "capturable", "differentiable")
"""What an optimiser's group has that says how a step is calculated, not where it stands."""


@dataclass(frozen=True)
class StepPart:
    """A part of a training. keep: copies it; put_back: undoes steps, in the same memory.

    forget: undoes them where nothing recorded reads that memory again, also what they created.
    """

    keep: Callable[[], Any]
    put_back: Callable[[Any], Any]
    forget: Callable[[Any], None] | None = None


def snapshot(engine: Any) -> dict[str, Any]:
    """A copy of all that steps change."""
    return {name: part.keep() for name, part in engine.parts().items()}


def restore_snapshot(engine: Any, before: Mapping[str, Any], recorded: bool = True) -> None:
    """Undo steps. recorded: whether a recorded step goes on reading the same memory.

    What an optimiser keeps of a weight that it had not stepped before then begins as it would.
    """
    for name, part in engine.parts().items():
        undo = part.put_back if recorded or part.forget is None else part.forget
        undo(before[name])


def take_snapshot(engine: Any) -> dict[str, Tensor]:
    """What a step changes beside the optimisers: the network, and its average."""
    average = engine.average.state_dict(prefix="average of ") if engine.average else {}
    loose = {f"buffer {name}": buffer for name, buffer in _loose(engine.module)}
    return {**engine.module.state_dict(), **average, **loose}


def _loose(module: nn.Module) -> Iterable[tuple[str, Tensor]]:
    """Buffers that no checkpoint has."""
    for name, part in module.named_modules():
        for own in part._non_persistent_buffers_set:
            if part._buffers.get(own) is not None:
                yield f"{name}.{own}", part._buffers[own]  # type: ignore[misc]


def network_part(engine: Any) -> StepPart:
    """Weights, buffers, and their average."""

    def keep() -> dict[str, Tensor]:
        return {name: value.detach().clone() for name, value in take_snapshot(engine).items()}

    @torch.no_grad()
    def put_back(before: Mapping[str, Tensor]) -> None:
        for name, value in take_snapshot(engine).items():
            value.copy_(before[name])

    return StepPart(keep, put_back)


_Attributes = tuple[nn.Module, set[str], dict[str, tuple[Any, Any]]]
"""A block, the names of all its attributes, and those that are kept, each with its copy."""


def attributes_part(module: nn.Module) -> StepPart:
    """Numbers, texts and tensors that a block written by hand keeps on itself."""

    def keep() -> list[_Attributes]:
        return [(part, set(vars(part)), _attributes(part)) for part in module.modules()]

    @torch.no_grad()
    def put_back(before: list[_Attributes]) -> None:
        for part, names, values in before:
            for name in vars(part).keys() - names:
                del part.__dict__[name]
            for name, (value, kept) in values.items():
                if isinstance(value, Tensor):
                    value.copy_(kept)
                part.__dict__[name] = value if isinstance(value, Tensor) else copy.deepcopy(kept)

    return StepPart(keep, put_back)


def _attributes(part: nn.Module) -> dict[str, tuple[Any, Any]]:
    """By name: an attribute, and its copy."""
    own = {name: value for name, value in vars(part).items() if name not in _OF_MODULES}
    return {
        name: (value, value.detach().clone() if isinstance(value, Tensor) else copy.deepcopy(value))
        for name, value in own.items()
        if isinstance(value, Tensor) or _is_plain(value)
    }


_OF_MODULES = set(vars(nn.Module()))


def _is_plain(value: Any) -> bool:
    if isinstance(value, dict):
        return all(map(_is_plain, value.values()))  # type: ignore[arg-type]
    if isinstance(value, list | tuple | set):
        return all(map(_is_plain, value))  # type: ignore[arg-type]
    return value is None or isinstance(value, bool | int | float | str)


def optimiser_part(optimiser: torch.optim.Optimizer) -> StepPart:
    """What an optimiser keeps of each weight, and the settings that schedules move."""

    def keep() -> dict[str, Any]:
        state = {
            weight: {
                k: v.clone() if isinstance(v, Tensor) else copy.copy(v) for k, v in kept.items()
            }
            for weight, kept in optimiser.state.items()
        }
        groups = [_settings(group) for group in optimiser.param_groups]
        return {"state": state, "groups": groups, "names": set(vars(optimiser))}

    def put_back(before: Mapping[str, Any]) -> None:
        _put_groups_back(optimiser, before)
        for group in optimiser.param_groups:
            for weight in group["params"]:
                if weight in optimiser.state:
                    old = before["state"].get(weight) or initial_state(optimiser, group, weight)
                    _put_state_back(optimiser.state[weight], old)

    def forget(before: Mapping[str, Any]) -> None:
        _put_groups_back(optimiser, before)
        for weight in [each for each in optimiser.state if not before["state"].get(each)]:
            del optimiser.state[weight]
        for weight, state in optimiser.state.items():
            _put_state_back(state, before["state"][weight])

    return StepPart(keep, put_back, forget)


def _settings(group: Mapping[str, Any]) -> dict[str, Any]:
    return {name: copy.copy(value) for name, value in group.items() if name not in KERNELS}


def _put_groups_back(optimiser: torch.optim.Optimizer, before: Mapping[str, Any]) -> None:
    for name in vars(optimiser).keys() - before["names"] - {"_opt_called"}:  # schedules look for it
        del optimiser.__dict__[name]  # a step that failed leaves a scale to multiply the next by
    for group, settings in zip(optimiser.param_groups, before["groups"], strict=True):
        group.update(_settings(settings))


@torch.no_grad()
def _put_state_back(state: dict[str, Any], old: Mapping[str, Any]) -> None:
    for key, value in state.items():
        if not isinstance(value, Tensor):
            state[key] = copy.copy(old.get(key))
        elif key in old:
            value.copy_(old[key])
        else:
            value.zero_()


def initial_state(
    optimiser: torch.optim.Optimizer, group: Mapping[str, Any], weight: Tensor
) -> dict[str, Any]:
    """What an optimiser begins with for a weight: torch fills it in where a step looks for it."""
    stand_in = weight.detach().clone()
    stand_in.grad = torch.zeros_like(stand_in)
    fresh: Any = copy.copy(optimiser)
    fresh.__dict__ = {**vars(optimiser), "state": defaultdict(dict)}
    lists = len(inspect.signature(fresh._init_group).parameters) - 1
    fresh._init_group({**group, "params": [stand_in]}, *([] for _ in range(lists)))
    return fresh.state[stand_in]


def stateful_part(part: Any) -> StepPart:
    """Something with a state_dict of its own, such as a schedule."""
    return StepPart(
        lambda: copy.deepcopy(part.state_dict()),
        lambda before: part.load_state_dict(copy.deepcopy(before)),  # some take theirs apart
    )


def scaler_part(scaler: Any) -> StepPart:
    """A grad scaler, and how far the step under way is, which its state_dict leaves out."""
    whole = stateful_part(scaler)

    def keep() -> tuple[Any, Any]:
        return whole.keep(), copy.deepcopy(scaler._per_optimizer_states)

    def put_back(before: tuple[Any, Any]) -> None:
        whole.put_back(before[0])
        scaler._per_optimizer_states = copy.deepcopy(before[1])

    return StepPart(keep, put_back)


def counters_part(counter: Any, names: Iterable[str]) -> StepPart:
    """Plain attributes of something that counts."""
    every = tuple(names)

    def keep() -> dict[str, Any]:
        return {name: copy.copy(getattr(counter, name)) for name in every}

    def put_back(before: Mapping[str, Any]) -> None:
        for name, value in before.items():
            setattr(counter, name, copy.copy(value))

    return StepPart(keep, put_back)
