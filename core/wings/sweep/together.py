"""Which trials of a sweep train together in one process, and how many are drawn at once.

Only trials that are drawn without knowing of each other: combinations that are lined up, and those
that TPE draws at random. So the same trials are drawn as one by one. Whether the steps of a group
can be one is found out by its process, which looks at their operations.
"""

import io
import json
import tokenize
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from core.common.device import other_gpu, wants_cuda
from core.files.safe_path import read_file
from core.runs.files import TOGETHER, read_json
from core.wings.sweep.study import random_ones
from core.worker import job_queue

HOW = ("auto", "on", "off")
MOST, FEW = 32, 8
"""Trials in one process; trials of TPE that "on" draws at once after the random ones."""
FREE = (
    "lr",
    "seed",
    "epochs",
    "patience",
    "min_delta",
    "max_minutes",
    "scheduler",
    "warmup",
    "checkpoint_every_s",
    "histograms",
    "keep_best",
)
"""Settings that may differ: they change no step beside its learning rate."""


def width(sweep: Any, left: int) -> int:
    """How many trials to draw now, of those that are left."""
    how = sweep.request.together
    if how == "off":
        return 1
    if sweep.counted:
        return min(MOST, left)
    drawn = len(sweep.study.get_trials(deepcopy=False))
    random = random_ones(sweep.request) - drawn
    return max(1, min(MOST, left, random if random > 0 or how == "auto" else FEW))


def grouped(run_dirs: Sequence[Path], how: str) -> list[list[Path]]:
    """Runs that may train together, as groups in their order; those begun together stay so."""
    groups: dict[str, list[Path]] = {}
    for run_dir in run_dirs:
        names = read_json(run_dir / TOGETHER).get("runs")
        kind = run_dir.name if how == "off" else _kind(run_dir)
        groups.setdefault(json.dumps(names) if names else kind, []).append(run_dir)
    return list(groups.values())


def _kind(run_dir: Path) -> str:
    """What must be the same of runs that train together; its own name for one that trains alone."""
    spec = read_json(run_dir / "spec.json")
    training: dict[str, Any] = spec.get("training", {})
    if alone(training):
        return run_dir.name
    rest = {name: _shape(name, v) for name, v in training.items() if name not in FREE}
    rest["bends"] = (training.get("scheduler") or {}).get("name", "")
    try:
        text = read_file(run_dir / "model.py").decode()
    except (OSError, UnicodeDecodeError):  # its own process says what is wrong with it
        return run_dir.name
    source = "".join(_words(text))
    return json.dumps([rest, spec.get("data"), source], sort_keys=True)


def alone(training: Mapping[str, Any]) -> str:
    """Why a run trains in a process of its own whatever the others are; "" where it need not."""
    device = str(training.get("device", "auto"))
    if other_gpu(device) or (wants_cuda(device) and job_queue.gpus()):
        return "it trains on a GPU"
    if training.get("compile") == "on":
        return "its network is compiled (compile)"
    return ""


def _shape(name: str, value: Any) -> Any:
    """A setting without its numbers, where numbers may differ; but what is nothing stays so."""
    if name not in ("optimizer_settings", "loss_settings", "clip_norm", "clip_value", "grad_noise"):
        return value
    if isinstance(value, Mapping):
        return {key: _shape(name, inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_shape(name, inner) for inner in value]
    return (value != 0) if type(value) in (int, float) else value


def _words(source: str) -> Iterator[str]:
    """The source with one fraction for all: what dropout keeps may differ, a width not."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            continue
        fraction = token.type == tokenize.NUMBER and not token.string.isdigit()
        yield "0.5" if fraction and float(token.string) != 0 else token.string
        yield " "
