"""The form offers auto, cpu and the GPUs that made a step, and keeps what a project names."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from app.services import devices
from core.worker import child_process, job_queue


@pytest.fixture(autouse=True)
def unknown() -> Any:
    devices.tried.cache_clear()
    yield
    devices.tried.cache_clear()


def test_a_machine_without_a_gpu_starts_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "may_have_gpu", lambda: False)
    monkeypatch.setattr(devices, "tried", lambda: pytest.fail("torch is started"))
    assert devices.offered() == ("auto", "cpu")
    assert devices.offered("cuda:1") == ("auto", "cpu", "cuda:1")


def test_each_gpu_that_made_a_step_is_offered_once_it_is_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    commands: list[Any] = []

    def run(command: Any, **_: Any) -> Any:
        commands.append(command)
        return subprocess.CompletedProcess(command, 0, 'a driver greets\n["cuda:0", "cuda:1"]\n')

    monkeypatch.setattr(devices, "may_have_gpu", lambda: True)
    monkeypatch.setattr(child_process, "run", run)
    assert devices.offered("cuda:1") == ("auto", "cpu", "cuda:0", "cuda:1")
    assert devices.offered() == ("auto", "cpu", "cuda:0", "cuda:1")
    assert [command[-1] for command in commands] == ["core.engine.device_trial"]


def test_a_driver_that_fails_offers_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(command: Any, **_: Any) -> Any:
        return subprocess.CompletedProcess(command, 139, "")

    monkeypatch.setattr(devices, "may_have_gpu", lambda: True)
    monkeypatch.setattr(child_process, "run", run)
    assert devices.offered() == ("auto", "cpu")


def test_files_of_drivers_are_what_makes_it_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_queue, "DEVICES", tmp_path)
    monkeypatch.setattr("sys.platform", "linux")
    assert not devices.may_have_gpu()
    (tmp_path / "dri").mkdir()
    (tmp_path / "dri/renderD128").touch()
    assert devices.may_have_gpu()
