"""A sweep on a full disk."""

import argparse
import errno
from pathlib import Path
from types import SimpleNamespace

import pytest

from app.cli.progress import Progress
from app.wings.sweep import cli as sweep
from tests.core.runs.test_little_room import NO_ROOM, SAID, little_room

__all__ = ["little_room"]


def test_a_sweep_says_once_that_a_trial_waits_and_ends_with_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    view = SimpleNamespace(disk_full=True, message="The disk is full.", hint="Free some.")
    progress = Progress()
    for _ in range(3):
        progress.waits(view, "trial 2: ")
    assert capsys.readouterr().err == "warning: trial 2: The disk is full. Free some.\n"
    error = sweep.interrupted(NO_ROOM, argparse.Namespace(runs=tmp_path / "none"))
    assert str(error).startswith("The sweep cannot be written: " + SAID.format(tmp_path))
    other = OSError(errno.EIO, "Input/output error")
    assert sweep.interrupted(other, argparse.Namespace(runs=tmp_path)) is other
