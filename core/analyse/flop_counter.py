"""torch's `FlopCounterMode`, imported without Triton.

torch.utils.flop_counter imports Triton where it is installed, to count kernels of the user's own.
No drawing holds one, and a process that imported Triton ends with pages of "nanobind: leaked".
"""

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["FlopCounterMode"]


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
