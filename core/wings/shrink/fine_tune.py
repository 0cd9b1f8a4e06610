"""Fine-tuning for a few epochs after compression, by the engine."""

import math
from collections.abc import Mapping
from dataclasses import replace

import torch
from torch import Tensor, nn

from core.analyse.report import Report
from core.common.device import CPU
from core.common.errors import RunError
from core.data import DataError, ends
from core.data.batches.dataset import load_project
from core.engine.distillation import Teacher
from core.engine.rng import rng_state, seed_all, set_rng_state
from core.engine.trainer import Trainer
from core.engine.trainer_factory import split_on_device, trainer_from_settings
from core.export.subject import Subject
from core.prepare.lr_finder import PLAIN
from core.project import Project
from core.settings.lr_schedulers import FALLING
from core.settings.validate import resolve
from core.wings.shrink.way import ReportStep, ShrinkError

TRAIN_ON = "Set epochs to 0, open the drawing, and train it on the Train page."


def fine_tune(
    subject: Subject,
    module: nn.Module,
    drawing: tuple[Project, Report],
    epochs: int,
    on_step: ReportStep,
    masks: Mapping[nn.Parameter, Tensor] | None = None,
    teach: bool = False,
    last: bool = False,
) -> None:
    """Train a module in place with its project's settings, with cosine decay of the learning rate.

    It ends with the weights of the best epoch.

    masks: 0 where a weight stays 0. teach: also learn from the predictions of the subject's
    network. last: end with the last weights, for a module whose buffers change their sizes as it
    learns. Raises ShrinkError where it cannot be trained here.
    """
    if not epochs:
        module.eval()
        return
    before = rng_state()
    try:
        engine = _engine(subject, module, drawing, epochs, teach)
        hooks = [p.register_hook(lambda g, m=m: g * m) for p, m in (masks or {}).items()]
        _train(engine, epochs, on_step)
        for hook in hooks:
            hook.remove()
    except (RunError, DataError) as error:
        raise ShrinkError(f"It cannot be fine-tuned here: {error.message}", TRAIN_ON) from error
    finally:
        set_rng_state(before)
    if engine.diverged:
        raise ShrinkError(f"Fine-tuning diverged: {engine.diverged}", TRAIN_ON)
    if engine.best_weights and not last:
        module.load_state_dict(engine.best_weights)
    with torch.no_grad():
        for weight, mask in (masks or {}).items():
            weight *= mask
    module.eval()


def _train(engine: Trainer, epochs: int, on_step: ReportStep) -> None:
    on_step(f"training, epoch 1 of {epochs}")
    for what in engine.fit(tick_s=math.inf):
        engine.drain_metrics()
        if what == "epoch" and engine.epoch < epochs:
            on_step(f"training, epoch {engine.epoch + 1} of {epochs}")


def _engine(
    subject: Subject, module: nn.Module, drawing: tuple[Project, Report], epochs: int, teach: bool
) -> Trainer:
    project, report = drawing
    if subject.opened is None:
        raise ShrinkError("A single network has no data to train on.", "Set epochs to 0.")
    seed = int(project.training.get("seed", 0))
    data = load_project(project, *ends(report.inputs, report.outputs), seed)
    settings = {**project.training, "start_from": None, "scheduler": FALLING}
    settings["distil"] = {"run": "teacher"} if teach else None
    training = resolve(settings, data.info.task, data.info.losses, data.info.rare)
    schedule = {"scheduler": training["scheduler"]}
    training |= {**PLAIN, **schedule, "epochs": epochs, "rates": report.rates}
    seed_all(seed)
    parts = split_on_device(data, torch.device(CPU))
    module.train()  # what it returns is not always the module
    engine = trainer_from_settings(module, training, data, parts)
    if teach:
        how = training["distil"]
        engine.computing.teacher = Teacher(subject.module, how["temperature"], how["alpha"])
    return engine


def with_teacher(project: Project, run: str) -> Project:
    """The project whose training has a run as its teacher."""
    return replace(project, training={**project.training, "distil": {"run": run}})
