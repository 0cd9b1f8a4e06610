"""Device queries of a model return the CPU, wherever it is traced."""

import linecache
from typing import Any

import torch

from core.wings.importing.tracing.user_frame import user_code

DEVICE_QUESTIONS = frozenset("device is_cpu is_meta get_device".split())
"""Questions whose answer is another one on the meta device."""


class DecidesByDevice(Exception):
    """Python compares the device of a tensor on meta: the model has to be traced on the CPU."""


def as_on_cpu(name: str, args: Any, answer: Any) -> Any:
    """The answer of a tensor on meta as of the same one on the CPU.

    Raises DecidesByDevice where the user's line compares a device, for torch has no device that is
    both.
    """
    if not isinstance(args[0], torch.Tensor) or not args[0].is_meta:
        return answer
    if name == "device" and _is_compared():
        raise DecidesByDevice
    return {"is_cpu": True, "is_meta": False, "get_device": -1}.get(name, answer)


def _is_compared() -> bool:
    """Whether the current line of the user's code checks the device."""
    position = user_code()
    line = linecache.getline(*position) if position else ""
    return ".device.type" in line or "device ==" in line or "device !=" in line
