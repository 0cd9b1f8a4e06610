"""The meaning of an output: declared once by its kind of target, read by every view and export.

No torch is imported here: a function is named as "module:function", see `core.tasks.task`. Those
of the kinds that come with Layerloom are in `core.tasks.readouts`.
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
    """How one output is read. N is the batch; functions get an `output` without and `outputs` with.

    To explain a score: `score` is what it is called ("class"); `select` (outputs, number,
    position) -> (N,); `names` (Labeler, output) -> list of str, in the order of the scores;
    `likeliest` (Measure, output, position) -> number of the predicted score; `position` (output,
    target) -> the position that is explained where none is chosen, "" for an output without
    positions.

    As an answer: `scores` (Labeler, output, target) -> tuple of `Score`, of all classes or labels;
    `next_scores` (Labeler, output, target, count) -> the same of the likeliest next characters;
    `words` (Labeler, outputs, target) -> text, for a kind without `scores`, of one sample.

    As numbers: `probabilities` (Measure, outputs) -> (N, C); `number` (Measure, outputs) -> (N,),
    in the target's own unit.

    As a picture: `picture` (Measure, output) -> what is predicted, with the values of the target;
    `drawn` (Measure, outputs) -> what stands beside the target while a network trains; `lines`:
    whether it is a series.

    web: which form of the web page and of the server's answer shows it (`core.samples.outputs`).
    card: what the model card says, a text with {classes}, {target} and {unit}. missing: reasons, by
    `score`, `words` and `web`, why a kind has no such reading; shown where it would have been.
    """

    score: str = ""
    select: str = ""
    names: str = ""
    likeliest: str = ""
    position: str = ""
    scores: str = ""
    next_scores: str = ""
    words: str = ""
    probabilities: str = ""
    number: str = ""
    picture: str = ""
    drawn: str = ""
    lines: bool = False
    web: str = ""
    card: str = ""
    missing: Mapping[str, str] = field(default_factory=lambda: {})

    def lacks(self) -> tuple[str, ...]:
        """What of score, words and web has neither a reading nor a reason for its absence."""
        known = {"score": self.score, "words": self.words or self.scores, "web": self.web}
        return tuple(part for part in PARTS if not known[part] and not self.why(part))

    def why(self, part: str) -> str:
        """The reason why it has no `score`, `words` or `web`; "" where it has one."""
        return self.missing.get(part, "")


NO_READOUT = Readout()
"""Of no declared kind."""
