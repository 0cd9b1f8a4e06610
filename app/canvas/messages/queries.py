"""Questions of the canvas between two edits, and their answers."""

from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple, TypedDict

from app.canvas.message_reader import BadMessage, Length, Range, Read
from app.canvas.messages.drawing import GraphJson, PlacedEdit, Settings, Signature
from core.graph.names import check_id


class Question(NamedTuple):
    """A question of the canvas and its answer."""

    asks: Any
    answers: Any


@dataclass(frozen=True)
class AskAfter:
    """What would be after the edits of a fix?"""

    graph: Annotated[GraphJson, Read(dict)]
    edits: Annotated[list[PlacedEdit], Length(1, 200)]

    def __post_init__(self) -> None:
        for edit in self.edits:
            if not isinstance(edit.get("op"), str) or ("id" in edit and check_id(str(edit["id"]))):
                raise BadMessage("An edit needs an op, and an id that a node may have.")


class ChangedOutputs(TypedDict):
    """What leaves the node at a path, by port, before the fix (nothing: {}) and after it."""

    node: str
    before: dict[str, Signature]
    after: dict[str, Signature]


class After(TypedDict):
    """What Python says of the drawing after the fix."""

    errors: int
    first: str
    changed: list[ChangedOutputs]
    more: int


@dataclass(frozen=True)
class AskTimed:
    """How long does each block take?"""

    graph: Annotated[GraphJson, Read(dict)]
    batch: Annotated[int, Range(1, 65_536)]


class Timed(TypedDict):
    """Milliseconds of one forward pass, by path of the report."""

    ms: dict[str, float]
    batch: int
    rounds: int
    device: str
    threads: int


@dataclass(frozen=True)
class AskCurve:
    """What does an activation make of the numbers from -4 to 4?"""

    block: str
    settings: Annotated[Settings, Read(dict)]


class Curve(TypedDict):
    """The values of an activation."""

    x: list[float]
    y: list[float]


QUESTIONS: dict[str, Question] = {
    "after": Question(AskAfter, After),
    "timed": Question(AskTimed, Timed),
    "curve": Question(AskCurve, Curve),
}
"""The questions of POST /api/ll/ask/{question}, by name."""
