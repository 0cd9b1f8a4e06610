"""What the engine and its peers train side by side: networks, data and settings."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from core.analyse import Report, analyse_project, build
from core.data import ends
from core.data.batches.dataset import load_project
from core.data.sources.paths import workspace
from core.engine.trainer import DeviceSplit, Trainer
from core.project import Project
from core.settings.validate import resolve
from tests.core.single_output import measure_for, single_loss
from tests.gpu.engines import template

RESNET = "resnet18"
TASKS = {
    "mlp_iris": (20, 520),
    "mlp_breast_cancer": (5, 155),
    "lenet_digits": (1, 17),
    "transformer_digits": (1, 13),
    "resnet_digits": (1, 13),
    "mobilenet_digits": (1, 9),
    RESNET: (1, 6),
}
"""Templates, and a model of torchvision on made-up pictures of 32 x 32, with the epochs of a short
and of a long fit."""
BARS = {
    "mlp_iris": 0.4,
    "mlp_breast_cancer": 0.4,
    "lenet_digits": 0.75,
    "transformer_digits": 0.7,
    "resnet_digits": 0.85,
    "mobilenet_digits": 0.85,
}
"""What compiled steps are to come down to, in times of the loop by hand."""


@dataclass
class Side:
    """Inputs and targets of one part of the data."""

    inputs: Tensor
    targets: Tensor

    def __len__(self) -> int:
        return len(self.inputs)


@dataclass
class Task:
    """A network and its data, ready to be trained again and again.

    compiled: an engine whose steps are compiled, and its epochs; made where they are timed.
    """

    project: Project
    report: Report
    parts: tuple[Side, Side]
    training: dict[str, Any]
    make: Callable[[], nn.Module]
    compiled: tuple[Trainer, Iterator[int]] | None = None

    def module(self) -> nn.Module:
        """The network with its first weights, the same each time."""
        torch.manual_seed(0)
        return self.make()

    def engine(self, module: nn.Module, **changes: Any) -> Trainer:
        """An engine that trains a network. changes: of the settings."""
        training = self.training | changes
        measure = measure_for("classification", str(training["loss"]), self.parts[0].targets)
        parts = [DeviceSplit((side.inputs,), (side.targets,)) for side in self.parts]
        return Trainer(module, training, (parts[0], parts[1]), single_loss(training, measure))


def task_of(name: str) -> Task:
    """One of TASKS."""
    project = _resnet18() if name == RESNET else template(name)
    report = analyse_project(project)
    data = load_project(project, *ends(report.inputs, report.outputs), 0)
    constant = {**project.training, "threads": 1, "scheduler": None}  # as the peers train
    training = resolve(constant, data.task, data.info.losses)
    source, class_name = report.source, report.class_name
    assert source is not None
    sides = Side(*data.training()), Side(*data.validation())
    return Task(project, report, sides, training, lambda: build(source, class_name))


def _resnet18() -> Project:
    """Ten classes, each a picture of its own under noise: 4 steps an epoch, mostly arithmetic.

    Writes the pictures into the workspace.
    """
    from torchvision.models import resnet18

    generator = torch.Generator().manual_seed(0)
    classes = torch.arange(320) % 10
    noise = 0.25 * torch.randn(320, 3, 32, 32, generator=generator)
    pictures = torch.randn(10, 3, 32, 32, generator=generator)[classes] + noise
    np.savez(workspace() / "pictures.npz", pictures=pictures.numpy(), classes=classes.numpy())
    data = {"source": "NPZ", "file": "pictures.npz", "columns": ("pictures",),
            "target_column": "classes", "validation": 0.2}  # fmt: skip
    training = {"loss": "CrossEntropyLoss", "batch_size": 64, "lr": 0.001}
    from core.wings.importing import import_module

    found = import_module(resnet18(num_classes=10), [(3, 32, 32)], RESNET)
    return replace(found.project, data=data, training=training)
