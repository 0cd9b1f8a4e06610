"""Several processes that train one run together, which a wing brings in its module `processes`:

FOLDER       of `rank_processes.py`, by which a supervisor starts them
world()      how many there are, by the environment of this one
follows()    whether this one is another than the first
follow(run_dir)           trains as such a one; the exit status
train(attempt, trained)   trains as the first; the exit status
build(source, attempt)    the trainer of a run that several make
described(run_dir)        the processes, as the status lists them
clear(run_dir)            removes what they have left
"""

from typing import Any

from core.common import wing
from core.common.errors import RunError


def part() -> Any:
    """That module; None where it is not here."""
    return next((part for _, part in wing.parts("processes")), None)


def world() -> int:
    """How many processes train the run of this one."""
    return several.world() if (several := part()) else 1


def needed() -> Any:
    """That module. Raises RunError where it is not here."""
    if several := part():
        return several
    message = "The steps of this run were made by several processes: the wing launch is not here."
    raise RunError("launcher", message, "Install a Layerloom that has the wing launch.")
