"""`layerloom sweep`: what it refuses, what it prints, and that it goes on after a kill."""

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from app import cli
from core.runs.files import read_json
from core.runs.listing import list_runs
from core.runs.run_notes import RunNotes, write_notes

ROOT = Path(__file__).resolve().parents[3]
IRIS = str(ROOT / "projects/mlp_iris.loom.json")
COMMAND = [sys.executable, "-m", "app.cli"]
WAIT_S = 900.0


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    status = cli.main(["sweep", *words])
    return status, capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((IRIS,), "No search space is given."),
        (("--search", "lr=1,2"), "Which project?"),
        ((IRIS, "--search", "lr=1"), "lr=1 is one value, so there is nothing to search."),
        ((IRIS, "--search", "lr=1..2", "--trials", "0"), "--trials needs a whole number from 1"),
        ((IRIS, "--search", "lr=1..2", "--jobs", "0"), "--jobs needs 1 or more but receives 0."),
        ((IRIS, "--search", "lr=1..2", "--seed", "-1"), "--seed needs 0 or a larger whole number"),
        ((IRIS, "--search", "lr=1..2", "-o", "no/such.json"), "no/such.json cannot be written."),
        ((IRIS, "--search", "fc1.width=1..2"), "fc1.width is not a setting of a block"),
        ((IRIS, "--search", "lr=1..2", "--set", "epochs=no"), "epochs needs a whole number"),
        ((IRIS, "--search", "lr=1..2", "--set", "fc1.bias=7"), "fc1.bias cannot be 7"),
        (("--resume", "none"), "There is no sweep none in"),
        ((IRIS, "--resume", "none"), "A sweep continues with its original settings."),
    ],
)
def test_wrong_use_is_status_2_with_a_hint_and_leaves_nothing(
    words, message, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, stderr = refused(capsys, *words, "--runs", str(tmp_path / "runs"))
    assert status == 2
    assert message in stderr
    assert not (tmp_path / "runs").exists()


def test_help_tells_the_grammar_with_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main(["sweep", "--help"])
    stdout = capsys.readouterr().out
    assert "--search lr=1e-4..1e-1:log" in stdout
    assert "layerloom sweep net.loom.json --search" in stdout


def test_a_setting_of_a_block_that_cannot_be_is_status_2_for_train_as_well(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["train", IRIS, "--runs", str(tmp_path / "runs"), "--set"]
    assert cli.main([*words, "fc1.out_features=0"]) == 2
    assert "fc1.out_features cannot be 0" in capsys.readouterr().err
    assert cli.main([*words, "fc1.outs=3"]) == 2
    assert "Did you mean fc1.out_features?" in capsys.readouterr().err
    assert not (tmp_path / "runs").exists()


def test_the_list_of_runs_shows_the_tags_of_trials(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "net-001").mkdir()
    (tmp_path / "net-001" / "spec.json").write_text('{"training": {}}', "utf-8")
    assert cli.main(["runs", "--runs", str(tmp_path)]) == 0
    assert "tags" not in capsys.readouterr().out
    write_notes(tmp_path / "net-001", RunNotes(tags=("widths",)))
    assert cli.main(["runs", "--runs", str(tmp_path)]) == 0
    header, row = capsys.readouterr().out.splitlines()
    assert (header.split()[-1], row.split()[-1]) == ("tags", "widths")
    assert cli.main(["runs", "--runs", str(tmp_path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["tags"] == ["widths"]


def sweep(runs: Path, *words: str) -> list[str]:
    """A sweep of the small net on iris, without what chance the machine brings."""
    search = ["--search", "lr=1e-3..1:log", "--search", "fc1.out_features=4..32"]
    fixed = ["--set", "threads=1", "--no-prune"]
    return [*COMMAND, "sweep", IRIS, *search, *fixed, "--runs", str(runs), *words]


def done(command: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)


@pytest.mark.alone
@pytest.mark.slow
def test_the_best_settings_pasted_give_the_same_run(tmp_path: Path) -> None:
    out = tmp_path / "best.loom.json"
    words = ("--set", "epochs=4", "--trials", "3", "--jobs", "2", "--json", "-o", str(out))
    ended = done(sweep(tmp_path / "runs", *words))
    found = json.loads(ended.stdout)
    assert (ended.returncode, found["ok"], len(found["trials"])) == (0, True, 3)
    assert ended.stderr.count("\ntrial ") == 3
    best = found["best"]
    assert best["value"] == max(row["value"] for row in found["trials"])
    pasted = shlex.split(found["command"])
    assert pasted[:2] == ["layerloom", "train"]
    again = done([*COMMAND, *pasted[1:], "--runs", str(tmp_path / "again"), "--json"])
    assert again.returncode == 0, again.stderr
    first = read_json(tmp_path / "runs" / best["run"] / "status.json")["best"]
    folder = Path(json.loads(again.stdout)["folder"])
    assert read_json(folder / "status.json")["best"] == first
    assert out.read_text("utf-8") == (folder / "project.loom.json").read_text("utf-8")


def until_trained(runs: Path, epochs: int) -> None:
    """Wait until a run of a folder has done so many epochs."""
    end = time.monotonic() + WAIT_S
    while not any(view.epoch >= epochs for view in list_runs(runs)):
        assert time.monotonic() < end, list_runs(runs)
        time.sleep(0.05)


def states(found: dict[str, Any]) -> list[str]:
    return [row["state"] for row in sorted(found["trials"], key=lambda row: row["trial"])]


@pytest.mark.alone
@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_the_same_command_goes_on_where_a_sweep_was_ended(how: int, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    command = sweep(runs, "--set", "epochs=500", "--trials", "2", "--json")
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as first:
        until_trained(runs, 1)
        os.kill(first.pid, how)
        out, err = first.communicate(timeout=WAIT_S)
    if how == signal.SIGINT:
        assert first.returncode == 0
        assert (json.loads(out)["stopped"], states(json.loads(out))[-1]) == (True, "unfinished")
        assert "layerloom sweep --resume mlp-on-iris-sweep-1" in err
        assert {view.state for view in list_runs(runs)} <= {"stopped", "finished"}
    ended = done(command)
    assert ended.returncode == 0, ended.stderr
    assert states(json.loads(ended.stdout)) == ["finished", "finished"]
    assert sorted((v.name, v.state, v.epoch) for v in list_runs(runs)) == [
        ("mlp-on-iris-001", "finished", 500), ("mlp-on-iris-002", "finished", 500),
    ]  # fmt: skip
    resumed = done([*COMMAND, "sweep", "--resume", "mlp-on-iris-sweep-1", "--runs", str(runs)])
    assert resumed.returncode == 0
    assert resumed.stderr.count("trial ") == 0
    assert "layerloom train projects/mlp_iris.loom.json --set threads=1" in resumed.stdout
