"""Whether gradients find their way back: blocks in a row are run with them on the meta device."""

from functools import lru_cache
from typing import Any

import torch
from torch import nn

from core.analyse.calls import Statement, Wire, call, module_of, real_module_of, values_of
from core.analyse.probe import BATCHES, STAND_INS

Link = tuple[Statement, tuple[tuple[str, Wire], ...], str, str]
"""A statement, its wires, the input that the link before feeds ("" for the first), its output."""


@lru_cache(maxsize=4096)
def learns(links: tuple[Link, ...]) -> bool:
    """Whether gradients come back through blocks in a row; False only where what one of them
    needs for that was written over in place."""
    value: Any = None
    try:
        for text, wires, port, output in links:
            given = values_of(text, wires, BATCHES[0], STAND_INS[0])
            given = {name: _leaf(v) for name, v in given.items()} | ({port: value} if port else {})
            module = real_module_of(text.init) if text.real else module_of(text.init, text.code)
            if isinstance(module, nn.Module):
                module.train()
            value = call(text, module, given)[output]
        value.sum().backward()
    except (RuntimeError, ValueError, TypeError, KeyError) as error:
        return "modified by an inplace operation" not in str(error)
    finally:
        for text, *_ in links:
            if isinstance(module := module_of(text.init, text.code), nn.Module):
                module.eval()
    return True


def _leaf(value: Any) -> Any:
    """A copy that gradients come back to, which may be written over as a leaf may not."""
    if isinstance(value, torch.Tensor) and value.is_floating_point():
        return value.requires_grad_().clone()
    return value
