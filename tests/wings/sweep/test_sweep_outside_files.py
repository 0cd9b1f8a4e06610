"""Broken files of a sweep give its own error."""

from pathlib import Path

from core.common.errors import RunError, SweepError
from core.wings.sweep.files import read_request
from tests.damage import texts, tried


def test_sweeps(tmp_path: Path):
    good = {"format": 1, "search": ["lr=1e-4..1e-1:log"], "trials": 3, "fixed": {}, "seed": 0,
            "goal": "val_loss", "direction": "minimize", "jobs": 1}  # fmt: skip
    read = lambda: read_request(tmp_path)  # noqa: E731
    assert tried(tmp_path / "sweep.json", texts(good, 2), read, (SweepError, RunError)) > 0
