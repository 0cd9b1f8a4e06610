"""A training file that begins with weights, or learns from a teacher, is exported so that it runs.

Its weights travel beside it; what cannot travel is said.
"""

import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from core.analyse import analyse_project
from core.engine.load_module import load_module
from core.export import ExportError, export
from core.prepare.create import prepare
from core.project import Project
from core.project.templates import load_template
from core.worker import main
from tests.core.script.alone import surroundings


def iris(name: str, **training: Any) -> Project:
    project = load_template("mlp_iris")
    settings = {**project.training, "epochs": 2, "threads": 1, "device": "cpu", **training}
    return replace(project, name=name, training=settings)


def trained(project: Project, runs: Path) -> Path:
    run = prepare(project, analyse_project(project), runs)
    assert main.main(run) == 0
    return run


STARTS = {"start_from": {"run": "first-001"}}
TAUGHT = {"distil": {"run": "first-001", "alpha": 0.5}}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    trained(iris("First"), folder)
    trained(iris("Second", seed=3, **STARTS, **TAUGHT), folder)
    return folder


def alone(folder: Path, name: str) -> None:
    done = subprocess.run(
        [sys.executable, "-I", name], cwd=folder, env=surroundings(folder),
        capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_a_script_travels_with_its_weights_and_ends_as_the_run_does(runs: Path, tmp_path: Path):
    got = export(runs / "second-001", "script", tmp_path / "train.py")
    assert got.beside == ("start.safetensors", "teacher.safetensors")
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "start.safetensors", "teacher.safetensors", "train.py",
    ]  # fmt: skip
    assert "start.safetensors beside it is the best weights of first-001 (epoch" in got.note
    alone(tmp_path, "train.py")
    saved = torch.load(tmp_path / "model.pt", weights_only=True)
    best = load_module(runs / "second-001", "best").state_dict()
    assert [key for key in best if not torch.equal(best[key], saved[key])] == []


@pytest.mark.gate
def test_the_cells_of_a_notebook_find_what_travels_with_it(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    got = export(runs / "second-001", "notebook", tmp_path / "train.ipynb")
    assert got.beside == ("start.safetensors", "teacher.safetensors")
    cells = [c for c in json.loads(got.path.read_text())["cells"] if c["cell_type"] == "code"]
    assert "teacher" in [cell["id"] for cell in cells]
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for cell in cells:
        exec(compile("".join(cell["source"]), cell["id"], "exec"), namespace)
    saved = torch.load(tmp_path / "model.pt", weights_only=True)
    best = load_module(runs / "second-001", "best").state_dict()
    assert [key for key in best if not torch.equal(best[key], saved[key])] == []


def test_what_is_written_for_a_teacher_is_formatted_and_free_of_lint(runs: Path, tmp_path: Path):
    for kind, name in (("script", "train.py"), ("notebook", "train.ipynb")):
        export(runs / "second-001", kind, tmp_path / name)
    for command in (["format", "--check", "--diff"], ["check", "--select", "E,F,I,B,UP,SIM,RUF,A"]):
        ruff = [sys.executable, "-m", "ruff", *command, "--isolated", "--target-version", "py311"]
        done = subprocess.run([*ruff, str(tmp_path)], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr


def test_a_project_takes_its_weights_from_the_runs_it_names(runs: Path, tmp_path: Path):
    project = iris("Third", **STARTS, **TAUGHT)
    got = export(project, "script", tmp_path / "train.py", where=(runs, None))
    assert got.beside == ("start.safetensors", "teacher.safetensors")


def test_a_file_that_cannot_travel_is_named(tmp_path: Path):
    got = export(iris("Third", **STARTS), "script", tmp_path / "train.py")
    assert got.beside == ()
    assert got.note.endswith(
        "put the best weights of first-001 beside it as start.safetensors: training begins with it"
    )


def test_a_script_without_its_teacher_is_refused_with_what_to_do(tmp_path: Path):
    with pytest.raises(ExportError, match="a project file does not contain one") as refused:
        export(iris("Third", **TAUGHT), "script", tmp_path / "train.py")
    assert refused.value.hint.startswith("Train it")


def test_weights_of_another_script_are_not_written_over(runs: Path, tmp_path: Path):
    (tmp_path / "start.safetensors").write_bytes(b"another")
    with pytest.raises(ExportError, match="already exists and has other weights"):
        export(runs / "second-001", "script", tmp_path / "train.py")
    assert [path.name for path in tmp_path.iterdir()] == ["start.safetensors"]


def test_a_run_still_exports_its_script_when_the_others_are_gone(runs: Path, tmp_path: Path):
    shutil.copytree(runs / "second-001", tmp_path / "second-001")
    got = export(tmp_path / "second-001", "script", tmp_path / "train.py")
    assert (tmp_path / "teacher.safetensors").read_bytes() == (
        runs / "second-001" / "teacher.safetensors"
    ).read_bytes()
    assert got.beside == ("start.safetensors", "teacher.safetensors")
