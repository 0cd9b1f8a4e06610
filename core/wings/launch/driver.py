"""The process of a run that trains elsewhere: `python -m core.wings.launch.driver RUN_DIR`.

It stands where the worker of a local run stands: its supervisor starts it, passes signals on and
writes down how it ended. It starts the job, follows it, passes a stop on, and leaves the run as a
worker leaves it. A driver that is started again finds a job that still runs.

Exit status: 0 the run reported its end; 1 failed, with the reason in status.json.
"""

import os
import signal
import sys
import time
from pathlib import Path

from core.common.errors import LayerloomError, RunError
from core.runs.control_file import change_control
from core.runs.files import read_json, read_status, write_json
from core.runs.remote_job import JOB_FAILED
from core.runs.run_state import resume_hint
from core.settings.launcher import Launcher
from core.wings.launch.ray_launcher import RayJob
from core.wings.launch.remote_job import (
    JobProgress,
    RemoteJob,
    has_reported_end,
    report_end,
)
from core.wings.launch.slurm import SlurmJob
from core.wings.launch.ssh import SshJob
from core.worker.launcher_trust import check_trusted
from core.worker.restarts import Restarts
from core.worker.supervisor import unwanted

GRACE_S = 60.0
"""Seconds that a run elsewhere may take to write its checkpoint after a stop."""
FORCED_LOOK_S = 0.5
"""Seconds between looks at a job that is being ended: whoever asked waits for it."""
AGAIN_S = 10.0
"""Seconds after which a cancel that had no effect is repeated."""
PLACE = "place.json"
JOBS = {"ssh": SshJob, "slurm": SlurmJob, "ray": RayJob}


def main(run_dir: Path) -> int:
    """Start and follow the job of a run; give the exit status."""
    signals: list[int] = []
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, _: signals.append(number))
    launcher = Launcher.read(read_json(run_dir / "spec.json"))
    job: RemoteJob = JOBS[launcher.kind](run_dir, launcher)
    try:
        check_trusted(run_dir.name, launcher)  # others may have changed the file since it was shown
        limit = Restarts(run_dir)
        while True:
            job.begin()
            progress = follow(run_dir, job, signals)
            job.finish()
            if signals or not restart(run_dir, limit, progress):
                break
    except LayerloomError as error:
        report_end(run_dir, "failed", error.message, error.hint)
        return 1
    finally:
        (run_dir / PLACE).unlink(missing_ok=True)
    return conclude(run_dir, progress)


def follow(run_dir: Path, job: RemoteJob, signals: list[int]) -> JobProgress:
    """Look at a job until it has ended; end it by force where a stop had no effect."""
    stop = Stop()
    while (progress := job.look()).state != "ended":
        _note(run_dir, progress)
        if stop.is_due(bool(signals), unwanted(run_dir), progress, forced(run_dir)):
            try:
                job.cancel()
            except RunError as error:
                print(error, file=sys.stderr, flush=True)  # noqa: T201
        ending = signals or forced(run_dir)
        _sleep(run_dir, min(job.look_s, FORCED_LOOK_S) if ending else job.look_s, signals)
    return progress


def restart(run_dir: Path, limit: Restarts, progress: JobProgress) -> bool:
    """Prepare a run whose job failed for another try; False where it is to end as it did."""
    if not progress.failed or unwanted(run_dir) or has_reported_end(run_dir):
        return False
    if not limit.allows_another():
        return False
    os.environ["LAYERLOOM_ENDED"] = progress.message.rstrip(".")
    if read_status(run_dir).get("checkpoint"):
        with change_control(run_dir) as control:
            control["from"] = "last"
    return True


class Stop:
    """When a job that does not stop by itself is ended by force."""

    def __init__(self) -> None:
        self.since_s: float | None = None
        self.cancelled_s: float | None = None
        self.forced = False

    def is_due(
        self, signalled: bool, requested: bool, progress: JobProgress, forced: bool = False
    ) -> bool:
        """Whether to cancel now: one that waits at once, one that trains after its grace, and each
        at a second stop, whatever the first has done."""
        now = time.monotonic()
        if not (signalled or requested):
            self.since_s, self.forced = None, False
            return False
        if forced and not self.forced:
            self.forced, self.cancelled_s = True, now
            return True
        self.since_s = now if self.since_s is None else self.since_s
        patient = progress.state == "running" and not signalled and now - self.since_s < GRACE_S
        if patient or (self.cancelled_s is not None and now - self.cancelled_s < AGAIN_S):
            return False
        self.cancelled_s = now
        return True


def forced(run_dir: Path) -> bool:
    """Whether a second stop is to end a run, whatever it does."""
    return bool(read_json(run_dir / "control.json").get("forced"))


def _sleep(run_dir: Path, seconds: float, signals: list[int]) -> None:
    """Wait until the next look, shorter where something has happened."""

    def heard() -> tuple[int, bool, bool]:
        return len(signals), unwanted(run_dir), forced(run_dir)

    before = heard()
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and heard() == before:
        if has_reported_end(run_dir):
            time.sleep(min(0.2, seconds))
            return
        time.sleep(min(0.2, seconds))


def _note(run_dir: Path, progress: JobProgress) -> None:
    """Show in the run why it has not begun."""
    if progress.state == "waiting":
        write_json(run_dir / PLACE, {"place": 0, "message": progress.message})
    else:
        (run_dir / PLACE).unlink(missing_ok=True)


def conclude(run_dir: Path, progress: JobProgress) -> int:
    """Leave the run as its worker did, or report for one that could not; give the exit status."""
    if has_reported_end(run_dir):
        status = read_status(run_dir)
        if status.get("state") == "stopped" and not unwanted(run_dir):  # its node or cluster ended
            write_json(run_dir / "status.json", {**status, JOB_FAILED: True}, durable=True)
        return 1 if status.get("state") == "failed" else 0
    if unwanted(run_dir):
        report_end(run_dir, "stopped", progress.message or "It was stopped before it began.")
        return 0
    message = progress.message or "The job ended before the run did."
    report_end(run_dir, "failed", message, progress.hint or resume_hint(run_dir))
    return 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
