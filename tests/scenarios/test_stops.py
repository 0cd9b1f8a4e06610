"""A second stop ends what hangs, at each door: cells of the table in tests/bench/stops.md.

No time is judged: each waits until no process of it is left.
"""

import os
from pathlib import Path

import pytest

from tests.bench import stops

CELLS = [
    ("signals ignored", "Ctrl-C"),
    ("waits for a process of its own", "page"),
    ("own data set that hangs", "`layerloom stop`"),
    ("job elsewhere (Slurm)", "Ctrl-C"),
    ("sweep, trials together", "`layerloom stop`"),
    ("sweep, trials apart", "Ctrl-C"),
    ("shrink", "page"),
    ("export", "Ctrl-C"),
]
REPRESENTATIVE = "signals ignored-Ctrl-C"


@pytest.mark.slow(keep=[REPRESENTATIVE])
@pytest.mark.alone
@pytest.mark.parametrize(("name", "door"), CELLS, ids=["-".join(cell) for cell in CELLS])
def test_a_second_stop_ends_it(
    name: str, door: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("HOME", "RUNS", "WORKSPACE"):
        monkeypatch.setenv(f"LAYERLOOM_{variable}", str(tmp_path))
    monkeypatch.setenv("PATH", os.environ["PATH"])
    stops.set_up(tmp_path)
    stops.stopped(name, door, tmp_path)  # raises where it does not end
