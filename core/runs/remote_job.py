"""What the folder of a run says of its job on another machine or a cluster."""

from pathlib import Path
from typing import Any

from core.runs.files import read_json

RECORD = "launch.json"
"""The file of a run with what was started elsewhere: kind, job or folder, attempt."""
JOB_FAILED = "job_failed"
"""In status.json: whether an attempt failed by its job, which its worker did not report, or was
stopped though nobody asked for that."""


def job_number(run_dir: Path) -> Any:
    """The number of a run's job in the queue of a cluster; None where it has none."""
    return read_json(run_dir / RECORD).get("job")
