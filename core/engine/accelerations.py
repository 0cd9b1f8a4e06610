"""Which ways of calculating a run uses where its settings leave the choice, and why.

Decided when a run starts for the first time and written down, so that later attempts calculate in
the same way.
"""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from core.runs.files import MODES, read_json, write_json

SWITCHES = ("channels_last", "compile", "cuda_graph")
OFF = dict.fromkeys(SWITCHES, "off")
RECORDED = ("SGD", "Adam", "AdamW", "RAdam", "Adamax", "Adadelta", "RMSprop")
"""Optimisers whose step a CUDA graph can hold, and whose state begins with zeros."""
BENT = ("OneCycleLR", "CyclicLR")
"""Schedules that move more than the learning rate, which a recorded step would not see."""
_CONV2D = re.compile(r"\bnn\.Conv(?:Transpose)?2d\(")


@dataclass(frozen=True)
class Acceleration:
    """Whether something is used, and why or why not; "" where nobody would ask."""

    on: bool
    why: str = ""


Modes = dict[str, Acceleration]


def accelerations_of(training: Mapping[str, Any], device: str, source: str) -> Modes:
    """Decide. device: "cpu" or "cuda"; source: the network's, for what is in it."""
    return {
        "channels_last": _channels_last(training["channels_last"], device, source),
        "compile": _compile(training["compile"]),
        "cuda_graph": _cuda_graph(training, device),
    }


def _channels_last(asked: str, device: str, source: str) -> Acceleration:
    if not _CONV2D.search(source):
        return Acceleration(
            False, "There is no 2-D convolution to gain from it." if asked == "on" else ""
        )
    if asked == "auto" and device == "cpu":
        return Acceleration(
            False, "On a processor auto leaves it off, as it changes the last bits."
        )
    if asked == "auto":
        return Acceleration(True, "Convolutions on a GPU are faster so; it changes the last bits.")
    return Acceleration(asked == "on")


def _compile(asked: str) -> Acceleration:
    if asked == "auto":
        return Acceleration(False, "Auto leaves it off, as compiling can take longer than the run.")
    return Acceleration(asked == "on")


def _cuda_graph(training: Mapping[str, Any], device: str) -> Acceleration:
    asked = training["cuda_graph"]
    if asked == "off" or device != "cuda":
        return Acceleration(False, "There is no GPU to record it on." if asked == "on" else "")
    why = hindrance(training)
    return Acceleration(not why, why)


def hindrance(training: Mapping[str, Any]) -> str:
    """What of the settings keeps a step from being recorded; "" when nothing does."""
    schedule = (training["scheduler"] or {}).get("name", "")
    momentum = training["optimizer_settings"]
    reasons = {
        f"accumulate is {training['accumulate']}": training["accumulate"] != 1,
        "on_not_finite looks at each step": training["on_not_finite"] != "stop",
        "float16 looks at each gradient": training["precision"] == "float16",
        f"{training['optimizer']} decides on the processor": training["optimizer"] not in RECORDED,
        "momentum is dampened": bool(momentum.get("dampening")),
        f"{schedule} moves the momentum too": schedule in BENT,
        "several losses move weights of their own": "losses" in training,
    }
    reason = next((text for text, hinders in reasons.items() if hinders), "")
    return f"The step cannot be recorded: {reason}." if reason else ""


def read_accelerations(run_dir: Path) -> Modes:
    """What was decided at the first start of a run; {} where nothing was."""
    modes: Modes = {}
    for name, entry in read_json(run_dir / MODES).items():
        if name in SWITCHES and isinstance(entry, dict) and isinstance(entry.get("on"), bool):
            modes[name] = Acceleration(entry["on"], str(entry.get("why", "")))
    return modes if len(modes) == len(SWITCHES) else {}


def write_accelerations(run_dir: Path, modes: Modes) -> None:
    """Write down what was decided, for all attempts to come."""
    write_json(run_dir / MODES, {n: asdict(mode) for n, mode in modes.items()}, durable=True)


def resolve_accelerations(training: Mapping[str, Any], modes: Modes) -> dict[str, Any]:
    """Training settings in which nothing is left to choose."""
    return {**training, **{name: "on" if mode.on else "off" for name, mode in modes.items()}}
