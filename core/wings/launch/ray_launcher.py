"""A run on the workers of a Ray cluster: its job, followed by the driver of the run.

Ray itself is imported by a process of its own (`ray_driver.py`), which connects, requests workers
and waits for them. Extra `layerloom[ray]`.
"""

import json
import os
import re
import socket
from pathlib import Path

from core.common.errors import RunError
from core.common.json_types import is_dict
from core.files.messages import quote
from core.runs.files import read_json
from core.runs.listing import view_run
from core.settings.launcher import Launcher
from core.wings.launch.remote_job import (
    JobProgress,
    attempt_of,
    remove_record,
    write_record,
)
from core.worker import child_process
from core.worker.launchers import kind_of

SWITCHES = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_AUTH_MODE": "disabled"}
"""Ray neither reports its use over the network nor writes a token into the home folder."""
REASON = "ray.json"
"""The file of a run in which the process of Ray writes why it could not go on."""
AUTO = "auto"
ADDRESS = re.compile(r"(?:ray://)?([A-Za-z0-9_][A-Za-z0-9_.-]*):(\d{1,5})")
CURRENT_CLUSTER = "ray_current_cluster"
"""The file in Ray's folder in which `ray start` writes the address of its cluster."""
CONNECT_S = 10.0
CHECK_S = 90.0
END_S = 20.0


def environment() -> dict[str, str]:
    """Variables of Ray, unless the user set them."""
    return {name: os.environ.get(name, value) for name, value in SWITCHES.items()}


def check(launcher: Launcher) -> None:
    """See whether something listens at the address of a cluster. Raises RunError."""
    if not launcher.address:
        return
    address = _of_this_machine() if launcher.address == AUTO else launcher.address
    if not address:
        return  # Ray has its own ways to look for a cluster
    found = ADDRESS.fullmatch(address)
    if found is None:
        message = f"{quote(address)} is not the address of a Ray cluster."
        raise RunError(
            "address", message, "Give HOST:PORT, or auto for the cluster of this machine."
        )
    try:
        socket.create_connection((found[1], int(found[2])), CONNECT_S).close()
    except (OSError, OverflowError) as error:
        why = getattr(error, "strerror", None) or str(error) or "no answer"
        message = f"No Ray cluster answers at {address}: {why}."
        raise RunError("address", message, "`ray start --head` starts one there.") from error


def _of_this_machine() -> str:
    """The address that Ray itself would use for "auto", "" where none is written down."""
    if address := os.environ.get("RAY_ADDRESS", ""):
        return address
    folder = Path(os.environ.get("RAY_TMPDIR") or "/tmp") / "ray"
    try:
        return (folder / CURRENT_CLUSTER).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeError):
        return ""


def check_cluster(launcher: Launcher, threads: int) -> None:
    """Connect to the cluster of an address, compare versions and count processors.

    Ray is imported by a process of its own. Starts nothing there. Raises RunError.
    """
    if not launcher.address:
        return
    numbers = (str(launcher.world), str(max(1, threads)))
    command = child_process.module("core.wings.launch.ray_check", launcher.address, *numbers)
    try:
        answer = child_process.run(command, timeout_s=CHECK_S, more=environment())
    except child_process.TimeoutExpired as error:
        message = f"No Ray cluster answers at {launcher.address} within {CHECK_S:g} s."
        raise RunError("address", message, "`ray start --head` starts one there.") from error
    lines = answer.stdout.decode(errors="replace").splitlines()
    record = json_record(lines[-1]) if lines else {}
    if answer.returncode == 0:
        return
    message = str(record.get("message") or f"The Ray cluster at {launcher.address} cannot be used.")
    raise RunError("address", message, str(record.get("hint", "")))


def json_record(text: str) -> dict[str, object]:
    """A JSON object, {} for anything else."""
    try:
        record = json.loads(text)
    except ValueError:
        return {}
    return record if is_dict(record) else {}


class RayJob:
    """The process of Ray for a run."""

    look_s = 0.5

    def __init__(self, run_dir: Path, launcher: Launcher) -> None:
        self.run_dir, self.launcher = run_dir, launcher
        self.process: child_process.Process[bytes] | None = None

    def begin(self) -> None:
        """Start the process that connects to the cluster. Raises RunError."""
        finding = kind_of("ray").find()
        if not finding.available:
            raise RunError("launcher", finding.text, finding.hint)
        check(self.launcher)
        (self.run_dir / REASON).unlink(missing_ok=True)
        command = child_process.module("core.wings.launch.ray_driver", str(self.run_dir))
        with (self.run_dir / "log.txt").open("ab", buffering=0) as log:
            more = environment()
            self.process = child_process.start(command, more=more, stdout=log, stderr=log)
        write_record(self.run_dir, "ray", attempt=attempt_of(self.run_dir))

    def look(self) -> JobProgress:
        """Look whether that process lives."""
        if self.process is not None and self.process.poll() is None:
            waits = view_run(self.run_dir).state == "queued"
            return JobProgress("waiting" if waits else "running", "Waits for workers of Ray.")
        reason = read_json(self.run_dir / REASON)
        message = str(reason.get("message") or "The process of Ray ended before the run did.")
        failed = bool(reason.get("rank_failed"))
        return JobProgress("ended", message, str(reason.get("hint", "")), failed)

    def cancel(self) -> None:
        """End the process; Ray ends the workers of a driver that is gone."""
        if self.process is None:
            return
        self.process.terminate()
        try:
            self.process.wait(END_S)
        except child_process.TimeoutExpired:
            self.process.kill()

    def finish(self) -> None:
        """Forget the job."""
        (self.run_dir / REASON).unlink(missing_ok=True)
        remove_record(self.run_dir)
