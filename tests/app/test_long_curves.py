"""However long a run is, a page asks no longer for what is new, and is sent no more."""

import json
import math
import time
from pathlib import Path

import pytest

from app.server.api.runs import chunk
from core.runs.jsonl import Lines


def written(folder: Path, points: int) -> Path:
    """A run folder with so many steps."""
    folder.mkdir()
    (folder / "spec.json").write_text('{"project": "Long", "training": {"epochs": 1}}')
    lines = Lines(folder / "metrics.jsonl")
    for first in range(1, points + 1, 500):
        steps = list(range(first, first + 500))
        losses = [round(1 / step, 6) for step in steps]
        lines.write({"attempt": 0, "kind": "step", "step": steps, "epoch": [1] * 500,
                     "loss": losses})  # fmt: skip
    lines.close()
    return folder


def poll_s(*folders: Path) -> list[float]:
    """The seconds of asking each for what is new, the best of many, taken in turn."""
    ends = [chunk(folder, 0, 0)["next"] for folder in folders]
    best = [math.inf] * len(folders)
    for _ in range(60):
        for number, (folder, at) in enumerate(zip(folders, ends, strict=True)):
            started = time.perf_counter()
            assert chunk(folder, at, 0)["records"] == []
            best[number] = min(best[number], time.perf_counter() - started)
    return best


@pytest.mark.slow
def test_a_million_points_are_asked_for_as_quickly_as_a_thousand(tmp_path: Path) -> None:
    short, long = written(tmp_path / "short", 1000), written(tmp_path / "long", 1_000_000)
    brief, lengthy = poll_s(short, long)
    assert lengthy <= 2 * brief
    sent = chunk(long, 0, 0)["records"]
    assert len(json.dumps(sent)) <= 100_000
    assert sent[0]["step"][-1] == 1_000_000
