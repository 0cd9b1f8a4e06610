"""The device that a run trains on."""

import os
from collections.abc import Mapping
from typing import Any

import torch

from core.common.device import AUTO, CPU, KINDS, has, kind_of, seen, usual
from core.common.errors import TrainingError
from core.worker import job_queue


def choose_device(name: str) -> torch.device:
    """Return the device of a setting; auto: an NVIDIA GPU if there is one.

    A run that was granted a GPU sees no other, so that this one is its first, whatever its number.
    Raises TrainingError for a GPU that is not there.
    """
    kind = usual() if name == AUTO else kind_of(name)
    if has(kind, "host"):
        return torch.device(CPU)
    there = seen()
    if not any(each.startswith(kind) for each in there):
        raise _missing(name, there)
    granted = has(kind, "shared") and bool(os.environ.get(job_queue.GRANTED))
    if ":" not in name or granted:
        return torch.device(kind)
    if name not in there:
        raise _missing(name, there)
    if has(kind, "recordable"):
        torch.cuda.set_device(name)  # recorded steps and random numbers are the present GPU's
    return torch.device(name)


def device_shown(settings: Mapping[str, Any], device: torch.device) -> str:
    """Return the device as the project names it, where that names one of several."""
    return settings["device"] if ":" in settings["device"] else str(device)


def _missing(name: str, there: list[str]) -> TrainingError:
    here = ", ".join(there[1:]) or "no GPU"
    needed = KINDS[name].title if name in KINDS else name
    message = f"The run needs {needed}, but torch finds {here} on this machine."
    choices = ", ".join(f'"{each}"' for each in (AUTO, CPU, *there[1:]))
    return TrainingError("training.device", message, f"Set device to one of {choices}.")
