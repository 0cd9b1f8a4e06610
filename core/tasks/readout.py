"""The meaning of an output: declared once by its kind of target, read by every view and export.

No torch is imported here; `core.tasks.readings` has what calculates.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

COVER = "\u2588"
"""Stands for a masked character of a text."""
VISIBLE = {" ": "\u2423", "\n": "\u23ce"}
"""Blanks and line breaks where single characters are shown."""

PARTS = ("score", "words", "web")
"""What each kind has, or gives a reason for not having."""


@dataclass(frozen=True)
class Score:
    """The probability of one class, or of one label; whether it is the target and is predicted."""

    name: str
    probability: float
    true: bool
    predicted: bool


@dataclass(frozen=True)
class Readout:
    """How outputs are read. What calculates it are the methods of the kind's `Measure`.

    score: what a score that can be explained is called ("class"), "" where none can. positions:
    whether it is the score of a position. words: whether a prediction is put into words, or into
    probabilities of classes. number: whether it is one number, with a unit. lines: whether it is a
    series, drawn as lines.

    web: which form of the web page and of the server's answer shows it (`core.samples.outputs`).
    card: what the model card says, a text with {classes}, {target} and {unit}. missing: reasons, by
    `score`, `words` and `web`, why a kind has no such reading; shown where it would have been.
    """

    score: str = ""
    positions: bool = False
    words: bool = False
    number: bool = False
    lines: bool = False
    web: str = ""
    card: str = ""
    missing: Mapping[str, str] = field(default_factory=lambda: {})

    def lacks(self) -> tuple[str, ...]:
        """What of score, words and web has neither a reading nor a reason for its absence."""
        known = {"score": self.score, "words": self.words, "web": self.web}
        return tuple(part for part in PARTS if not known[part] and not self.why(part))

    def why(self, part: str) -> str:
        """The reason why it has no `score`, `words` or `web`; "" where it has one."""
        return self.missing.get(part, "")


NO_READOUT = Readout()
"""Of no declared kind."""
