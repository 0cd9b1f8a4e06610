"""Opening a bundle runs, imports and unpickles nothing that is in it."""

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from core.project import open_project
from core.runs.listing import list_runs
from tests.core.small_runs import train_here
from tests.wings.bundle.shared import bundled, saved

ROOT = Path(__file__).parents[3]
OPEN_TWICE = """
import pathlib, sys
from core.wings.bundle import open_bundle

bundle, workspace = map(pathlib.Path, sys.argv[1:])
RUNS = {"exec", "compile", "import", "marshal.loads", "pickle.find_class", "os.system", "os.exec",
        "os.posix_spawn", "subprocess.Popen", "ctypes.dlopen", "socket.connect"}
events = []

def open_in(name):
    folder = workspace / name
    folder.mkdir(parents=True)
    with bundle.open("rb") as file:
        open_bundle(file, bundle.name, folder, folder / "runs")

open_in("first")  # imports of Layerloom's own, once
sys.addaudithook(lambda event, args: events.append(event) if event in RUNS else None)
open_in("second")
opened = list(events)
CONTROL
print(*opened, *events[len(opened):])
"""


def events_of(bundle: Path, workspace: Path, control: str) -> list[str]:
    """Audit events of a second opening in another process, then those of a line of Python."""
    command = [sys.executable, "-c", OPEN_TWICE.replace("CONTROL", control)]
    child = subprocess.run(
        [*command, str(bundle), str(workspace)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return child.stdout.split()


@pytest.mark.gate
def test_opening_a_bundle_with_own_python_and_a_run_runs_nothing(
    iris_run: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAYERLOOM_HOME", str(tmp_path / "home"))
    run = iris_run()
    train_here(run)
    file = saved(open_project(run / "project.loom.json"), tmp_path / "mine")
    bundle = bundled(file, run.parent, run.name).path
    assert events_of(bundle, tmp_path / "trained", "pass") == []
    assert [view.name for view in list_runs(tmp_path / "trained/second/runs")] == [run.name]
    own = tmp_path / "mine" / "gated.loom.json"
    shutil.copy(ROOT / "tests/files/v1/python.loom.json", own)
    python = bundled(own, tmp_path / "runs").path
    assert events_of(python, tmp_path / "python", "exec('1')") == ["compile", "exec"]
    project = open_project(next((tmp_path / "python/second").glob("*.loom.json")))
    assert {name for name, part in project.graph.composites.items() if part.python} >= {"Gate"}
