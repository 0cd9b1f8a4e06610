"""`layerloom train --launcher` and what doctor finds: refusals come before anything is written."""

import json
import os
from pathlib import Path

import pytest

from app.cli import doctor, launchers, main, parser
from core.launch.catalogue import where
from core.launch.launcher import Launcher
from tests.core.launch import fake_ssh

ROOT = Path(__file__).parents[3]
IRIS = str(ROOT / "projects" / "mlp_iris.loom.json")


def read(*words: str) -> Launcher | None:
    """The launcher of a command line."""
    return launchers.read(parser().parse_args(["train", IRIS, *words]))


def test_options_make_a_launcher() -> None:
    assert read() is None
    assert read("--launcher", "local") is None
    assert read("--launcher", "local", "--nproc", "2") == Launcher("torchrun", 2)
    assert read("--nproc", "4") == Launcher("torchrun", 4)
    assert read("--launcher", "slurm", "--nproc", "4", "--nnodes", "2", "--address", "gpu") == (
        Launcher("slurm", 4, 2, "gpu")
    )


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--nproc", "0"], "processes of a launcher is 0"),
        (["--launcher", "ssh"], "The launcher ssh needs a machine."),
        (["--launcher", "ssh", "--address", "gone"], "gone does not answer by ssh"),
        (["--launcher", "slurm"], "sbatch, squeue, scancel were not found."),
        (["--nproc", "7"], "cannot be divided among 7 processes"),
        (["--nproc", "2", "--seeds", "3"], "--seeds trains on this machine only."),
    ],
)
def test_a_refusal_is_one_sentence_and_leaves_nothing(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    sentence: str,
) -> None:
    fake_ssh.install(tmp_path / "bin", tmp_path / "there", "")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}/usr/bin{os.pathsep}/bin")
    runs = tmp_path / "runs"
    assert main(["train", IRIS, "--runs", str(runs), *words]) == 2
    said = capsys.readouterr().err
    assert sentence in said
    assert said.count("error: ") == 1
    assert not runs.exists()


def test_the_doctor_lists_every_launcher(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(doctor, "devices", list)
    assert main(["doctor", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["launchers"]
    assert [each["name"] for each in found] == ["local", "torchrun", "ssh", "slurm", "ray"]
    assert found[0]["available"] is True
    assert main(["doctor"]) == 0
    assert "launchers (layerloom train FILE --launcher NAME)\n  local " in capsys.readouterr().out


def test_versions_alone_try_no_device(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delattr(doctor, "devices")
    assert main(["doctor", "--versions", "--json"]) == 0
    assert set(json.loads(capsys.readouterr().out)) == {"layerloom", "python", "libraries"}
    assert main(["doctor", "--versions"]) == 0
    assert "torch          2." in capsys.readouterr().out


def test_the_list_of_runs_names_where_one_trains(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "iris-001"
    folder.mkdir()
    launcher = Launcher("slurm", 4, 2).as_spec()
    (folder / "spec.json").write_text(json.dumps({"project": "iris", "launcher": launcher}))
    (folder / "status.json").write_text(json.dumps({"state": "stopped"}))
    assert main(["runs", "--runs", str(tmp_path)]) == 0
    assert "stopped (Slurm, 8 processes)" in capsys.readouterr().out
    assert main(["runs", "--runs", str(tmp_path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["launcher"] == launcher


def test_weights_are_sharded_where_a_command_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert read("--nproc", "2", "--sharding", "fsdp") == Launcher("torchrun", 2, sharding="fsdp")
    runs = tmp_path / "runs"
    assert main(["train", IRIS, "--runs", str(runs), "--sharding", "fsdp"]) == 2
    said = capsys.readouterr().err
    assert "Sharded weights (fsdp) need at least 2 processes, not 1." in said
    assert not runs.exists()
    assert where(Launcher("torchrun", 4, sharding="fsdp").as_spec()) == (
        "4 processes, sharded weights"
    )
