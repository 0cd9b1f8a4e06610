"""What the tests of the pair of templates share whose second network starts from the first one."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from core.analyse import analyse_project
from core.prepare.create import prepare
from core.project import Project
from core.project.templates import load_template
from tests.core.small_runs import train_here

FIRST, SECOND = "unlabelled_digits", "few_labels_digits"


def with_training(project: Project, **changed: Any) -> Project:
    """The project with other training settings."""
    return replace(project, training={**project.training, **changed})


def quick(name: str) -> Project:
    """A template that trains for one epoch, on one thread."""
    return with_training(load_template(name), epochs=1, threads=1)


def train(project: Project, runs: Path) -> Path:
    """Make a run and train it here, to its end."""
    run = prepare(project, analyse_project(project), runs)
    assert train_here(run).state == "finished"
    return run
