"""A trained project, its samples and its answers, as every door is held against them."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from core.analyse import analyse_project
from core.data.batches.dataset import Dataset
from core.engine.load_module import load_module, load_network
from core.export.formats import FORMATS
from core.export.interface import interface_of
from core.export.parity import draws
from core.export.run import export_subject
from core.export.subject import Subject, subject_of
from core.prepare.create import prepare
from core.project import Project
from core.runs.files import read_status
from core.tasks.metrics import as_tuple

FEW = 6
Outputs = list[Tensor]
BEST = re.compile(r"Best validation [a-z ]+ (-?[\d.]+(?:e[-+]?\d+)?)(%?);")


class Refused(Exception):
    """A door that does not take such a project, with the sentence that says why."""


class Stated(Exception):
    """A door that answers, and that says before it starts that it answers otherwise, and why."""


@dataclass(frozen=True)
class Metric:
    """What a door says of the whole validation part. off: how far it may lie, by its digits."""

    value: float
    off: float = 0.0


@dataclass(frozen=True)
class Answers:
    """Outputs for the samples of a run, in their order, and what the door measured."""

    outputs: Outputs
    metric: Metric | None = None


@dataclass(frozen=True)
class TrainedRun:
    """A trained project. folder: of this run's doors."""

    project: Project
    run_dir: Path
    workspace: Path

    @cached_property
    def subject(self) -> Subject:
        return subject_of(self.run_dir)

    @cached_property
    def dataset(self) -> Dataset:
        assert self.subject.opened is not None
        return self.subject.opened.dataset

    @cached_property
    def interface(self) -> dict[str, Any]:
        return interface_of(self.subject).json()

    @cached_property
    def random(self) -> bool:
        """Whether the network draws random numbers when it is used."""
        return draws(self.subject.module, self.subject.sample)

    @cached_property
    def inputs(self) -> tuple[Tensor, ...]:
        return tuple(x[:FEW] for x in self.dataset.all_validation()[0])

    @property
    def count(self) -> int:
        return len(self.inputs[0])

    @cached_property
    def expected(self) -> Outputs:
        return self.outputs_of(load_module(self.run_dir, "best"))

    @property
    def best_metric(self) -> str:
        """What the best epoch was chosen by, such as val_accuracy."""
        return best_of(self.run_dir)[0]

    @property
    def best(self) -> float:
        """Its value."""
        return best_of(self.run_dir)[1]

    def outputs_of(self, module: Callable[..., Any]) -> Outputs:
        """What a module gives for the validation samples."""
        inputs = [value.clone() for value in self.inputs]  # reading them may draw random numbers
        torch.manual_seed(0)
        with torch.no_grad():
            return list(as_tuple(module(*inputs)))

    def of_state(self, state: Mapping[str, Tensor], metric: Metric | None = None) -> Answers:
        """What the network gives with these weights."""
        module = load_network(self.run_dir).module().eval()
        module.load_state_dict(state)
        return Answers(self.outputs_of(module), metric)

    def of_run(self, run_dir: Path) -> Answers:
        """What another run gives, and its best metric."""
        _, best = best_of(run_dir)
        return self.of_state(load_module(run_dir, "best").state_dict(), Metric(best))

    def of_script(self, folder: Path, printed: str) -> Answers:
        """What a training script has saved, and the metric it printed."""
        state = torch.load(folder / "model.pt", weights_only=True)
        return self.of_state(state, printed_metric(printed))

    def again(self, name: str, **settings: Any) -> Path:
        """A run of the same project, not yet begun."""
        report = analyse_project(self.project)
        return prepare(self.project, report, self.workspace / name, settings)

    def folder(self, name: str) -> Path:
        """A folder beside which the user's own data lies."""
        made = self.workspace / name
        made.mkdir()
        if (self.workspace / "data").exists():
            (made / "data").symlink_to(self.workspace / "data")
        return made

    def exported(self, name: str) -> Path:
        """A file of a format."""
        folder = self.workspace / "out"
        folder.mkdir(exist_ok=True)
        ending = f"{FORMATS[name].suffix}{FORMATS[name].ending}"
        return export_subject(self.subject, name, folder / f"net{ending}").path


def best_of(run_dir: Path) -> tuple[str, float]:
    """The metric of the best epoch of a run; its loss where the newest epoch is the best."""
    best = read_status(run_dir)["best"]
    name = best["metric"] if best["metric"] in best["metrics"] else "val_loss"
    return name, float(best["metrics"][name])


def printed_metric(printed: str) -> Metric | None:
    """The best metric of a script: it may be off by half of its last digit."""
    if (found := BEST.search(printed)) is None:
        return None
    digits, percent = found.groups()
    share = 0.01 if percent else 1.0
    last = 10.0 ** -len(digits.partition(".")[2])
    return Metric(float(digits) * share, 0.5001 * last * share)
