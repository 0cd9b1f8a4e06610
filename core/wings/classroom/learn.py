"""Train a hand-in anew on the teacher's data, and test it on the part that nobody saw.

The drawing and its training settings are the student's; data, split, seed and budget are the
task's. The same hand-in gives the same figures on the same machine: one thread, no compiler.
"""

import math
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import torch

from core.analyse import build
from core.analyse.report import Report
from core.common.device import CPU
from core.common.errors import RunError
from core.data import DataError, ends
from core.data.batches.dataset import load_project
from core.engine.nonfinite_errors import REFUSALS
from core.engine.rng import seed_all
from core.engine.trainer import Trainer
from core.engine.trainer_factory import on_device, split_on_device, trainer_from_settings
from core.prepare.settings import checked_settings
from core.project import Project
from core.wings.classroom.kinds import Learned
from core.wings.classroom.model import TaskKey

STUDENTS = ("normalize", "noise", "transform")
"""Settings of the data that are the student's choice where the key leaves them open."""
FIXED: dict[str, Any] = {
    "start_from": None,
    "distil": None,
    "device": CPU,
    "compile": "off",
    "compile_step": "off",
    "cuda_graph": "off",
    "threads": 1,
    "deterministic": False,
    "keep_best": 1,
    "on_not_finite": "stop",
}
"""Training settings that no hand-in decides: it begins with random weights, on one thread."""
TEST = "test_"
NO_MEMORY = "allocate memory"
"""What torch says where there is none left."""


def with_hidden_data(project: Project, key: TaskKey) -> Project:
    """The project on the teacher's data, with the seed of the key."""
    own = {name: project.data[name] for name in STUDENTS if name in project.data}
    training = {**project.training, **FIXED, "seed": key.seed}
    return replace(project, data={**own, **key.data}, training=training)


def learn(project: Project, report: Report, key: TaskKey, epochs: int, seconds: int = 0) -> Learned:
    """Train for at most so many epochs, and seconds of computing where they are not 0.

    report: of the project's drawing, without errors. What cannot be trained says why.
    """
    try:
        return _learned(with_hidden_data(project, key), report, epochs, seconds)
    except (RunError, DataError) as error:
        return Learned({}, f"It cannot be trained on the hidden data: {error.message}")
    except REFUSALS as error:
        words = (str(error).strip().splitlines() or [type(error).__name__])[0]
        if NO_MEMORY in words:
            words = "it needs more memory than a hand-in may take."
        return Learned({}, f"It cannot be trained on the hidden data: {words[:200]}")


def _learned(project: Project, report: Report, epochs: int, seconds: int) -> Learned:
    torch.set_num_threads(1)
    seed = int(project.training["seed"])
    data = load_project(project, *ends(report.inputs, report.outputs), seed)
    settings = _settings(project, checked_settings(project, data.info), report, epochs)
    seed_all(seed)
    trainer = trainer_from_settings(
        _module(report), settings, data, split_on_device(data, torch.device(CPU))
    )
    if why := _trained(trainer, seconds):
        return Learned({}, why)
    if not data.info.test_size:
        return Learned({}, "The key's data has no test part: set data.test, such as 0.3.")
    metrics = trainer.test(on_device(data.all_test(), torch.device(CPU)))
    return Learned({name.removeprefix(TEST): value for name, value in metrics.items()})


def _settings(
    project: Project, training: Mapping[str, Any], report: Report, epochs: int
) -> dict[str, Any]:
    """The settings of the training: no more epochs than the task allows."""
    most = min(int(training["epochs"]), epochs)
    return {**training, "epochs": most, "rates": dict(report.rates)}


def _module(report: Report) -> torch.nn.Module:
    assert report.source is not None  # without errors
    return build(report.source, report.class_name)


def _trained(trainer: Trainer, seconds: int) -> str:
    """Train to the end of the budget; why it did not get there, "" where it did."""
    began = time.process_time()
    for _ in trainer.fit():
        trainer.drain_metrics()
        if seconds and time.process_time() - began > seconds:
            return f"It needed more than {seconds} s of computing."
    if trainer.diverged:
        return f"It diverged: {trainer.diverged}"
    loss = trainer.record.get("val_loss", 0.0)
    return "" if math.isfinite(loss) else "Its loss is not finite."
