"""The contents of a lesson file, as immutable values."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from core.claims.model import Check

PAGES = ("build", "data", "train", "inside", "compare", "export")
"""Pages that a step may lead to."""


def _nothing() -> dict[str, Any]:
    return {}


@dataclass(frozen=True)
class Predict:
    """A question on the template after some edits; torch knows the answer.

    what: "shape" or "params" of `node`, or "total" parameters of the network.
    """

    ask: str
    what: str
    node: str = ""
    edits: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True)
class Solution:
    """What a step asks for: edits of the drawing, and settings of training and of the data."""

    edits: tuple[Mapping[str, Any], ...] = ()
    training: Mapping[str, Any] = field(default_factory=_nothing)
    data: Mapping[str, Any] = field(default_factory=_nothing)

    def __bool__(self) -> bool:
        return bool(self.edits or self.training or self.data)


@dataclass(frozen=True)
class LessonStep:
    """One thing to do. name: its key in the progress; go: the page that a button leads to.

    At most one of predict, do (claims on the drawing) and train (goals of runs) is there; a step
    without any is done when the student says so. hints: each tells more than the one before;
    solution: what the last of them does for the student, on the drawing of the step before.
    """

    name: str
    title: str
    text: str
    go: str = ""
    predict: Predict | None = None
    do: tuple[Check, ...] = ()
    train: tuple[Check, ...] = ()
    hints: tuple[str, ...] = ()
    solution: Solution = Solution()

    @property
    def kind(self) -> str:
        """What this step asks for: predict, do, train or look."""
        if self.predict:
            return "predict"
        return "do" if self.do else "train" if self.train else "look"


@dataclass(frozen=True)
class Lesson:
    """A lesson. name: of its file; see: what the student will see; template: where it starts."""

    name: str
    title: str
    minutes: int
    see: str
    template: str
    steps: tuple[LessonStep, ...]

    def step(self, name: str) -> LessonStep | None:
        """Find a step by its name."""
        return next((step for step in self.steps if step.name == name), None)
