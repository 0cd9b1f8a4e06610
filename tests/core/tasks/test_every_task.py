"""Every declared task is whole: from its data to a script that runs, on its smallest template."""

from pathlib import Path
from typing import cast

import numpy as np
import pytest
import torch

from core.analyse import analyse_project
from core.data.facts.info import describe_project
from core.data.sources.io_spec import ends
from core.prepare.create import prepare
from core.project import open_project
from core.script.excerpt import excerpt_of
from core.tasks.registry import KINDS, LOSSES, TASKS, exchangeable
from core.tasks.task import TargetKind, function_of
from tests.core.script.alone import run_like_many
from tests.core.small_runs import train_here

PROJECTS = Path(__file__).parents[3] / "projects"

NAMED = sorted(
    {name for kind in KINDS.values() for name in kind.functions}
    | {name for task in TASKS.values() for each in task.targets for name in each.functions}
)


@pytest.mark.parametrize("name", NAMED)
def test_every_function_that_a_task_names_is_there_and_says_what_it_does(name: str) -> None:
    function = function_of(name)
    assert callable(function)
    assert function.__doc__


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.name)
def test_every_kind_of_target_has_a_loss_and_one_way_to_be_measured(kind: TargetKind) -> None:
    assert [name for name in kind.losses if name not in LOSSES] == ["mean"] * (
        kind.name == "itself"
    )
    assert kind.losses[0] in exchangeable(kind)
    if kind.metrics:
        assert kind.metrics.script.sums


def test_every_loss_is_of_some_task() -> None:
    used = {name for kind in KINDS.values() for name in kind.losses}
    assert used - {"mean"} == LOSSES.keys()
    of_torch = [name for name, loss in LOSSES.items() if not loss.module]
    assert [name for name in of_torch if not hasattr(torch.nn, name)] == []


OURS = [(name, loss.module) for name, loss in LOSSES.items() if loss.module]


@pytest.mark.parametrize(("name", "written"), OURS, ids=[name for name, _ in OURS])
def test_a_loss_that_torch_has_not_is_a_module_that_stands_alone(name: str, written: str) -> None:
    assert not hasattr(torch.nn, name), f"torch has {name}: take that"
    room: dict[str, object] = {"torch": torch, "nn": torch.nn, "Tensor": torch.Tensor}
    exec(excerpt_of(written), room)  # as a training script has it
    made = cast(type[torch.nn.Module], room[name])()
    assert made.reduction == "mean"
    assert made.__doc__


def templates_by_task() -> dict[str, list[tuple[int, Path]]]:
    """Templates of each task with the parameters that they learn, the smallest first."""
    found: dict[str, list[tuple[int, Path]]] = {}
    for path in PROJECTS.glob("*.loom.json"):
        project = open_project(path)
        report = analyse_project(project)
        if project.data and not report.errors:
            info = describe_project(project, *ends(report.inputs, report.outputs))
            if info.origin.embedded and info.origin.package != "files":
                found.setdefault(info.task, []).append((report.total_params, path))
    return {task: sorted(each) for task, each in found.items()}


@pytest.mark.slow
def test_every_task_learns_predicts_and_writes_a_script_that_runs(tmp_path: Path) -> None:
    templates = templates_by_task()
    assert templates.keys() == TASKS.keys()
    for task, ((_, path), *_others) in templates.items():
        folder = tmp_path / task
        folder.mkdir()
        project = open_project(path)
        settings = {"epochs": 1, "threads": 1, "device": "cpu"}
        run = prepare(project, analyse_project(project), folder / "runs", settings)
        printed = run_like_many((run / "script.py").read_text("utf-8"), folder)
        view = train_here(run)
        assert view.state == "finished"
        measured = [name for name in view.metrics if name.startswith("val_")]
        assert len(measured) >= 2, f"{path.name} has no metric beside its loss"
        assert f"{view.metrics['val_loss']:.4f}" in printed
        (arrays,) = (run / "live" / "made").glob("*.npz")
        with np.load(arrays, allow_pickle=False) as file:
            assert file.files
