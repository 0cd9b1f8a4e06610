"""`layerloom slice`: what it writes opens, runs, exports; what is no part is told in a sentence."""

import errno
import json
import os
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from app.cli import main
from app.cli import slice as slice_command
from core import analyse, build, open_project

ROOT = Path(__file__).resolve().parents[3]
LENET = str(ROOT / "projects/lenet_digits.loom.json")
RESNET = str(ROOT / "projects/resnet_digits.loom.json")
Capture = pytest.CaptureFixture[str]


def test_a_part_is_a_project_with_weights_of_its_own(tmp_path: Path, capsys: Capture) -> None:
    out = tmp_path / "part.loom.json"
    assert main(["slice", LENET, "--from", "conv2", "--to", "fc1", "-o", str(out), "--json"]) == 0
    output = json.loads(capsys.readouterr().out)
    assert output["blocks"] == ["conv2", "tanh2", "pool2", "flat", "fc1"]
    assert (output["inputs"], output["outputs"]) == (["pool1"], ["fc1_out"])
    assert [each["equal"] for each in output["compared"]] == [True]
    assert output["renamed"] == {}
    report = analyse(open_project(out).graph)
    module = build(report.source or "")
    module.load_state_dict(load_file(tmp_path / "part.safetensors"))
    assert module(torch.zeros(2, 6, 14, 14)).shape == (2, 120)


def test_a_part_of_a_part_has_the_weights_beside_it(tmp_path: Path, capsys: Capture) -> None:
    first, second = tmp_path / "a.loom.json", tmp_path / "b.loom.json"
    inner = ["--from", "stage1.0.conv1", "--to", "stage1.0.relu2"]
    assert main(["slice", RESNET, *inner, "-o", str(first)]) == 0
    assert main(["slice", str(first), "--blocks", "conv2,bn2", "-o", str(second), "--json"]) == 0
    captured = capsys.readouterr()
    assert "The weights are in a.safetensors." in captured.err
    assert json.loads(captured.out)["samples"] == "random numbers"
    one, two = (load_file(tmp_path / f"{name}.safetensors") for name in "ab")
    assert torch.equal(one["conv2.weight"], two["conv2.weight"])


def test_neither_half_is_left_where_the_disk_takes_only_one(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "part.loom.json"
    command = ["slice", LENET, "--blocks", "conv1,tanh1", "-o", str(out)]

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(slice_command, "_keep", full)
        assert main(command) == 2
    assert "part.loom.json cannot be written (No space left on device)." in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
    out.write_text("of somebody")
    out.with_name("part.safetensors").write_text("of somebody")
    assert main(command) != 0
    assert {path.read_text() for path in tmp_path.iterdir()} == {"of somebody"}


@pytest.mark.parametrize(
    ("asked", "status", "message"),
    [(["--from", "fc1", "--to", "conv1"], 2, "conv1 cannot be reached from fc1."),
     (["--from", "conv9"], 2, "There is no block conv9."),
     (["--blocks", "tanh1,conv2"], 1, "pool1 lies between the selected blocks."),
     (["--blocks", "fc1", "--to", "fc2"], 2, "--blocks already lists all blocks.")],
)  # fmt: skip
def test_what_is_no_part_is_refused(
    asked: list[str], status: int, message: str, tmp_path: Path, capsys: Capture
) -> None:
    assert main(["slice", LENET, *asked, "-o", str(tmp_path / "p.loom.json")]) == status
    assert message in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_into_a_composite_and_out_is_no_part(tmp_path: Path, capsys: Capture) -> None:
    asked = ["--from", "stage1.0.conv1", "--to", "pool", "-o", str(tmp_path / "p.loom.json")]
    assert main(["slice", RESNET, *asked]) == 2
    assert "stage1.0.conv1 and pool are not inside the same composite." in capsys.readouterr().err
