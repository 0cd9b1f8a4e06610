"""What a lab report is made of: parts, and in them tables, drawings, pictures and sentences.

Texts are as they came; what writes a report escapes them.
"""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class ReportSentence:
    """A sentence. strong: it is what the part says; else it explains."""

    text: str
    strong: bool = False


@dataclass(frozen=True)
class ReportTable:
    """A table. head: "" for a column of names; () for pairs of a name and a value. tints: of the
    cells, from -1, all of it wrong, to 1, all of it right."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    tints: tuple[tuple[float, ...], ...] = ()


@dataclass(frozen=True)
class ReportPlot:
    """A drawing. svg: without a name of a stranger that is not escaped. words: what it shows.

    beside: small ones stand beside each other. side: it stands at the side of the rest of its part.
    """

    svg: str
    words: str
    note: str = ""
    beside: bool = False
    side: bool = False


@dataclass(frozen=True)
class ReportSample:
    """A sample. pictures: PNGs, each with what it is. lines: below them."""

    pictures: tuple[tuple[bytes, str], ...]
    lines: tuple[str, ...] = ()
    right: bool | None = None


@dataclass(frozen=True)
class ReportSamples:
    """Samples beside each other."""

    cards: tuple[ReportSample, ...]
    note: str = ""


Piece = ReportSentence | ReportTable | ReportPlot | ReportSamples


@dataclass(frozen=True)
class ReportPart:
    """A part. ask: what its words may answer, for who writes them."""

    key: str
    title: str
    ask: str
    pieces: tuple[Piece, ...] = field(default=())


PARTS = {
    "question": ("Question", "What do you want to find out, and what do you expect?"),
    "network": ("Network", "Why is the network drawn like this?"),
    "setup": ("Data and settings", "Why this data and these settings?"),
    "training": ("Training", "What do the curves show?"),
    "result": ("Result", "What does the result mean, beside the simple rules?"),
    "predictions": ("Predictions", "Where is the network right, where is it wrong, and why?"),
    "conclusion": ("Conclusion", "What did you find out, and what would you try next?"),
}
"""The parts of a report in order: title, and what one's own words may answer."""
