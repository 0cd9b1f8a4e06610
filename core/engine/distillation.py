"""Distillation: the softened predictions of a trained teacher join the targets in the loss.

Hinton, Vinyals, Dean: Distilling the Knowledge in a Neural Network (2015), arXiv:1503.02531. A run
keeps its teacher, as weights and as the project that its source is made from anew, so that it needs
nobody else's folder to go on.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file
from torch import Tensor, nn

from core.analyse import analyse_project, build
from core.common.errors import RunError
from core.project import ProjectError, open_project
from core.runs import checkpoint
from core.settings.distillation import PROJECT, WEIGHTS
from core.settings.distillation import describe as describe
from core.tasks.metrics import as_tuple


@dataclass(frozen=True)
class Teacher:
    """A network in evaluation mode, and how much its answers count."""

    module: nn.Module
    temperature: float
    alpha: float

    def mixed_loss(
        self, loss: Tensor, inputs: Sequence[Tensor], outputs: Sequence[Tensor]
    ) -> Tensor:
        """The loss of a batch against the truth, mixed with that against the teacher's answers."""
        with torch.no_grad():
            wanted = as_tuple(self.module(*inputs))[0]
        soft = distillation_loss(outputs[0], wanted, self.temperature)
        return (1 - self.alpha) * loss + self.alpha * soft


def distillation_loss(outputs: Tensor, wanted: Tensor, temperature: float) -> Tensor:
    """Divergence of softened outputs from a teacher's (N, C), Hinton et al. (2015)."""
    student = torch.log_softmax(outputs / temperature, dim=1)
    teacher = torch.log_softmax(wanted / temperature, dim=1)
    divergence = nn.KLDivLoss(reduction="batchmean", log_target=True)(student, teacher)
    return temperature**2 * divergence  # gradients shrink by that square


def teacher_of(
    run_dir: Path, spec: Mapping[str, Any], training: Mapping[str, Any], device: torch.device
) -> Teacher | None:
    """The teacher that a run keeps, on the device; None without one. Draws no chance.

    Raises RunError when it is not the one that the run was prepared with.
    """
    teacher = spec.get("teacher")
    if not teacher:
        return None
    path = run_dir / WEIGHTS
    if not path.is_file() or checkpoint.hash_of(path) != teacher["sha256"]:
        raise _changed(run_dir, WEIGHTS)
    try:
        report = analyse_project(open_project(run_dir / PROJECT))
    except ProjectError as error:
        raise _changed(run_dir, PROJECT) from error
    source = report.source or ""
    if hashlib.sha256(source.encode()).hexdigest() != teacher["source_sha256"]:
        raise _changed(run_dir, PROJECT)
    module = loaded(source, report.class_name, load_file(path)).to(device)
    setting = training["distil"]
    return Teacher(module, setting["temperature"], setting["alpha"])


def loaded(source: str, class_name: str, tensors: Mapping[str, Tensor]) -> nn.Module:
    """A network with weights that nothing will change."""
    with torch.random.fork_rng(devices=[]):
        module = build(source, class_name)
    module.load_state_dict(tensors)
    return module.requires_grad_(False).eval()


def _changed(run_dir: Path, name: str) -> RunError:
    message = f"{name} of {run_dir.name} was changed after the run was created."
    return RunError(run_dir.name, message, "Start a new run.")
