"""Explanations of one sample, for display and for the command line. No torch."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from numpy.typing import NDArray

from core.insight.thumbnails import Sample

Array = NDArray[Any]


@dataclass(frozen=True)
class Aim:
    """The score that is explained.

    kind: of the target. what: class, token, ... as `Readout.score`. name: the class or letter;
    predicted, true: the prediction and the target, "" where there are none.
    score: its value. number, position: where it stands in the output.
    """

    kind: str
    what: str
    name: str
    predicted: str
    true: str
    score: float
    number: int
    position: int = -1

    def json(self) -> dict[str, Any]:
        """The score as `layerloom look --json` prints it."""
        values = asdict(self)
        return {**values, "place": values.pop("position")}


@dataclass(frozen=True)
class Explained:
    """An explanation of one sample.

    values: of the sample's shape, one number for each token, or one map of a block. labels: of
    tokens or columns, () for a picture. picture, overlay: PNGs of the values, and over the sample,
    b"" for what is no picture.
    """

    method: str
    node: str
    sample: Sample
    aim: Aim
    values: Array
    facts: Mapping[str, float]
    labels: tuple[str, ...] = ()
    picture: bytes = b""
    overlay: bytes = b""


@dataclass(frozen=True)
class Heads:
    """Attention weights of the heads of one block. weights: (heads, L, S); pictures: one each."""

    node: str
    call: int
    weights: Array
    pictures: tuple[bytes, ...]


@dataclass(frozen=True)
class Attention:
    """All attentions of a network for one sample. labels: of its positions, () where not known.

    rollout: (L, L), None where attentions are not over one sequence, for the reason `why_not`.
    """

    sample: Sample
    heads: tuple[Heads, ...]
    labels: tuple[str, ...]
    rollout: Array | None
    why_not: str = ""
