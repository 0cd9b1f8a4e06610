"""For every template: the run's own worker, and the script it leaves, reach the same weights."""

import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch

from core.analyse import analyse_project
from core.data import describe_project, ends
from core.project import open_project
from core.train import load_module, prepare, start, view_run
from core.train.files.notebook import write_notebook
from core.train.files.script import write_script
from tests.core.train.files.alone import run_alone

TEMPLATES = sorted((Path(__file__).parents[4] / "projects").glob("*.loom.json"))


def test_scripts_and_notebooks_of_all_templates_are_formatted(tmp_path: Path):
    for file in TEMPLATES:
        project = open_project(file)
        report = analyse_project(project)
        info = describe_project(project, *ends(report.inputs, report.outputs))
        name = file.name.split(".")[0]
        (tmp_path / f"{name}.py").write_text(write_script(project, report, info))
        (tmp_path / f"{name}.ipynb").write_text(write_notebook(project, report, info))
    assert len(list(tmp_path.iterdir())) == 2 * len(TEMPLATES) > 20
    for command in (["format", "--check", "--diff"], ["check"]):
        ruff = [sys.executable, "-m", "ruff", *command, "--isolated", "--target-version", "py311"]
        done = subprocess.run([*ruff, str(tmp_path)], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("file", TEMPLATES, ids=lambda file: file.name.split(".")[0])
def test_the_script_of_a_run_ends_with_its_weights(file: Path, tmp_path: Path):
    project = open_project(file)
    settings = {"epochs": 1, "threads": 1, "device": "cpu"}
    run_dir = prepare(project, analyse_project(project), tmp_path / "runs", settings)
    start(run_dir)
    script = (run_dir / "script.py").read_text(encoding="utf-8")
    run_alone(script, tmp_path)
    until = time.monotonic() + 200
    while view_run(run_dir).state in ("queued", "running") and time.monotonic() < until:
        time.sleep(0.2)
    assert view_run(run_dir).state == "finished"
    trained = load_module(run_dir, "best").state_dict()
    alone = torch.load(tmp_path / "model.pt", weights_only=True)
    assert alone.keys() == trained.keys()
    assert [key for key in alone if not torch.equal(alone[key], trained[key])] == []
