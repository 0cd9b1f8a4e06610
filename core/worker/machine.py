"""Resources that the runs of one user share: the queue and the warm worker. No torch."""

import os
import platform
import re
from pathlib import Path

from core.files.home import home, private_folder
from core.project import ProjectError


def machine_folder() -> Path | None:
    """The folder for it, apart for each machine that mounts the same home; None without one."""
    name = re.sub(r"[^A-Za-z0-9._-]", "-", platform.node()) or "here"
    try:
        return private_folder(home() / "machines" / name)
    except ProjectError:
        return None


QUEUE = "LAYERLOOM_QUEUE"
"""The variable that names a queue which several users of this machine share."""


def queue_folder() -> str:
    """Where tickets for processors and GPUs lie; "" where nothing can be written."""
    if shared := os.environ.get(QUEUE, ""):
        return shared
    folder = machine_folder()
    return str(folder / "queue") if folder else ""
