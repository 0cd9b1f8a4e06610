"""`layerloom train --launcher` and what doctor finds: refusals come before anything is written."""

import json
import os
from pathlib import Path

import pytest

from app.cli import doctor, launchers, main, output, parser
from app.wings.launch import launcher
from core.project.write import write_text
from core.settings.launcher import Launcher
from core.worker import launch
from core.worker.launchers import where
from tests.core.small_runs import CHANCY_NET, project
from tests.wing_parts import rows
from tests.wings.launch import fake_ssh

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
        *rows("commands", "REFUSED").values(),
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


def written_with_norm(folder: Path) -> Path:
    """The file of a project with batch norm."""
    file = folder / "norm.loom.json"
    found = project(CHANCY_NET, {"source": "digits"}, epochs=1, batch_size=64)
    file.write_text(write_text(found), encoding="utf-8")
    return file


def test_train_says_what_batch_norm_sees_before_it_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file, before = written_with_norm(tmp_path), []
    monkeypatch.setattr(launch, "start", lambda _: before.append(capsys.readouterr()))
    words = ["--runs", str(tmp_path / "runs"), "--nproc", "2", "--detach"]
    assert main(["train", str(file), *words]) == 0
    said = (
        "Batch norm sees 32 samples at a time, not 64, so results differ from those of one "
        "process; one process with batch_size 32 and accumulate 2 gives the same. With the "
        "setting sync_batchnorm it sees all 64."
    )
    assert said in before[0].out + before[0].err


def test_resume_says_what_processes_draw_before_it_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file, runs = written_with_norm(tmp_path), tmp_path / "runs"
    monkeypatch.setattr(launch, "start", lambda *_: None)
    words = ["--runs", str(runs), "--set", "accumulate=2", "--detach"]
    assert main(["train", str(file), *words]) == 0
    (folder,) = runs.iterdir()
    (folder / "status.json").write_text(json.dumps({"state": "stopped"}))
    capsys.readouterr()
    before = list[str]()

    def begun(*_: object) -> None:
        before.append("".join(capsys.readouterr()))
        raise output.Failed("not started", "")

    monkeypatch.setattr(launch, "start", begun)
    for options in (["--nproc", "2"], ["--launcher", "torchrun", "--nproc", "2"], []):
        assert main(["resume", folder.name, "--runs", str(runs), *options]) == 1
    said = "Each process draws random numbers of its own (dropout, noise, augmentation)"
    assert [said in text for text in before] == [True, True, False]
    assert not any("Batch norm sees" in text for text in before)  # as many as it saw before


def test_resume_sends_nothing_to_an_address_that_nobody_chose(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LAYERLOOM_HOME", str(tmp_path / "home"))
    folder = tmp_path / "iris-001"
    folder.mkdir()
    launcher = Launcher("ssh", address="gone").as_spec()
    (folder / "spec.json").write_text(json.dumps({"training": {}, "launcher": launcher}))
    (folder / "status.json").write_text(json.dumps({"state": "stopped"}))
    words = ["resume", "iris-001", "--runs", str(tmp_path)]
    assert main(words) == 1
    said = capsys.readouterr().err
    assert 'iris-001 would send its data to "gone" by ssh. You have not trained there' in said
    assert "If you trust it, add --launcher ssh --address gone." in said
    fake_ssh.install(tmp_path / "bin", tmp_path / "there", "")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}/usr/bin{os.pathsep}/bin")
    assert main([*words, "--launcher", "ssh", "--address", "gone"]) == 2
    assert "gone does not answer by ssh" in capsys.readouterr().err
    assert main([*words, "--address", "gone"]) == 2
    assert "--address belongs to --launcher." in capsys.readouterr().err


@pytest.mark.parametrize(
    ("before", "words", "after"),
    [
        (Launcher("slurm", 2, 2, "gpu"), ["--launcher", "local"], Launcher("local", 4)),
        (
            Launcher("ssh", 2, 1, "box"),
            ["--launcher", "ray", "--address", "auto"],
            Launcher("ray", 2, 1, "auto"),
        ),
        (Launcher("slurm", 2, 2), ["--launcher", "slurm", "--nproc", "1"], Launcher("slurm", 1, 2)),
    ],
)
def test_a_run_that_moves_keeps_its_number_of_processes(
    before: Launcher, words: list[str], after: Launcher
) -> None:
    assert (
        launcher.new_launcher(parser().parse_args(["resume", "iris-001", *words]), before) == after
    )


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
