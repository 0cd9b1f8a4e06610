"""A script parts samples as its run does, to the bit, and tests the best weights once."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from core.analyse import analyse_project
from core.data import DataInfo, describe_project, ends
from core.data.batches.dataset import Dataset, load_project
from core.project import Project, open_project
from core.script.lightning import write_lightning
from core.script.notebook import write_notebook
from core.script.script import write_script
from core.source.layout import WIDTH

PROJECTS = Path(__file__).parents[3] / "projects"
TURNED = [{"name": "RandomRotation", "degrees": 10}]


def asked(name: str, data: dict[str, Any]) -> tuple[Project, Any, DataInfo, Dataset]:
    """A template with settings of its parts: project, analysis, data as a run has it."""
    project = open_project(PROJECTS / f"{name}.loom.json")
    project = replace(project, data={**project.data, **data})
    report = analyse_project(project)
    of = ends(report.inputs, report.outputs)
    seed = project.training.get("seed", 0)
    return project, report, describe_project(project, *of), load_project(project, *of, seed)


def read_by(script: str) -> list[Any]:
    """What `load_data` of a script gives."""
    room: dict[str, Any] = {"__name__": "script"}
    exec(compile(script, "script", "exec"), room)
    return list(room["load_data"]())


def flat(found: list[Any]) -> list[Tensor]:
    """The columns of all parts, one after the other; a unit left out."""
    columns: list[Tensor] = []
    for each in found:
        if isinstance(each, list):
            columns += each
        elif isinstance(each, Tensor):
            columns.append(each)
    return columns


@pytest.mark.parametrize(("name", "data"), [
    ("lenet_digits", {"test": 0.2, "folds": 5, "fold": 2, "noise": 0.1, "limit": 300}),
    ("regression_diabetes", {"test": 0.1, "stratify": True}),
    ("autoencoder_digits", {"test": 0.1, "stratify": False}),
    ("siamese_digits", {"test": 0.1}),
    ("bert_text", {"test": 0.2, "limit": 40}),
    ("two_heads_digits", {"test": 0.1, "noise": 0.1}),
    ("two_inputs_diabetes", {"folds": 4, "fold": 4}),
])  # fmt: skip
def test_a_script_reads_all_parts_as_the_run_does(name: str, data: dict[str, Any]):
    project, report, info, run = asked(name, data)
    text = write_script(project, report, info)
    own = text.partition("def load_data")[2].partition("\n\n\n")[0]
    assert max(map(len, own.splitlines())) <= WIDTH
    parts = [run.all_training(), run.all_validation()]
    parts += [run.all_test()] if info.parts.tests else []
    wanted = [column for inputs, targets in parts for column in (*inputs, *targets)]
    found = flat(read_by(text))
    assert len(found) == len(wanted)
    assert all(torch.equal(a, b) for a, b in zip(found, wanted, strict=True))


@pytest.mark.parametrize("noise", [0.0, 0.1])
def test_a_script_of_varied_pictures_reads_the_test_part_as_the_run_does(noise: float):
    data = {"test": 0.1, "noise": noise, "transform": TURNED, "limit": 40}
    project, report, info, run = asked("lenet_digits", data)
    _, _, test = read_by(write_script(project, report, info))
    (inputs,), (targets,) = run.all_test()
    assert torch.equal(torch.stack([test[k][0] for k in range(len(test))]), inputs[:])
    assert torch.equal(torch.stack([test[k][1] for k in range(len(test))]), targets)


def test_the_test_part_is_asked_once_after_the_last_epoch():
    project, report, info, _ = asked("lenet_digits", {"test": 0.1})
    text = write_script(project, report, info)
    ending = text[text.index('print(f"Best validation') :]
    assert ending.splitlines()[1:4] == [
        "    model.load_state_dict(torch.load(args.out, weights_only=True))",
        "    test_loss, accuracy = evaluate(model, criterion, test_x, test_y)",
        '    print(f"Test loss {test_loss:.4f}, accuracy {accuracy:.2%}")',
    ]
    cells = json.loads(write_notebook(project, report, info))["cells"]
    assert "".join(cells[-1]["source"]).splitlines()[1].startswith("test_loss, accuracy = ")
    lightning = write_lightning(project, report, info)
    assert "    trainer.test(module, test_loader, verbose=False)\n" in lightning
    assert "test" not in write_script(*asked("lenet_digits", {})[:3]).lower()
