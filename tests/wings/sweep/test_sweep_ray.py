"""Trials on a Ray cluster."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from core.runs.files import read_json
from core.runs.listing import view_run

on_ray = pytest.importorskip("tests.wings.launch.test_ray")
IRIS, ROOT, cluster = on_ray.IRIS, on_ray.ROOT, on_ray.cluster
pytestmark = on_ray.pytestmark


def sweep(runs: Path, *words: str) -> list[str]:
    """A sweep of the small net on iris."""
    search = ["--search", "lr=1e-3..1:log", "--set", "threads=1", "--set", "epochs=20"]
    command = [sys.executable, "-m", "app.cli", "sweep", str(IRIS), *search]
    return [*command, "--runs", str(runs), "--name", "r", *words]


def test_trials_train_on_ray_two_at_a_time_and_the_journal_goes_on_after_a_kill(
    cluster: str, tmp_path: Path
) -> None:
    runs = tmp_path / "runs"
    words = ("--trials", "4", "--jobs", "2", "--launcher", "ray", "--address", cluster, "--json")
    with subprocess.Popen(sweep(runs, *words), cwd=ROOT, stdout=subprocess.DEVNULL) as first:
        results = runs / "sweeps" / "r" / "results.json"
        ended = ("finished", "pruned")
        while not any(row["state"] in ended for row in read_json(results).get("trials", [])):
            assert first.poll() is None
            time.sleep(0.1)
        first.kill()
    again = subprocess.run(sweep(runs, *words), cwd=ROOT, capture_output=True, check=False)
    found = json.loads(again.stdout)
    assert (again.returncode, found["ok"], len(found["trials"])) == (0, True, 4), again.stderr
    assert {row["state"] for row in found["trials"]} <= {"finished", "pruned"}
    folders = sorted(path.parent for path in runs.glob("*/spec.json"))
    assert len(folders) == 4  # no trial was trained twice
    for folder in folders:
        spec = read_json(folder / "spec.json")
        assert (spec["launcher"]["kind"], spec["launcher"]["address"]) == ("ray", cluster)
        assert view_run(folder).state in ("finished", "stopped")
