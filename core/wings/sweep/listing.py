"""List the sweeps of a folder of runs. No torch, no Optuna."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from core.runs.files import read_json
from core.wings.sweep.files import NAME, RESULTS, folders


def sweeps_of(runs_dir: Path) -> dict[str, list[str]]:
    """Name of each sweep: its runs, best first. What is no name of a run is left out."""
    sweeps = {
        path.name: _runs(read_json(path / RESULTS).get("trials")) for path in folders(runs_dir)
    }
    return {name: runs for name, runs in sweeps.items() if runs and NAME.fullmatch(name)}


def _runs(trials: Any) -> list[str]:
    rows = [row for row in trials if isinstance(row, dict)] if isinstance(trials, list) else []
    names = (row.get("run") for row in rows)
    return list(dict.fromkeys(name for name in names if isinstance(name, str)))


def searched(run_dirs: Sequence[Path]) -> list[str]:
    """The keys that were searched, where all these runs are of one sweep; else none."""
    entries = [read_json(path / "spec.json").get("sweep") for path in run_dirs]
    sweeps = [each for each in entries if isinstance(each, dict)]
    names = {str(each.get("name")) for each in sweeps}
    if len(sweeps) < len(entries) or len(names) != 1:
        return []
    every = [each.get("settings") for each in sweeps]
    keys = (str(key) for settings in every if isinstance(settings, dict) for key in settings)
    return list(dict.fromkeys(keys))
