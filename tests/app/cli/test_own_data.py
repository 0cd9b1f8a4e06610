"""Own data beside a project, by a relative path as people type it, is found by what trains."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from core.runs import control_file

ROOT = Path(__file__).resolve().parents[3]
PROJECT = {
    "layerloom": 1,
    "name": "Own",
    "graph": {
        "nodes": {
            "row": {"block": "Input", "settings": {"shape": [2]}},
            "fc1": {"block": "Linear", "settings": {"out_features": 2}},
            "result": {"block": "Output"},
        },
        "edges": ["row -> fc1", "fc1 -> result"],
    },
    "data": {"source": "CSV", "file": "data/t.csv"},
    "training": {"epochs": 4, "batch_size": 8, "threads": 1, "max_minutes": 0.0},
    "layout": {},
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder to start in; project and data lie in a folder of it."""
    (tmp_path / "mine/data").mkdir(parents=True)
    (tmp_path / "mine/own.loom.json").write_text(json.dumps(PROJECT))
    rows = "".join(f"{i},5;{i % 7};{'ab'[i % 2]}\n" for i in range(100))
    (tmp_path / "mine/data/t.csv").write_text(f"x;y;kind\n{rows}")
    return tmp_path


def layerloom(where: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    known = {k: v for k, v in os.environ.items() if not k.startswith("LAYERLOOM")}
    return subprocess.run(
        [sys.executable, "-m", "app.cli", *words],
        capture_output=True,
        text=True,
        cwd=where,
        env={**known, "PYTHONPATH": str(ROOT), "LAYERLOOM_SPARE": "0"},
    )


@pytest.mark.slow
def test_a_run_finds_it_when_started_and_when_resumed_from_elsewhere(folder: Path) -> None:
    begun = layerloom(folder, "train", "mine/own.loom.json")
    assert "own-001 stopped" in begun.stderr
    idle = "warning: A time limit of 0 minutes ends the run after its first step."
    assert idle in begun.stderr
    (folder / "elsewhere").mkdir()
    again = layerloom(folder / "elsewhere", "resume", "../runs/own-001", "--json")
    assert json.loads(again.stdout)["step"] > 1
    for source in ("../runs/own-001", "../mine/own.loom.json"):
        words = ("export", source, "--format", "script", "-o", "train.py")
        made = layerloom(folder / "elsewhere", *words)
        assert (source, made.returncode, made.stderr[:8]) == (source, 0, "train.py")
    (folder / "mine/data/t.csv").rename(folder / "mine/data/u.csv")
    gone = layerloom(folder / "elsewhere", "resume", "../runs/own-001")
    assert gone.returncode == 1
    assert f"data/t.csv is not in {folder} or {folder}/mine or {folder}/elsewhere." in gone.stderr


def test_roots_in_the_folder_of_a_stranger_are_not_used(workspace: Path) -> None:
    run_dir = workspace / "runs/own-001"
    run_dir.mkdir(parents=True)
    (run_dir / "spec.json").write_text("{}")
    known, _ = control_file.read_data_roots(run_dir)
    assert known["roots"] == [str(workspace)]
    for seal, found in ((known["seal"], ["/", str(workspace)]), ([1, 2], [str(workspace)])):
        asked = {**known, "roots": ["/"], "seal": seal}
        (run_dir / "control.json").write_text(json.dumps(asked))
        again, places = control_file.read_data_roots(run_dir)
        assert again["roots"] == found
        assert places["LAYERLOOM_WORKSPACE"] == found[0]
