"""Set-up of a run on a full disk: wait for space, then set up again."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from core.common.errors import FolderGone
from core.runs.files import folder_identity, read_json
from core.runs.full_disk import of_full_disk, wait_for_room
from core.runs.run_state import resume_hint

if TYPE_CHECKING:
    from core.worker.attempt import Attempt

T = TypeVar("T")
NOT_READY = "it cannot be prepared"
STOPPED = "It was stopped while it was being prepared: the disk was full."
PROBE, PROBE_BYTES = ".room.tmp", 1 << 16


def prepare_when_disk_allows(
    attempt: "Attempt", prepare: Callable[[], T], stop: list[Any]
) -> T | None:
    """Prepare an attempt, as often as a full disk prevents it; None where it is stopped first.

    stop: not empty once this process is to end. Raises what else goes wrong, and FolderGone.
    """
    status, run_dir = attempt.status, attempt.run_dir
    identity = folder_identity(run_dir)
    prepared: list[T] = []
    obstacle = _try_prepare(prepare, prepared)
    if obstacle is None:
        return prepared[0]

    def unwanted() -> bool:
        if folder_identity(run_dir) != identity:
            message = f"The folder of {run_dir.name} was deleted, so the run ends."
            raise FolderGone(run_dir.name, message)
        return bool(stop) or read_json(run_dir / "control.json").get("want") == "stop"

    def retry() -> bool:
        return _has_room(run_dir) and _try_prepare(prepare, prepared) is None

    wait_for_room(status, obstacle, retry, unwanted)
    attempt.event("disk_full", f"The disk was full: {obstacle}.")
    if prepared:
        return prepared[0]
    attempt.event("stopped", STOPPED)
    hint = f"Free some space. {resume_hint(run_dir)}"
    status.write(state="stopped", message=STOPPED, hint=hint, durable=True)
    return None


def _try_prepare(prepare: Callable[[], T], prepared: list[T]) -> str | None:
    """Append what was prepared; returns what could not be done for want of space, None for all."""
    try:
        prepared.append(prepare())
    except Exception as error:  # whatever it was raised as
        if not of_full_disk(error):
            raise
        message = (
            "" if isinstance(error, OSError) else str(getattr(error, "message", "")).rstrip(".")
        )
        return message[:1].lower() + message[1:] or NOT_READY
    return None


def _has_room(run_dir: Path) -> bool:
    """Whether anything can be written at all, before all is read and tried once more."""
    probe = run_dir / PROBE
    try:
        probe.write_bytes(bytes(PROBE_BYTES))
    except OSError as error:
        if not of_full_disk(error):
            raise
        return False
    finally:
        probe.unlink(missing_ok=True)
    return True
