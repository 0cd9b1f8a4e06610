"""Everything that is written to run by itself runs with only what its first lines name."""

import json
from pathlib import Path

import pytest
import torch

from core.export.run import export_subject
from core.export.subject import Subject, subject_of
from core.project.templates import load_template
from tests.core.export.only import named, run_only

CLOSE = 1e-5


@pytest.fixture(scope="module")
def subject() -> Subject:
    return subject_of(load_template("mlp_iris"))


SCRIPTS = {
    "script": ["torch", "scikit-learn"],
    "script-plain": ["torch", "scikit-learn"],
    "script-ddp": ["torch", "scikit-learn"],
    "lightning": ["torch", "lightning", "scikit-learn"],
}


@pytest.mark.slow
@pytest.mark.parametrize("form", SCRIPTS)
def test_a_script_runs_with_what_it_names(form: str, subject: Subject, tmp_path: Path) -> None:
    file = export_subject(subject, form, tmp_path / "train.py").path
    text = file.read_text("utf-8")
    assert named(text.split('"""')[1]) == SCRIPTS[form]
    output = run_only(file, SCRIPTS[form], "--device", "cpu", "--epochs", "1")
    assert "epoch 1: train loss" in output
    assert torch.load(tmp_path / "model.pt", weights_only=True).keys() == (
        subject.module.state_dict().keys()
    )


@pytest.mark.gate
def test_a_notebook_runs_with_what_it_names(subject: Subject, tmp_path: Path) -> None:
    written = export_subject(subject, "notebook", tmp_path / "net.ipynb").path
    cells = json.loads(written.read_text("utf-8"))["cells"]
    assert named("".join(cells[0]["source"])) == ["torch", "scikit-learn"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    file = tmp_path / "cells.py"
    file.write_text("\n\n".join(code).replace("EPOCHS = 100", "EPOCHS = 1"), "utf-8")
    assert "epoch 1: train loss" in run_only(file, ["torch", "scikit-learn"])


@pytest.mark.gate
def test_the_guard_keeps_out_what_is_not_named(tmp_path: Path) -> None:
    file = tmp_path / "try.py"
    file.write_text(
        "import torch\ntry:\n    import sklearn\nexcept ImportError:\n    print('out')\n"
    )
    assert run_only(file, ["torch"]) == "out\n"
