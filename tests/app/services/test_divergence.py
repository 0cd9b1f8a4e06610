"""The newest run of a project, where it diverged."""

import json
import os
from pathlib import Path

from app.services import divergence

MESSAGE = "In step 3 conv1 put out 4 NaN of 64 numbers."


def run(runs: Path, name: str, project: str, when: int, node: str | None = None) -> Path:
    """A run's folder as a worker leaves it: finished, or failed at a block."""
    folder = runs / name
    folder.mkdir(parents=True)
    spec = folder / "spec.json"
    spec.write_text(json.dumps({"project": project}))
    os.utime(spec, (when, when))
    status = {"state": "finished", "attempt": 1}
    if node is not None:
        origin = {"node": node, "step": 3, "message": MESSAGE}
        status = {"state": "failed", "attempt": 1, "message": "The loss is NaN.", "origin": origin}
    (folder / "status.json").write_text(json.dumps(status))
    return folder


def test_the_newest_run_of_the_project_names_its_block(tmp_path: Path) -> None:
    run(tmp_path, "net-001", "Net", 1000)
    run(tmp_path, "net-002", "Net", 2000, "conv1")
    run(tmp_path, "other-001", "Other", 3000)
    assert divergence.newest(tmp_path, "Net") == {
        "run": "net-002",
        "node": "conv1",
        "message": MESSAGE,
    }
    assert divergence.newest(tmp_path, "Other") is None


def test_a_newer_run_that_went_well_takes_the_mark_away(tmp_path: Path) -> None:
    run(tmp_path, "net-001", "Net", 1000, "conv1")
    run(tmp_path, "net-002", "Net", 2000)
    assert divergence.newest(tmp_path, "Net") is None


def test_where_no_block_is_to_blame_there_is_no_mark(tmp_path: Path) -> None:
    run(tmp_path, "net-001", "Net", 1000, "")
    (tmp_path / "no-run").mkdir()
    assert divergence.newest(tmp_path, "Net") is None
    assert divergence.newest(tmp_path / "missing", "Net") is None
