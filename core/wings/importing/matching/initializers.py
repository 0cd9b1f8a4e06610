"""Initializers of parameters and buffers of an imported model, before its weights are loaded."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

import torch

from blocks import CATALOGUE
from blocks.initializers import FROM_WEIGHTS, KNOWN, start_fits
from core.analyse import real_values


def parameter_init(tensor: torch.Tensor) -> dict[str, Any]:
    """The init settings of a parameter."""
    if tensor.is_meta or not tensor.is_floating_point() or not tensor.numel():
        return {}
    learned, tensor = tensor.requires_grad, tensor.detach()
    if not bool(tensor.isfinite().all()):
        return {}
    low, high = float(tensor.min()), float(tensor.max())
    if low == high:
        value = float(f"{low:.6g}")
        return (
            {}
            if value == 0
            else {"init": "ones"}
            if value == 1
            else {"init": "constant", "value": value}
        )
    if not learned:
        return {"init": FROM_WEIGHTS}  # training would never make it what it has to be
    std = float(f"{float(tensor.std()):.1g}")
    return {"init": "normal"} if std == 0.02 else {"init": "normal", "std": std}


def buffer_init(tensor: torch.Tensor, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The init settings that reproduce a buffer's values; from weights if none does.

    A mask or a table of indices that starts as anything else would train, and be wrong.
    """
    if tensor.is_meta or not tensor.numel():
        return {}
    for start in _starts(tensor):
        values = _made(settings, start)
        if values is not None and torch.equal(values, tensor.detach().cpu()):
            return {} if start["init"] == "zeros" else start
    return {"init": FROM_WEIGHTS}


def _starts(tensor: torch.Tensor) -> Iterator[dict[str, Any]]:
    """Initializers to try for a buffer, by its first value."""
    first = tensor.detach().flatten()[0].item()
    yield from ({"init": name} for name in ("zeros", "ones", *KNOWN))
    if math.isfinite(first):
        yield from ({"init": "constant", "value": v} for v in (float(f"{first:.6g}"), float(first)))


def _made(settings: Mapping[str, Any], start: Mapping[str, Any]) -> torch.Tensor | None:
    block = CATALOGUE["Buffer"]
    whole = {**block.defaults, **settings, **start}
    return None if any(start_fits(whole, {})) else real_values.construct_module(block, whole)
