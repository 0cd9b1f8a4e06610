"""Questions about one sample on the canvas.

The fields of a question, after those of `SampleQuestion`, are the arguments of its function in
core.insight, in this order.
"""

from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeAlias, TypedDict

from app.canvas.message_reader import EXACT, Length, Read
from app.canvas.messages.drawing import Count
from app.canvas.messages.queries import Question
from app.canvas.messages.sample_answers import (
    Calculated,
    Feed,
    Film,
    HealthOfRun,
    Looked,
    Measured,
    Moments,
    NumpyText,
    Probed,
    Stepped,
)

MOST_FILMED = 12
"""So many blocks a film shows at most."""

Path: TypeAlias = Annotated[str, Length(0, 500)]
Plain: TypeAlias = (
    str | Annotated[list[float], Length(0, 20_000)] | Annotated[list[str], Length(0, 20_000)]
)
Part: TypeAlias = Literal["validation", "training"]


class DrawnSample(TypedDict):
    """A drawing of one's own."""

    drawing: str
    """Bytes in base64."""
    shape: tuple[int, int]


class PictureSample(TypedDict):
    """A picture of one's own."""

    picture: str
    """A picture's file in base64."""


class SoundSample(TypedDict):
    """A sound of one's own."""

    sound: str
    """A sound's file in base64."""


class RowSample(TypedDict):
    """A row of numbers of one's own."""

    row: list[float]


class CellsSample(TypedDict):
    """A row of one's own, in the words of its file."""

    cells: list[str]
    """What stands in each field."""


class LineSample(TypedDict):
    """A row of one's own, as a line of its file."""

    line: str


class TextSample(TypedDict):
    """A text of one's own."""

    text: str


Own: TypeAlias = Annotated[
    DrawnSample | PictureSample | SoundSample | RowSample | CellsSample | LineSample | TextSample,
    Read(dict[str, Plain]),
]
"""A sample of one's own."""


class DataSample(TypedDict):
    """A sample of the data."""

    part: Annotated[Part, Read(str)]
    index: Count


class OwnSample(TypedDict):
    """A sample of one's own."""

    own: Own


class PlaneSample(TypedDict):
    """The plane, with all units of a block."""

    plane: Path


Wanted: TypeAlias = Annotated[DataSample | OwnSample | PlaneSample, EXACT]
"""A sample, or the plane with all units of a block, "" for none."""


@dataclass(frozen=True, kw_only=True)
class SampleQuestion:
    """What every question about a sample says."""

    sample: Wanted
    epoch: Count | None = None
    """Of the run whose weights are meant; null: right now, or the best."""


@dataclass(frozen=True, kw_only=True)
class AskLook(SampleQuestion):
    """What are the values of the nodes that are shown?"""

    within: Path
    """The path of the composite that is open, with its dot; "" for the whole network."""


@dataclass(frozen=True, kw_only=True)
class AskProbe(SampleQuestion):
    """What is on a wire?"""

    path: Path
    port: Path
    page: Count


@dataclass(frozen=True, kw_only=True)
class AskNumpy(SampleQuestion):
    """A wire's value, or its gradient, as a text that NumPy reads."""

    path: Path
    port: Path
    gradient: bool


@dataclass(frozen=True, kw_only=True)
class AskFilm(SampleQuestion):
    """A film of the blocks' pictures over all epochs."""

    blocks: Annotated[list[Path], Length(1, MOST_FILMED)]
    kind: Literal["webp", "gif"]


@dataclass(frozen=True, kw_only=True)
class AskPart(SampleQuestion):
    """What do some blocks calculate by themselves?"""

    within: Path
    blocks: Annotated[list[str], Length(1, 20_000)]
    feed: Annotated[Feed, Read(Path)]


SAMPLE_QUESTIONS: dict[str, Question] = {
    "look": Question(AskLook, Looked),
    "probe": Question(AskProbe, Probed),
    "numpy": Question(AskNumpy, NumpyText),
    "magnitudes": Question(SampleQuestion, Measured),
    "step": Question(SampleQuestion, Stepped),
    "health": Question(SampleQuestion, HealthOfRun),
    "moments": Question(SampleQuestion, Moments),
    "film": Question(AskFilm, Film),
    "part": Question(AskPart, Calculated),
}
"""The questions of POST /api/ll/sample/{question}, by name."""


def arguments(question: SampleQuestion) -> tuple[Any, ...]:
    """What the function of a question takes: the sample, then the fields of its own."""
    given = dict(vars(question))
    del given["epoch"]
    return tuple(given.values())
