"""Whether gradients flow: a chain of blocks is run with autograd on the meta device."""

from functools import lru_cache
from typing import Any

import torch
from torch import nn

from core.analyse.calls import (
    Statement,
    Wire,
    meta_module,
    real_module,
    run_statement,
    sample_values,
)
from core.analyse.probe import BATCHES, STAND_INS

Link = tuple[Statement, tuple[tuple[str, Wire], ...], str, str]
"""A statement, its wires, the input that the link before feeds ("" for the first), its output."""


@lru_cache(maxsize=4096)
def gradients_flow(links: tuple[Link, ...]) -> bool:
    """Whether backward runs through a chain of blocks; False only if an in-place operation
    overwrote what one of them saved for it."""
    value: Any = None
    try:
        for text, wires, port, output in links:
            given = sample_values(text, wires, BATCHES[0], STAND_INS[0])
            given = {name: _leaf(v) for name, v in given.items()} | ({port: value} if port else {})
            module = real_module(text.init) if text.real else meta_module(text.init, text.code)
            if isinstance(module, nn.Module):
                module.train()
            value = run_statement(text, module, given)[output]
        value.sum().backward()
    except (RuntimeError, ValueError, TypeError, KeyError) as error:
        return "modified by an inplace operation" not in str(error)
    finally:
        for text, *_ in links:
            if isinstance(module := meta_module(text.init, text.code), nn.Module):
                module.eval()
    return True


def _leaf(value: Any) -> Any:
    """A copy that requires grad and may be changed in place, which a leaf may not."""
    if isinstance(value, torch.Tensor) and value.is_floating_point():
        return value.requires_grad_().clone()
    return value
