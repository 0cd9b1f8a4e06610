"""A run trains elsewhere once this user has chosen that."""

from pathlib import Path
from typing import Any

from core.settings.launcher import Launcher
from core.worker import launch
from core.worker.launcher_trust import trust
from tests.core.worker.test_launcher_trust import SSH, run_dir, started

__all__ = ["run_dir", "started"]


def test_it_starts_once_its_place_was_chosen(run_dir: Path, started: list[Any]) -> None:
    trust(SSH)
    launch.resume(run_dir)
    assert [spec["launcher"]["address"] for spec in started] == ["ada@box"]


def test_it_may_train_on_this_machine_instead(run_dir: Path, started: list[Any]) -> None:
    launch.resume(run_dir, launcher=Launcher(processes=2))
    assert [spec["launcher"] for spec in started] == [Launcher(processes=2).as_spec()]
