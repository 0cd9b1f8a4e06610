"""Kinds of errors that a step may raise, and the node whose line was running."""

import re
import traceback
from collections.abc import Mapping

import torch

DETERMINISTIC = re.compile(r"(\S+) does not have a deterministic implementation")


def is_memory(error: BaseException) -> bool:
    """Whether memory ran out, on the processor or on a GPU."""
    if isinstance(error, MemoryError | torch.OutOfMemoryError):
        return True
    text = str(error)
    known = ("DefaultCPUAllocator", "out of memory", "can't allocate memory", "ALLOC_FAILED")
    return isinstance(error, RuntimeError) and any(word in text for word in known)


def is_of_calculation(error: BaseException) -> bool:
    """Whether the cause is how the step was calculated, not the settings of the run."""
    return is_memory(error) or bool(DETERMINISTIC.match(str(error)))


def node_of(error: BaseException, lines: Mapping[str, tuple[int, ...]]) -> str:
    """The node whose line of the source was running; "" when it was none."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if frame.filename.startswith("<layerloom_model_"):
            paths = [path for path, numbers in lines.items() if frame.lineno in numbers]
            return min(paths, key=len) if paths else ""
    return ""
