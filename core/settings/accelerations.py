"""Accelerations of a run: which are used if its settings leave the choice, and why.

Decided when a run starts for the first time and written down (`core.runs.accelerations`), so that
later attempts calculate in the same way.
"""

import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.common.device import has
from core.settings import lr_schedulers, optimizers
from core.settings.step_settings import ACCUMULATE, StepSettings

SWITCHES = ("channels_last", "compile", "compile_step", "cuda_graph")
OFF = dict.fromkeys(SWITCHES, "off")
NO_COMPILER = (
    "There is no C++ compiler (g++ or clang++) on this machine, so steps are not compiled."
)
ALL_OR_NONE = (
    "Auto leaves it off for deterministic runs: the moment of the switch depends on timing."
)
MEANWHILE = (
    "Steps are not compiled yet; they are compiled in the background if the run is long enough."
)
_CONV2D = re.compile(r"\bnn\.Conv(?:Transpose)?2d\(")


@dataclass(frozen=True)
class Acceleration:
    """Whether something is used, and why or why not; "" where nobody would ask.

    from_step: how many steps come before it is; None where that is found out while it trains.
    """

    on: bool
    why: str = ""
    from_step: int | None = 0

    @property
    def open(self) -> bool:
        """Whether the run decides while it trains."""
        return self.from_step is None


Modes = dict[str, Acceleration]


def accelerations_of(training: Mapping[str, Any], device: str, source: str) -> Modes:
    """Decide. device: the kind; source: the network's, for what is in it."""
    whole = _compile_step(training, device)
    return {
        "channels_last": _channels_last(training["channels_last"], device, source),
        "compile": _compile(training["compile"], whole.on),
        "compile_step": _alone(whole, training["compile"]),
        "cuda_graph": _cuda_graph(training, device),
    }


def _channels_last(setting: str, device: str, source: str) -> Acceleration:
    if not _CONV2D.search(source):
        return Acceleration(
            False, "There is no 2-D convolution that would benefit." if setting == "on" else ""
        )
    if setting == "auto" and has(device, "host"):
        return Acceleration(False, "Auto leaves it off on a CPU because it changes the last bits.")
    if setting == "auto":
        return Acceleration(
            True, "It makes convolutions on a GPU faster; it changes the last bits."
        )
    return Acceleration(setting == "on")


def _compile(setting: str, whole: bool) -> Acceleration:
    if whole:
        why = "The whole step is compiled, including the network." if setting == "on" else ""
        return Acceleration(False, why)
    if setting == "auto":
        return Acceleration(
            False, "Auto leaves it off because compiling can take longer than the run."
        )
    return Acceleration(setting == "on")


def _alone(whole: Acceleration, network: str) -> Acceleration:
    """Not while it trains where the network is compiled anyway."""
    if whole.open and network == "on":
        return Acceleration(False, "Auto leaves it off because the network is compiled.")
    return whole


def _compile_step(training: Mapping[str, Any], device: str) -> Acceleration:
    asked = training["compile_step"]
    if asked == "off" or (asked == "auto" and not has(device, "compilable")):
        return Acceleration(False)
    if asked == "auto" and training["deterministic"]:
        return Acceleration(False, ALL_OR_NONE)
    if not has(device, "compilable"):
        why = "Whole steps are compiled on a CPU only; on a GPU they are recorded (cuda_graph)."
        return Acceleration(False, why)
    if not cpp_compiler():
        return Acceleration(False, NO_COMPILER)
    why = uncompilable(training)
    if asked == "auto" and not why:
        return Acceleration(False, MEANWHILE, None)
    return Acceleration(not why, why)


def cpp_compiler() -> str:
    """The C++ compiler that torch would call, "" where there is none."""
    names = (os.environ.get("CXX", ""), "g++", "clang++", "c++")
    return next(filter(None, map(shutil.which, filter(None, names))), "")


def _cuda_graph(training: Mapping[str, Any], device: str) -> Acceleration:
    asked = training["cuda_graph"]
    if asked == "off" or not has(device, "recordable"):
        return Acceleration(
            False, "There is no GPU to record the step on." if asked == "on" else ""
        )
    why = hindrance(training)
    return Acceleration(not why, why)


def hindrance(training: Mapping[str, Any]) -> str:
    """What of the settings keeps a step from being recorded; "" when nothing does."""
    optimizer = training["optimizer"]
    reasons = _differing(training) | {
        f"{optimizer} makes decisions on the CPU": not optimizers.has_trait(training, "recordable"),
        "several losses each update their own weights": "losses" in training,
    }
    reason = _first(reasons)
    return f"The step cannot be recorded: {reason}." if reason else ""


def uncompilable(training: Mapping[str, Any], betas: bool = True) -> str:
    """What of the settings keeps a whole step from being compiled; "" when nothing does.

    betas: whether steps can read first betas from tensors, where a schedule moves them.
    """
    optimizer = training["optimizer"]
    decides = not optimizers.has_trait(training, "compilable")
    reasons = {f"{optimizer} makes decisions that depend on values": decides}
    reason = changing(training, betas) or _first(reasons)
    return f"The step cannot be compiled: {reason}." if reason else ""


def changing(training: Mapping[str, Any], betas: bool = True) -> str:
    """What of the settings makes one step another calculation than the next; "" for nothing."""
    bent = lr_schedulers.has_trait(training, "moves_momentum")
    reads = betas and bent and optimizers.has_trait(training, "tensor_betas")
    return _first(_differing(training, bends=reads))


def _first(reasons: Mapping[str, bool]) -> str:
    """The first reason that holds; "" where none does."""
    return next((text for text, holds in reasons.items() if holds), "")


def _differing(training: Mapping[str, Any], bends: bool = False) -> dict[str, bool]:
    """What makes one step another calculation than the next, and whether the settings do.

    bends: whether steps read a momentum that a schedule moves.
    """
    schedule = lr_schedulers.schedule_name(training)
    bent = lr_schedulers.has_trait(training, "moves_momentum")
    moved = bent and lr_schedulers.has_momentum(training["optimizer"])
    batches = StepSettings.of(training).batches
    return {
        f"{ACCUMULATE} is {batches}": batches != 1,
        "on_not_finite checks each step": training["on_not_finite"] != "stop",
        "float16 checks each gradient": training["precision"] == "float16",
        "dampening is set": bool(training["optimizer_settings"].get("dampening")),
        f"{schedule} also changes the momentum": moved and not bends,
    }


def resolve_accelerations(training: Mapping[str, Any], modes: Modes) -> dict[str, Any]:
    """Training settings in which nothing is left to choose; "auto" is what begins amid the run."""
    settled = {name: "on" if mode.on else "off" for name, mode in modes.items()}
    settled |= {name: "auto" for name, mode in modes.items() if mode.from_step != 0}
    return {**training, **settled}
