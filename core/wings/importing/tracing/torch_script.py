"""TorchScript in a model: scripted functions run as their original Python; modules,
which no longer have it, are refused by name."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import nn

from core.common.errors import ImportRefused

BEFORE = "_torchdynamo_inline"
"""Where torch.jit.script keeps the function that it was given."""


@contextmanager
def unscripted(place: Callable[[], str]) -> Iterator[None]:
    """Run functions of torch.jit.script as plain Python inside the context.

    place: where in the user's model the run is. One of torch.jit.trace raises ImportRefused.
    """
    kind: Any = torch.jit.ScriptFunction
    before = kind.__call__

    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        python = getattr(self, BEFORE, None)
        if python is not None:
            return python(*args, **kwargs)
        raise ImportRefused(
            place(),
            "calls a function of torch.jit.trace, which has no Python code to draw.",
            "Call the original Python function.",
        )

    kind.__call__ = call
    try:
        yield
    finally:
        kind.__call__ = before


def refuse_scripted(module: nn.Module) -> None:
    """Raises ImportRefused for a model, or a part of it, that is TorchScript."""
    for path, part in module.named_modules():
        if isinstance(part, torch.jit.ScriptModule):
            raise ImportRefused(
                path or type(part).__name__,
                "is TorchScript (torch.jit.script or torch.jit.trace), which keeps no Python to "
                "draw.",
                "Import the original Python model.",
            )
