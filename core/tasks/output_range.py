"""Whether the last block of a network leaves out numbers that its loss or its targets need."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import Any

from blocks import declaration, has
from blocks.spec import Span
from core.tasks.losses import ERRORS
from core.tasks.registry import LOSSES, has_trait


@dataclass(frozen=True)
class CutOff:
    """values: what a block can output, in words. need: what outputs have to reach, a clause."""

    values: str
    need: str


def cut_off(
    block: str, settings: Mapping[str, Any], loss: str, targets: Span | None
) -> CutOff | None:
    """What a block right before the Output cuts off; None where it cuts off nothing known.

    targets: the least and the largest target as the loss compares it, infinite where they are
    standardised and not read yet; None where nothing is known of them.
    """
    declared, known = LOSSES.get(loss), declaration(block)
    span = known.results(settings)
    if span is None or (declared and declared.inside and has(block, declared.inside)):
        return None
    if has_trait(loss, "scores"):
        return CutOff(_words(span), f"{loss} needs scores, which can be any number")
    if loss not in ERRORS or targets is None or (span[0] <= targets[0] and targets[1] <= span[1]):
        return None
    return CutOff(_words(span), _needed(targets))


def _needed(targets: Span) -> str:
    low, high = targets
    if low == -inf:
        return "the targets are standardised, so they can be negative or above 1"
    return f"the targets range from {low:.3g} to {high:.3g}"


def _words(span: Span) -> str:
    low, high = span
    if high == inf:
        return f"only values of {low:g} or more"
    if low == -inf:
        return f"only values up to {high:g}"
    return f"only values from {low:g} to {high:g}"
