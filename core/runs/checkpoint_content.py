"""What a checkpoint holds, checked once its bytes are read: a stranger's may hold anything."""

from collections.abc import Iterator, Mapping
from typing import Any

DEPTH = 12
SPARE_BYTES = 1 << 20
"""Bytes that a tensor may have beyond those that are stored, such as repeated positions."""


def fault_of(state: Mapping[str, Any]) -> str:
    """What is wrong with the content of a checkpoint, "" for nothing.

    "model" holds tensors by name, "epoch" and "step" are whole numbers, and every tensor is dense
    and stored whole: one of stride 0 would take terabytes as soon as it is copied.
    """
    import torch

    if missing := [key for key in ("model", "epoch", "step") if key not in state]:
        return f"it has no {missing[0]}"
    for key in ("epoch", "step"):
        if type(state[key]) is not int or state[key] < 0:
            return f"its {key} is {_shown(state[key])}, not a whole number"
    for key in ("model", "ema"):
        weights = state.get(key)
        if weights is None and key == "ema":
            continue
        if not isinstance(weights, Mapping) or not all(isinstance(name, str) for name in weights):
            return f"its {key} is {_shown(weights)}, not weights by name"
    if other := next((n for n, t in state["model"].items() if not _is_tensor(t)), ""):
        return f"{other[:80]} is {_shown(state['model'][other])}, not a tensor"
    for tensor in _tensors(state, 0):
        if tensor.layout != torch.strided or tensor.device.type == "meta":
            return "it has a tensor that is not stored as plain numbers"
        nbytes = tensor.numel() * tensor.element_size()
        if nbytes > tensor.untyped_storage().nbytes() + SPARE_BYTES:
            return f"it has a tensor of {tuple(tensor.shape)} that is stored in fewer bytes"
    return ""


def _is_tensor(value: Any) -> bool:
    import torch

    return isinstance(value, torch.Tensor)


def _tensors(value: Any, depth: int) -> Iterator[Any]:
    """All tensors in dictionaries, lists and tuples, as deep as states of optimisers go."""
    if _is_tensor(value):
        yield value
    elif depth < DEPTH and isinstance(value, Mapping | list | tuple):
        for part in value.values() if isinstance(value, Mapping) else value:
            yield from _tensors(part, depth + 1)


def _shown(value: Any) -> str:
    text = repr(value) if isinstance(value, str | int | float | None) else type(value).__name__
    return text if len(text) <= 80 else f"{text[:80]}…"
