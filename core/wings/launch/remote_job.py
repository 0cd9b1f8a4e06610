"""What the launchers ssh, Slurm and Ray have in common: a job elsewhere, and its record here."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

from core.runs.control_file import change_control
from core.runs.files import FORMAT, read_json, read_status, write_json
from core.runs.remote_job import JOB_FAILED, RECORD
from core.runs.run_state import ENDED


@dataclass(frozen=True)
class JobProgress:
    """How a job elsewhere stands. message: why it waits or ended, where that is known. failed:
    whether it ended by a fault that another try may not meet."""

    state: Literal["waiting", "running", "ended"]
    message: str = ""
    hint: str = ""
    failed: bool = False


class RemoteJob(Protocol):
    """A job elsewhere, as the driver of a run follows it. look_s: seconds between two looks."""

    look_s: float

    def begin(self) -> None:
        """Start it, or find it again where it still runs. Raises RunError."""
        ...

    def look(self) -> JobProgress:
        """Look how it stands, and bring back what it wrote."""
        ...

    def cancel(self) -> None:
        """End it by force. Raises RunError where that cannot be requested."""
        ...

    def finish(self) -> None:
        """Bring back the rest and tidy up, after its end."""
        ...


def read_record(run_dir: Path, kind: str) -> dict[str, Any]:
    """The record of a job of this kind; {} where there is none."""
    record = read_json(run_dir / RECORD)
    return record if record.get("kind") == kind else {}


def write_record(run_dir: Path, kind: str, **more: Any) -> None:
    """Write down what was started elsewhere."""
    write_json(run_dir / RECORD, {"kind": kind, **more}, durable=True)


def rejoin(run_dir: Path, record: dict[str, Any]) -> None:
    """Take up a job that an earlier driver started: its attempt is the present one again."""
    with change_control(run_dir) as control:
        control["attempt"] = record.get("attempt", control.get("attempt", 1))


def remove_record(run_dir: Path) -> None:
    """Forget a job that has ended."""
    (run_dir / RECORD).unlink(missing_ok=True)


def attempt_of(run_dir: Path) -> int:
    """The attempt that was requested last."""
    attempt = read_json(run_dir / "control.json").get("attempt", 1)
    return attempt if isinstance(attempt, int) else 1


def has_reported_end(run_dir: Path) -> bool:
    """Whether the worker of the present attempt has written how it ended."""
    status = read_status(run_dir)
    attempt = status.get("attempt", 0)  # each restart of its ranks counts as one more
    return attempt >= attempt_of(run_dir) and status.get("state") in ENDED


def report_end(run_dir: Path, state: str, message: str, hint: str = "") -> None:
    """Write how an attempt ended for its worker, which has not or never began."""
    before = read_status(run_dir)
    beat = before.get("beat")
    status = {"format": FORMAT, **before, "attempt": attempt_of(run_dir), "state": state}
    status |= {"message": message, "hint": hint, "beat": beat + 1 if isinstance(beat, int) else 1}
    status |= {JOB_FAILED: state == "failed"}
    write_json(run_dir / "status.json", status, durable=True)
