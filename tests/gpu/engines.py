"""Engines on real data that lie on a device, at the start of a run."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from core.analyse import analyse_project, build
from core.data import ends
from core.data.batches.dataset import load_project
from core.engine.rng import seed_all
from core.engine.trainer import Trainer
from core.engine.trainer_factory import split_on_device, trainer_from_settings
from core.project import Project, open_project
from core.settings.accelerations import OFF
from core.settings.validate import resolve
from tests.core.small_runs import CHANCY_NET, project

TEMPLATES = Path(__file__).resolve().parents[2] / "projects"
RATE = 2.0**-7  # a number that float32 holds exactly


def template(name: str) -> Project:
    """One of the projects that come with the program."""
    return open_project(TEMPLATES / f"{name}.loom.json")


def engine(
    device: torch.device | str = "cpu",
    found: Project | None = None,
    kind: type[Trainer] = Trainer,
    **settings: Any,
) -> Trainer:
    """The chancy net on the digits, or a project, in which nothing is left to choose."""
    given = {"epochs": 2, "lr": RATE, "batch_size": 64} if found is None else {}
    found = found or project(CHANCY_NET, {"source": "digits"})
    report = analyse_project(found)
    assert report.source is not None
    data = load_project(found, *ends(report.inputs, report.outputs), 0)
    wanted = {**found.training, **given, "threads": 1, **settings}
    training = resolve(wanted, data.info.task, data.info.losses)
    training |= OFF | {name: settings[name] for name in OFF if name in settings}
    seed_all(0)
    module = build(report.source, report.class_name).to(device)
    return trainer_from_settings(
        module, training, data, split_on_device(data, torch.device(device)), kind
    )


def trained(made: Trainer, seed: int = 1) -> dict[str, Tensor]:
    """Its weights and buffers at the end of the run."""
    seed_all(seed)
    for _ in made.fit():
        made.drain_metrics()
    assert made.diverged is None
    return made.module.state_dict()


def apart(one: Mapping[str, Tensor], other: Mapping[str, Tensor]) -> float:
    """The largest difference between any two numbers of two networks."""
    pairs = [(value.double(), other[name].double()) for name, value in one.items()]
    return max(float((a - b).abs().max()) for a, b in pairs if a.numel())
