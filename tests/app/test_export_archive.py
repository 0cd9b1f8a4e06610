"""What the Export page gives for a run that was taught: an archive that trains by itself."""

import io
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from app.pages.export.page import _content
from core.analyse import analyse_project
from core.engine.load_module import load_module
from core.export import export
from core.prepare.create import prepare
from core.project.templates import load_template
from core.worker import main
from tests.core.script.alone import surroundings


def trained(name: str, runs: Path, **training: object) -> Path:
    project = load_template("mlp_iris")
    quick = {**project.training, "epochs": 2, "threads": 1, "device": "cpu", **training}
    project = replace(project, name=name, training=quick)
    run = prepare(project, analyse_project(project), runs)
    assert main.main(run) == 0
    return run


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "name"), [("script", "train.py"), ("notebook", "train.ipynb")])
def test_an_archive_holds_the_teacher_and_trains_to_the_bits_of_the_run(
    kind: str, name: str, tmp_path: Path
):
    runs, home, out = tmp_path / "runs", tmp_path / "home", tmp_path / name
    trained("Teacher", runs)
    run = trained("Student", runs, seed=3, distil={"run": "teacher-001", "alpha": 0.5})
    got = export(run, kind, out)
    with zipfile.ZipFile(io.BytesIO(_content(out, list(got.beside)))) as archive:
        assert archive.namelist() == [name, "teacher.safetensors"]
        assert archive.testzip() is None
        archive.extractall(home)
    kept = (run / "teacher.safetensors").read_bytes()
    assert (home / "teacher.safetensors").read_bytes() == kept
    assert (home / name).read_bytes() == out.read_bytes()
    if kind == "script":
        done = subprocess.run(
            [sys.executable, "-I", name], cwd=home, env=surroundings(home),
            capture_output=True, text=True, timeout=600,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        saved = torch.load(home / "model.pt", weights_only=True)
        best = load_module(run, "best").state_dict()
        assert [key for key in best if not torch.equal(best[key], saved[key])] == []
