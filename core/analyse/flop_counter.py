"""torch's `FlopCounterMode`, imported without Triton; and an analysis without torch's compiler.

torch.utils.flop_counter imports Triton where it is installed, to count kernels of the user's own.
No drawing holds one, and a process that imported Triton ends with pages of "nanobind: leaked".
"""

import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import Any

import torch

__all__ = ["FlopCounterMode", "leave_out_compiler"]
COMPILER = "torch._dynamo"


@contextmanager
def _without_triton() -> Iterator[None]:
    """Let `import triton` fail as where it is not installed; nothing, where it is imported."""
    if "triton" in sys.modules:
        yield
        return
    log = logging.getLogger("torch.utils.flop_counter")
    level, sys.modules["triton"] = log.level, None  # type: ignore[assignment]
    log.setLevel(logging.ERROR)  # it warns of what we want
    try:
        yield
    finally:
        log.setLevel(level)
        del sys.modules["triton"]


with _without_triton():
    from torch.utils.flop_counter import FlopCounterMode


class _StandIn(ModuleType):
    """Stands in for torch's compiler, and loads the compiler itself as soon as more is needed."""

    @staticmethod
    def disable(function: Callable[..., Any], *_: Any, **__: Any) -> Callable[..., Any]:
        """Nothing is compiled, so nothing needs to be kept from it."""
        return function

    @staticmethod
    def graph_break(*_: Any, **__: Any) -> None:
        """Optimisers say so around each step; where nothing is compiled there is nothing to do."""

    def __getattr__(self, name: str) -> Any:
        if sys.modules.get(COMPILER) is self:
            del sys.modules[COMPILER]
        torch._dynamo = real = import_module(COMPILER)
        return getattr(real, name)


def leave_out_compiler() -> None:
    """Spare a process that compiles nothing the import of torch's compiler, one to two seconds.

    torch imports it at the first ReLU on the meta device and with the first optimiser, only to keep
    those calls from being compiled. For a process that ends with what it does: a command, a run.
    """
    if COMPILER not in sys.modules:
        sys.modules[COMPILER] = torch._dynamo = _StandIn(COMPILER)
