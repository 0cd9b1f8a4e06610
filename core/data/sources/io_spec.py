"""The inputs and outputs of a network: shapes of its Input blocks and of its Output blocks."""

from collections.abc import Sequence
from dataclasses import dataclass

from blocks.signature import N, Signature
from core.common.errors import DataError
from core.data.sources.source import Shape

Ends = Sequence[tuple[str, Signature]]


@dataclass(frozen=True)
class End:
    """One Input or Output: its name, the shape of one sample (batch left out), its dtype."""

    name: str
    shape: Shape
    dtype: str = "float32"


Many = tuple[End, ...]


def ends(inputs: Ends, outputs: Ends) -> tuple[Many, Many]:
    """Inputs and Outputs of a report as data meets them.

    Raises DataError where there is none, and for sizes that are not known before the data is.
    """
    return tuple(_each(inputs, "Input")), tuple(_each(outputs, "Output"))


def as_ends(given: Shape | Many, name: str) -> Many:
    """The ends meant by a bare shape: one of them, of float32."""
    if any(isinstance(part, End) for part in given):
        return tuple(part for part in given if isinstance(part, End))
    return (End(name, tuple(part for part in given if isinstance(part, int))),)


def _each(ends: Ends, block: str) -> list[End]:
    if not ends:
        raise DataError(f"Training needs an {block} but the network has none.", f"Add an {block}.")
    return [End(name, _sample(name, signature), signature.dtype) for name, signature in ends]


def _sample(name: str, signature: Signature) -> Shape:
    first, *rest = signature.shape or (None,)
    sizes = tuple(size for size in rest if isinstance(size, int))
    if first != N or len(sizes) != len(rest):
        raise DataError(
            f"{name} has the shape {signature}, which is not one result for each sample.",
            "Keep the batch, N, as the first dimension.",
        )
    return sizes
