"""What the engine and its peers train side by side: networks, data and settings."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from core.analyse import analyse_project, build
from core.data import ends
from core.data.dataset import load_project
from core.engine.trainer import Trainer
from core.project import open_project
from core.settings.validate import resolve

ROOT = Path(__file__).resolve().parents[2]
RESNET = "resnet18"
TASKS = {
    "mlp_iris": (20, 520),
    "mlp_breast_cancer": (5, 155),
    "lenet_digits": (1, 17),
    "transformer_digits": (1, 13),
    "resnet_digits": (1, 13),
    "mobilenet_digits": (1, 9),
    RESNET: (1, 4),
}
"""Templates, and a model of torchvision on made-up pictures of 32 x 32, with the epochs of a short
and of a long fit."""


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

    drawn: project and report of a template; None where there is no drawing to make a run of.
    compiled: an engine whose steps are compiled, and its epochs; made where they are timed.
    """

    parts: tuple[Side, Side]
    training: dict[str, Any]
    make: Callable[[], nn.Module]
    drawn: tuple[Any, Any] | None = None
    compiled: tuple[Trainer, Iterator[int]] | None = None

    def module(self) -> nn.Module:
        """The network with its first weights, the same each time."""
        torch.manual_seed(0)
        return self.make()


def task_of(name: str) -> Task:
    """One of TASKS."""
    if name == RESNET:
        return _resnet18()
    project = open_project(ROOT / "projects" / f"{name}.loom.json")
    report = analyse_project(project)
    data = load_project(project, *ends(report.inputs, report.outputs), 0)
    constant = {**project.training, "threads": 1, "scheduler": None}  # as the peers train
    training = resolve(constant, data.task, data.info.losses)
    source, class_name = report.source, report.class_name
    assert source is not None
    return Task(
        (Side(*data.training()), Side(*data.validation())),
        training,
        lambda: build(source, class_name),
        (project, report),
    )


def _resnet18() -> Task:
    """Ten classes, each a picture of its own under noise: 4 steps an epoch, mostly arithmetic."""
    from torchvision.models import resnet18

    generator = torch.Generator().manual_seed(0)
    pictures = torch.randn(10, 3, 32, 32, generator=generator)

    def side(count: int) -> Side:
        classes = torch.arange(count) % 10
        noise = torch.randn(count, 3, 32, 32, generator=generator)
        return Side(pictures[classes] + noise, classes)

    given = {"loss": "CrossEntropyLoss", "batch_size": 64, "lr": 0.001, "threads": 1}
    return Task(
        (side(256), side(64)), resolve(given, "classification"), lambda: resnet18(num_classes=10)
    )
