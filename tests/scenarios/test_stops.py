"""A second stop ends what hangs, at each door: a part of the table in tests/bench/stops.md.

No time is judged: each waits until nothing of it works any more.
"""

import os
from pathlib import Path

import pytest

from tests.bench import stops

PART = [
    ("signals ignored", "Ctrl-C"),
    ("library that hangs in C", "page"),
    ("sweep, trials together", "`layerloom stop`"),
    ("sweep, trials apart", "Ctrl-C"),
    ("shrink", "page"),
    ("export", "Ctrl-C"),
]


@pytest.mark.gate
@pytest.mark.alone
@pytest.mark.parametrize(("name", "door"), PART)
def test_a_second_stop_ends_it(
    name: str, door: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("LAYERLOOM_HOME", "LAYERLOOM_RUNS", "PATH"):
        monkeypatch.setenv(variable, os.environ.get(variable, ""))
    monkeypatch.delenv("LAYERLOOM_RUNS")
    stops.set_up(tmp_path)
    stops.seconds(name, door, tmp_path)  # raises where it does not end
