"""Compiled models as they were before torch.compile: a trace needs their Python, call by call."""

import copy
import functools
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ParamSpec, TypeVar

import torch
from torch import nn

P = ParamSpec("P")
R = TypeVar("R")
COMPILER = "torch._dynamo"
WRAPPED, BEFORE = "_orig_mod", "_torchdynamo_orig_callable"
"""Where torch keeps a module, and a function, before it was compiled."""


@contextmanager
def uncompiled_calls() -> Iterator[None]:
    """Run compiled functions as plain Python inside the context. It costs nothing where nothing was
    ever compiled."""
    if COMPILER not in sys.modules:
        yield
        return
    with torch.compiler.set_stance("force_eager"):
        yield


def calling_uncompiled(function: Callable[P, R]) -> Callable[P, R]:
    """Let a function call models as they were before they were compiled."""

    @functools.wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        with uncompiled_calls():
            return function(*args, **kwargs)

    return run


def uncompiled(module: nn.Module) -> nn.Module:
    """A model without torch.compile: itself where none of it was compiled, else a copy whose
    parameters have their names from before."""
    if isinstance(getattr(module, WRAPPED, None), nn.Module):
        return uncompiled(getattr(module, WRAPPED))
    if not any(_is_compiled(part) for part in module.modules()):
        return module
    plain = copy.deepcopy(module)
    for part in list(plain.modules()):
        for name, child in list(part.named_children()):
            if isinstance(inner := getattr(child, WRAPPED, None), nn.Module):
                setattr(part, name, inner)
    for part in plain.modules():
        if _has_compiled_forward(part):
            _restore_forward(part)
    return plain


def _is_compiled(part: nn.Module) -> bool:
    return isinstance(getattr(part, WRAPPED, None), nn.Module) or _has_compiled_forward(part)


def _has_compiled_forward(part: nn.Module) -> bool:
    return hasattr(vars(part).get("forward"), BEFORE)


def _restore_forward(part: nn.Module) -> None:
    """Undo `part.forward = torch.compile(part.forward)`, which a copy would run on the weights of
    the original."""
    before: Any = getattr(vars(part)["forward"], BEFORE)
    if getattr(before, "__func__", None) is type(part).forward:
        del part.forward
    else:
        part.forward = before
