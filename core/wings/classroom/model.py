"""The contents of a task and of its key, as immutable values. No torch."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from core.claims import Check
from core.project import Project

ENDING, KEY_ENDING = ".task.json", ".key.json"
"""What the names of the student's and of the teacher's file end with."""


def _nothing() -> dict[str, Any]:
    return {}


@dataclass(frozen=True)
class Requirement:
    """What must hold, and the points for it. hint: what to try where it does not, "" for none."""

    check: Check
    points: int
    hint: str = ""


@dataclass(frozen=True)
class ClassTask:
    """A task as students get it.

    until: when it ends, with the time zone; None for never. times: how often somebody may hand in,
    0 for any number. has_key: whether the teacher has a key file with hidden data or a solution.
    """

    title: str
    text: str
    start: Project
    requirements: tuple[Requirement, ...]
    hints: tuple[str, ...] = ()
    until: datetime | None = None
    times: int = 0
    has_key: bool = False

    @property
    def points(self) -> int:
        """Points for all that must hold."""
        return sum(each.points for each in self.requirements)


@dataclass(frozen=True)
class TaskKey:
    """What only the teacher has.

    task: title of the task that it belongs to. data: settings of the data that hand-ins learn from
    and are tested on, {} where nothing is trained; seed: of the split and of the training.
    solution: a project that gets all points, None where the teacher keeps none.
    """

    task: str
    data: Mapping[str, Any] = field(default_factory=_nothing)
    seed: int = 0
    solution: Project | None = None


@dataclass(frozen=True)
class GradedLine:
    """A requirement that was checked. points: awarded, of so many. reason: why not all, or how.

    judged: False where it is checked only when the teacher grades, as hidden data is needed.
    """

    text: str
    points: int
    of: int
    reason: str = ""
    judged: bool = True

    @property
    def holds(self) -> bool:
        """Whether it was checked and holds."""
        return self.judged and self.points == self.of
