"""All compression methods, in the order of display. Imports no torch."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.wings.shrink.methods import (
    distil,
    fuse,
    low_rank,
    onnx_half,
    onnx_int8,
    onnx_int8_dynamic,
    pt2e_qat,
    pt2e_static,
    structured,
    torchao_dynamic,
    torchao_weight_only,
    unstructured,
)
from core.wings.shrink.way import ShrinkError, TryOptions, Way

WAYS: dict[str, Way] = {
    module.WAY.name: module.WAY
    for module in (
        onnx_int8,
        onnx_int8_dynamic,
        onnx_half,
        structured,
        distil,
        low_rank,
        unstructured,
        fuse,
        torchao_weight_only,
        torchao_dynamic,
        pt2e_static,
        pt2e_qat,
    )
}
USUAL = tuple(name for name, way in WAYS.items() if way.usual)


@dataclass(frozen=True)
class Try:
    """A way and how it is used."""

    way: Way
    options: TryOptions

    @property
    def name(self) -> str:
        """Of its folder."""
        return self.way.label(self.options)


def tries_of(texts: Sequence[str], epochs: int | None = None) -> list[Try]:
    """Parse a request such as "structured:0.5".

    Raises ShrinkError for an unknown method or number.
    """
    found: dict[str, Try] = {}
    for text in texts:
        way, amount = _way_of(text)
        one = Try(way, way.options(amount, epochs))
        found[one.name] = one
    return list(found.values())


def _way_of(text: str) -> tuple[Way, float | None]:
    """Parse a method such as "structured" or "structured:0.5". Raises ShrinkError."""
    name, _, number = text.partition(":")
    if name not in WAYS:
        raise ShrinkError(f"There is no method {name}.", f"The methods are {', '.join(WAYS)}.")
    if not number:
        return WAYS[name], None
    try:
        return WAYS[name], float(number)
    except ValueError as error:
        raise ShrinkError(
            f"{name} needs a number but received {number}.", "Write it as in structured:0.5."
        ) from error
