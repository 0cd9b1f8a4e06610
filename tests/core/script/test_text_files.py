"""Scripts of texts with a class each read the same rows, and end with the weights of the run."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from core.analyse import build
from core.data import describe, load
from core.data.facts.metadata import read_own
from core.data.sources.io_spec import End
from core.engine.loader import DeviceSplit
from core.engine.rng import seed_all
from core.engine.trainer_factory import trainer_from_settings
from core.project import Project
from core.script.lightning import write_lightning
from core.script.script import write_script
from core.settings.validate import resolve
from tests.core.data.own_sets import write_table
from tests.core.data.test_texts import rows, write_folder
from tests.core.script.alone import run_like_many
from tests.core.script.hand_made import Written
from tests.core.script.test_excerpt import faults

MODEL = '''\
"""Net: (N, 5) -> (N, 2). Written by Layerloom."""

import torch
from torch import Tensor, nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(90, 8, padding_idx=0)
        self.fc = nn.Linear(8, 2)

    def forward(self, text: Tensor) -> Tensor:
        x = self.embed(text)
        x = torch.sum(x, 1)
        return self.fc(x)  # (N, 2)
'''
TABLE = {"source": "TextCSV", "file": "data/mails.csv", "target_column": "label"}
FOLDER = {"source": "TextFolder", "root": "data/mails"}
CASES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "words": ({"columns": ["text"]}, {"class_weights": "balanced"}),
    "letters": ({"columns": ["text", "sender"], "tokens": "letter", "lower": False}, {}),
    "grouped": ({"split": "group", "split_by": "sender", "test": 0.2, "columns": ["text"]}, {}),
    "folder": (FOLDER, {}),
    "folded": ({"columns": ["text"], "folds": 4, "vocabulary": 9, "limit": 20}, {}),
}
ENDS = (End("text", (5,), "int64"),), (End("logits", (2,)),)


@pytest.fixture(autouse=True)
def workspace(workspace: Path) -> Path:
    write_table(workspace / "data/mails.csv", rows() + 'ham,"",g1\nNA,"win",g1\n')
    write_folder(workspace / "data/mails")
    return workspace


def weights_of_a_run(project: Project, info: Any) -> dict[str, torch.Tensor]:
    training = resolve(project.training, info.task, info.losses)
    data = load(project.data, *ENDS, training["seed"])
    seed_all(training["seed"])
    parts = DeviceSplit(*data.all_training()), DeviceSplit(*data.all_validation())
    engine = trainer_from_settings(build(MODEL, "Net"), training, data, parts)
    for _ in engine.fit():
        pass
    assert engine.best_weights is not None
    return engine.best_weights


def made(name: str) -> tuple[Project, Any]:
    data, training = CASES[name]
    project = Project(
        name="Net",
        data=data if "source" in data else TABLE | data,
        training={"epochs": 3, "batch_size": 8, **training},
    )
    read_own(project.data)
    return project, describe(project.data, *ENDS)


@pytest.mark.slow(keep=["grouped"])
@pytest.mark.parametrize("name", CASES)
def test_a_script_of_texts_ends_with_the_weights_of_the_run(name: str, tmp_path: Path) -> None:
    project, info = made(name)
    wanted = weights_of_a_run(project, info)
    script = write_script(project, Written(MODEL, "Net"), info)
    run_like_many(script, tmp_path, "--device", "cpu")
    saved = torch.load(tmp_path / "model.pt", weights_only=True)
    assert [key for key in wanted if not torch.equal(saved[key], wanted[key])] == []


@pytest.mark.gate
def test_scripts_of_texts_are_formatted_and_free_of_lint(tmp_path: Path) -> None:
    for name in CASES:
        project, info = made(name)
        for form, write in (("script", write_script), ("lightning", write_lightning)):
            text = write(project, Written(MODEL, "Net"), info)
            assert list(faults(text)) == []
            (tmp_path / f"{form}_{name}.py").write_text(text, "utf-8")
    for command in (["format", "--check", "--diff"], ["check", "--select", "F,I,B,UP,SIM"]):
        ruff = [sys.executable, "-m", "ruff", *command, "--isolated", "--target-version", "py311"]
        done = subprocess.run([*ruff, str(tmp_path)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
