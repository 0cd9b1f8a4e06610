"""A sweep whose trials run elsewhere or on several processes."""

from pathlib import Path
from typing import Any

import pytest

from app.cli import launchers, main, output, parser
from app.wings.sweep import cli as cli_sweep
from core.settings.launcher import Launcher
from core.wings.sweep.files import SweepRequest, read_request
from core.wings.sweep.start import launcher_of

commands = pytest.importorskip("tests.wings.launch.test_launchers")
IRIS, written_with_norm = commands.IRIS, commands.written_with_norm


def test_a_sweep_says_what_batch_norm_sees_before_it_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file, before = written_with_norm(tmp_path), []

    def begun(*_: object) -> None:
        before.append(capsys.readouterr())
        raise output.Failed("not started", "")

    monkeypatch.setattr(cli_sweep, "attend", begun)
    words = ["--runs", str(tmp_path / "runs"), "--nproc", "2", "--search", "lr=1e-3,1e-2"]
    assert main(["sweep", str(file), *words]) == 1
    assert "Batch norm sees 32 samples at a time, not 64" in before[0].out + before[0].err


def test_a_sweep_that_goes_on_by_several_processes_says_what_differs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file, before = written_with_norm(tmp_path), list[str]()

    def begun(*_: object) -> None:
        before.append("".join(capsys.readouterr()))
        raise output.Failed("not started", "")

    monkeypatch.setattr(cli_sweep, "attend", begun)
    runs = ["--runs", str(tmp_path / "runs")]
    assert main(["sweep", str(file), *runs, "--name", "try", "--search", "lr=1e-3,1e-2"]) == 1
    assert main(["sweep", "--resume", "try", *runs, "--nproc", "2"]) == 1
    said = "Batch norm sees 32 samples at a time, not 64"
    assert [said in text for text in before] == [False, True]


def test_train_with_seeds_is_a_sweep_with_all_options_of_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    requests: list[SweepRequest] = []

    def attend(sweep: Any, *_: Any) -> dict[str, Any]:
        requests.append(sweep.request)
        found = {"ok": True, "stopped": False, "trials": [], "best": None, "counts": {"failed": 0}}
        return {**found, "goal": {"metric": ""}}

    monkeypatch.setattr(cli_sweep, "attend", attend)
    assert main(["train", IRIS, "--seeds", "3", "--runs", str(tmp_path / "runs")]) == 0
    (request,) = requests
    assert (request.search, request.trials, request.rule) == (("seed=0,1,2",), 3, "off")


def test_trials_on_ray_share_the_cluster_of_this_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checked: list[Launcher] = []
    monkeypatch.setattr(launchers, "check_launcher", lambda launcher, _: checked.append(launcher))
    words = ["sweep", IRIS, "--search", "lr=1..2", "--runs", str(tmp_path), "--launcher", "ray"]
    folder = cli_sweep.begun(parser().parse_args(words))
    asked = read_request(folder)
    assert checked == [Launcher("ray", address="auto")]
    assert launcher_of(asked) == Launcher("ray", address="auto")
    assert asked.together == "off"
    local = cli_sweep.begun(parser().parse_args(words[:-2]))
    assert (local, launcher_of(read_request(local))) == (folder, None)  # the same sweep, moved
