"""Fingerprint of all that the exact numbers of a run depend on; a resumed run warns of changes."""

import hashlib
import os
import re
from collections.abc import Mapping
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
import torch

from core.common.device import KINDS, has
from core.engine import device_trial
from core.engine.trainer import Trainer
from core.files.safe_path import read_file

LATER = ("float32", "together")
"""What older checkpoints do not tell. They go on as if it had been as it is."""
RANDOM = "random numbers"
"""The key of a run whose micro-batches draw from streams of their own."""
DRAWS = (b"ropout", b"rand", b"bernoulli")
"""Words in a source that draws random numbers."""
FULL = {"none": "full", "ieee": "full"}


def fingerprint(
    run_dir: Path, spec: Mapping[str, Any], engine: Trainer, content: str, device: torch.device
) -> dict[str, Any]:
    """Gather it. content: the hash of the data. The engine's settings are those settled."""
    source = read_file(run_dir / "model.py")
    name = _cpu() if has(device, "host") else device_trial.called(device)
    training = engine.training
    return {
        "source": hashlib.sha256(source).hexdigest(),
        "data": content,
        "batch_size": engine.step_settings.batch_size,
        "threads": torch.get_num_threads(),
        "optimizer": f"{training['optimizer']} {engine.recipe.flavour}",
        "torch": str(torch.__version__),
        "device": name,
        "float32": float32(device.type),
        **_calculation(training),
        "together": engine.together,
        **_random_numbers(engine, source),
        **{k: spec[k]["sha256"] for k in ("start", "teacher") if spec.get(k)},
    }


def changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """What is not as it was, in words."""
    return [
        f"{name} {shorten(old.get(name))} -> {shorten(value)}"
        for name, value in new.items()
        if old.get(name) != value and (name in old or name not in LATER)
    ]


def float32(device: str) -> str:
    """In what products of float32 numbers are calculated, such as "matmul full, conv tf32".

    Nothing of ours changes it; a start file of Python, a variable or another torch may.
    """
    kind = KINDS[device]
    kinds = {
        name: attrgetter(f"{setting}.fp32_precision")(torch.backends)
        for name, setting in kind.products.items()
    }
    precisions = ", ".join(f"{name} {FULL.get(kind, kind)}" for name, kind in kinds.items())
    override = os.environ.get(kind.override, "") if kind.override else ""
    return f"{precisions}, override {override}" if override else precisions


def _random_numbers(engine: Trainer, source: bytes) -> dict[str, str]:
    """Of what each micro-batch draws by itself, where it draws at all."""
    draws = any(word in source for word in DRAWS) or any(engine.spreads)
    if not engine.ranked or not (draws or not engine.train.host_bytes):
        return {}
    return {RANDOM: "of each micro-batch"}


def _calculation(training: Mapping[str, Any]) -> dict[str, str]:
    """How steps are calculated, where that differs from the source alone."""
    used = [name for name in ("channels_last", "compile", "compile_step") if training[name] == "on"]
    used += ["deterministic"] * training["deterministic"]
    if training["precision"] != "float32":
        used.insert(0, training["precision"])
    return {"calculation": " ".join(used)} if used else {}


def _cpu() -> str:
    return f"cpu {torch.backends.cpu.get_cpu_capability()} numpy {np.__version__}"


def shorten(value: object) -> str:
    """A value of a fingerprint for people: of a hash its beginning."""
    return str(value)[:12] if re.fullmatch(r"[0-9a-f]{64}", str(value)) else str(value)
