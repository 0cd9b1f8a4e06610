"""The folder of a class on one server: tasks that all see, and what was handed in.

Whoever starts the workbench of an account names the folder; on a laptop there is none.
"""

import os
from datetime import datetime
from pathlib import Path

from core.files.folder import write_bytes
from core.wings.classroom.hand_in import ENDING

VARIABLE = "LAYERLOOM_CLASS_FOLDER"
TASKS, HANDED_IN = "tasks", "handed-in"


def class_folder() -> Path | None:
    """The folder of the class, None without one."""
    given = os.environ.get(VARIABLE, "")
    return Path(given) if given else None


def deliver(folder: Path, task: str, student: str, content: bytes, now: datetime) -> Path:
    """Put a hand-in beside the others of its task; each earlier one is kept. Raises OSError.

    folder: of the class. task, student: as they may stand in the names of files.
    """
    place = folder / HANDED_IN / task
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    file = place / f"{student}.{now:%Y%m%d-%H%M%S-%f}{ENDING}"
    write_bytes(file, content, private=True)
    return file
