"""Details of one validation sample, for display: scores, columns, tokens. No torch."""

from dataclasses import dataclass

from core.insight.thumbnails import Miss, Shot
from core.tasks.readout import Score


@dataclass(frozen=True)
class Head:
    """One loss term on one sample: target and prediction in words, what the sample adds to it.

    error: prediction minus target in the target's unit, None for what is no number. scores: of all
    classes or labels, () where there are none. pictures: of prediction and target. lines: a series
    that is the target, and its prediction.
    """

    name: str
    target: str
    predicted: str
    loss: float | None
    error: float | None = None
    scores: tuple[Score, ...] = ()
    pictures: tuple[bytes, ...] = ()
    lines: tuple[list[float], list[float]] | None = None


@dataclass(frozen=True)
class Cell:
    """A column of a table's row. deviation: distance from the mean of the training samples, in
    their standard deviations; None where the column never changes.
    """

    column: str
    value: float
    deviation: float | None


@dataclass(frozen=True)
class Token:
    """One position of a text. true, predicted: target and prediction, "" where none counts."""

    text: str
    true: str = ""
    predicted: str = ""


@dataclass(frozen=True)
class Neighbour:
    """A training sample, and how far its values before the last block are from another's."""

    picture: bytes
    words: str
    answer: str
    distance: float


@dataclass(frozen=True)
class SampleDetail:
    """One validation sample with everything that a network makes of it.

    heads: one for each loss term that is measured. blocks: what each block put out, in the order
    in which they ran.
    """

    miss: Miss
    heads: tuple[Head, ...]
    cells: tuple[Cell, ...] = ()
    tokens: tuple[Token, ...] = ()
    blocks: tuple[Shot, ...] = ()
