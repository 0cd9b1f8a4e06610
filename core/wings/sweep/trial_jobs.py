"""Trials that train elsewhere: each run is a job of the sweep's launcher (Ray, Slurm, ssh).

A trial that ends because the cluster is gone is no result: the sweep ends with a sentence, the
trial stays unfinished in the journal, and whoever continues the sweep resumes it.
"""

from pathlib import Path

from core.common.errors import RunError, SweepError
from core.runs.files import read_json, read_status
from core.runs.remote_job import JOB_FAILED
from core.settings.launcher import Launcher
from core.wings.sweep.sweep import Sweep
from core.worker import launch, launchers
from core.worker.launcher_trust import check_trusted


def check_reachable(sweep: Sweep) -> None:
    """Check that trials may and can start where the sweep trains. Raises SweepError."""
    launcher = sweep.launcher
    if launcher is None:
        return
    try:
        check_trusted(sweep.request.name, launcher)
        launchers.check_reachable(launcher)
    except RunError as error:
        hint = f"{error.hint} The same command then continues the sweep.".strip()
        raise SweepError(sweep.request.name, error.message, hint) from error


def move(sweep: Sweep, run_dir: Path) -> None:
    """Let a run of an earlier process train where the sweep does now. Raises TrainingError."""
    wanted = sweep.launcher or Launcher()
    if Launcher.read(read_json(run_dir / "spec.json")) != wanted:
        launch.move(run_dir, wanted)


def job_failed(run_dir: Path) -> bool:
    """Whether a run ended by its job, so that its settings are not to blame."""
    return read_status(run_dir).get(JOB_FAILED) is True
