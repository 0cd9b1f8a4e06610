"""The script of a series has the rows, windows and losses of the run, in the units of the file."""

import ast
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from core.analyse import analyse_project
from core.data import describe_project, ends
from core.data.facts.metadata import read_own
from core.prepare.create import prepare
from core.project import Project
from core.script.lightning import write_lightning
from core.script.notebook import write_notebook
from core.script.script import write_script
from tests.core.data.series_files import WORN, window_net, write_rides
from tests.core.script.alone import run_like_many
from tests.core.script.test_excerpt import faults
from tests.core.small_runs import project, train_here

CASES: dict[str, tuple[dict[str, Any], int]] = {
    "worn": (WORN | {"ahead": 3, "test": 0.2, "gap": "2 days"}, 2),
    "folds": ({"source": "SeriesCSV", "file": "data/rides.csv", "columns": ["rentals"],
               "window": 9, "folds": 3, "fold": 2, "limit": 40, "normalize": False}, 1),
}  # fmt: skip


@pytest.fixture(autouse=True)
def files(workspace: Path) -> Path:
    write_rides(workspace)
    return workspace


def made(name: str) -> Project:
    data, columns = CASES[name]
    read_own(data)
    net = window_net(data["window"], columns, data.get("ahead", 1))
    return project(net, data, epochs=2, threads=1, lr=0.01, compile_step="off")


def text_of(made: Project, write: Any) -> str:
    report = analyse_project(made)
    return write(made, report, describe_project(made, *ends(report.inputs, report.outputs)))


@pytest.mark.gate
@pytest.mark.parametrize("name", CASES)
def test_a_script_has_the_losses_and_errors_of_the_run(name: str, workspace: Path) -> None:
    run_dir = prepare(made(name), analyse_project(made(name)), workspace / "runs")
    assert train_here(run_dir).state == "finished"
    printed = run_like_many(text_of(made(name), write_script), workspace, "--device", "cpu")
    lines = (run_dir / "metrics.jsonl").read_text("utf-8").splitlines()
    epochs = [json.loads(line) for line in lines if '"kind":"epoch"' in line]
    losses = [value for record in epochs for value in record["val_loss"]]
    errors = [value for record in epochs for value in record["val_mae"]]
    found = re.findall(r"validation loss ([\d.]+).*?mae ([\d.]+)", printed)
    assert len(found) >= 2
    assert [float(loss) for loss, _ in found[:2]] == pytest.approx(losses, rel=1e-6, abs=5e-5)
    assert [error for _, error in found[:2]] == [f"{error:.4g}" for error in errors]


@pytest.mark.parametrize("name", CASES)
def test_scripts_of_series_are_formatted_and_free_of_lint(name: str, tmp_path: Path) -> None:
    forms = {"script": write_script, "lightning": write_lightning}
    for form, write in forms.items():
        text = text_of(made(name), write)
        assert list(faults(text)) == []
        (tmp_path / f"{form}.py").write_text(text, "utf-8")
    notebook = json.loads(text_of(made(name), write_notebook))
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            ast.parse("".join(cell["source"]))
    for command in (["format", "--check", "--diff"], ["check", "--select", "F,I,B,UP,SIM"]):
        ruff = [sys.executable, "-m", "ruff", *command, "--isolated", "--target-version", "py311"]
        done = subprocess.run([*ruff, str(tmp_path)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
