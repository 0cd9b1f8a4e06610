"""A run that would train elsewhere starts only where this user chose that place."""

from pathlib import Path
from typing import Any

import pytest

from core.common.errors import ProjectError, RunError
from core.runs.files import read_json, write_json
from core.settings.launcher import Launcher
from core.worker import launch, launcher_trust
from core.worker.launcher_trust import is_trusted, trust

SSH = Launcher("ssh", 2, address="ada@box")


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAYERLOOM_HOME", str(tmp_path / "home"))


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Specs of the runs whose process would have been started."""
    specs: list[dict[str, Any]] = []

    def note(job: dict[str, Any], spec: dict[str, Any], _: Any) -> int:
        specs.append(spec)
        return 0

    monkeypatch.setattr(launch, "_launch", note)
    return specs


@pytest.fixture
def run_dir(tmp_path: Path) -> Path:
    """A run folder of somebody else, whose spec names a machine of theirs."""
    folder = tmp_path / "runs" / "iris-001"
    folder.mkdir(parents=True)
    training = {"epochs": 9, "batch_size": 8, "accumulate": 2}
    spec = {"training": training, "launcher": SSH.as_spec()}
    write_json(folder / "spec.json", spec)
    write_json(folder / "status.json", {"attempt": 1, "state": "stopped", "epoch": 1})
    return folder


def test_a_place_is_its_kind_and_address_whatever_the_numbers() -> None:
    assert not is_trusted(SSH)
    trust(SSH)
    assert is_trusted(Launcher("ssh", address="ada@box"))
    assert not is_trusted(Launcher("ssh", address="eve@box"))
    assert not is_trusted(Launcher("slurm", address="ada@box"))


@pytest.mark.parametrize("launcher", [Launcher(), Launcher("torchrun", 4), Launcher("ray")])
def test_this_machine_needs_no_choice(launcher: Launcher) -> None:
    assert is_trusted(launcher)
    trust(launcher)
    assert not (launcher_trust.home() / "launchers.json").exists()


@pytest.mark.parametrize(
    ("launcher", "message", "hint"),
    [
        (
            SSH,
            'iris-001 would send its data to "ada@box" by ssh. You have not trained there yet.',
            "If you trust it, add --launcher ssh --address ada@box.",
        ),
        (
            Launcher("slurm"),
            "iris-001 would be submitted to Slurm. You have not trained there yet.",
            "If you trust it, add --launcher slurm.",
        ),
        (
            Launcher("slurm", address="gpu"),
            'iris-001 would be submitted to Slurm, partition "gpu". You have not trained there '
            "yet.",
            "If you trust it, add --launcher slurm --address gpu.",
        ),
        (
            Launcher("ray", address="box:6379"),
            'iris-001 would train on the Ray cluster at "box:6379". You have not trained there '
            "yet.",
            "If you trust it, add --launcher ray --address box:6379.",
        ),
        (
            Launcher("ssh", address="a\x1b[2J"),
            'iris-001 would send its data to "a\\u001b[2J" by ssh. You have not trained there yet.',
            "",
        ),
    ],
)
def test_a_run_of_somebody_else_is_not_started_and_nothing_is_written(
    run_dir: Path, started: list[Any], launcher: Launcher, message: str, hint: str
) -> None:
    spec = {**read_json(run_dir / "spec.json"), "launcher": launcher.as_spec()}
    write_json(run_dir / "spec.json", spec)
    with pytest.raises(RunError) as refused:
        launch.resume(run_dir)
    assert (refused.value.message, refused.value.hint) == (message, hint)
    assert started == []
    assert not (run_dir / "control.json").exists()


def test_another_place_is_refused_before_the_run_is_changed(
    run_dir: Path, started: list[Any]
) -> None:
    before = read_json(run_dir / "spec.json")
    with pytest.raises(RunError, match="would be submitted to Slurm"):
        launch.resume(run_dir, launcher=Launcher("slurm"))
    assert read_json(run_dir / "spec.json") == before


def test_machines_count_where_a_step_is_shared(run_dir: Path) -> None:
    spec = {**read_json(run_dir / "spec.json"), "launcher": Launcher("slurm", 1, 2).as_spec()}
    write_json(run_dir / "spec.json", spec)
    with pytest.raises(RunError, match="which 4 processes cannot share equally"):
        launch.share(run_dir, 2)


@pytest.mark.parametrize("text", ["{}", '["ssh"]', '[["ssh", 1]]', "no"])
def test_a_damaged_list_chooses_nothing_and_is_set_aside(text: str) -> None:
    trust(SSH)
    file = launcher_trust.home() / "launchers.json"
    file.write_text(text)
    assert not is_trusted(SSH)
    assert file.with_name("launchers.json.bad").read_text() == text


def test_where_other_machines_are_switched_off_none_is_trusted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    trust(SSH)
    monkeypatch.setenv(launcher_trust.ELSEWHERE, "off")
    assert not is_trusted(SSH)
    assert is_trusted(Launcher())
    with pytest.raises(RunError, match="switched off here"):
        launcher_trust.check_trusted("net-001", SSH)
    with pytest.raises(ProjectError, match="switched off here"):
        trust(SSH)
    monkeypatch.delenv(launcher_trust.ELSEWHERE)
    assert is_trusted(SSH)
