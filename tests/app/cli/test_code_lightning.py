"""`layerloom code --as lightning`: written for what Lightning can do, refused in words else."""

import ast
from pathlib import Path

import pytest

from app.cli import main

PROJECTS = Path(__file__).parents[3] / "projects"


def test_a_lightning_script_is_written(tmp_path: Path) -> None:
    out = tmp_path / "lit.py"
    project = str(PROJECTS / "lenet_digits.loom.json")
    assert main(["code", project, "--as", "lightning", "-o", str(out)]) == 0
    classes = {n.name for n in ast.parse(out.read_text()).body if isinstance(n, ast.ClassDef)}
    assert classes == {"LeNetOnDigits", "EpochBatches", "LitLeNetOnDigits"}


def test_what_lightning_cannot_do_is_reported_and_nothing_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "lit.py"
    project = str(PROJECTS / "dcgan_digits.loom.json")
    assert main(["code", project, "--as", "lightning", "-o", str(out)]) == 1
    stderr = capsys.readouterr().err
    assert (
        "A Lightning script is not written for a training that has losses that move discriminator"
        " and generator alone." in stderr
    )
    assert "Export the training script instead: it supports this." in stderr
    assert not out.exists()


def test_help_says_it(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["code", "--help"])
    assert "{model,script,notebook,lightning,networkx}" in capsys.readouterr().out
