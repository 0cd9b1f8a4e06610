"""A worker of several runs that is killed at an event that is named, so a test says where.

`python held_group.py EVENT NUMBER HOW RUN_DIR...` makes their steps as one by what was noted of
them, and dies before the step, or the checkpoint, of that number; those of all runs are counted.
A checkpoint is due after each step and epoch, and on the disk before anything else happens.
"""

import sys
from itertools import count
from pathlib import Path
from typing import Any

from core.engine import stacked_step
from core.engine.group import Group
from core.engine.member import Member
from core.worker import member_run, together
from core.worker.checkpoint_writer import CheckpointWriter, TopKCheckpoints
from tests.core.engine.test_compiled_step import as_noted
from tests.core.held_worker import die

EVENTS: dict[str, tuple[type, str]] = {
    "step": (Member, "make"),
    "checkpoint": (CheckpointWriter, "save"),
}


def as_one() -> None:
    """Have steps made as one by what was noted, whatever that gains."""
    stacked_step.inductor = as_noted
    Group.gains = lambda self: self.whole is not None


def before(event: str, number: int) -> None:
    """Die where an event is about to happen for that time."""
    kind, name = EVENTS[event]
    does, seen = getattr(kind, name), count(1)

    def held(self: Any, *given: Any) -> None:
        if next(seen) == number:
            die()
        does(self, *given)

    setattr(kind, name, held)


def keep_at_once() -> None:
    """Have a checkpoint written whenever it is due, before its run goes on."""
    member_run.LOOK_S = 0.0
    save = CheckpointWriter.save

    def kept(
        self: CheckpointWriter,
        last: dict[str, Any],
        best: dict[str, Any] | None,
        top_k: TopKCheckpoints | None = None,
    ) -> None:
        save(self, last, best, top_k)
        self.wait()

    CheckpointWriter.save = kept


def main(event: str, number: str, how: str, *run_dirs: str) -> int:
    as_one()
    keep_at_once()
    before(event, int(number))
    return together.main(how, [Path(run_dir) for run_dir in run_dirs])


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
