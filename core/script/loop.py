"""The loop of a training file: an epoch's steps, what is measured, and whether it was the last."""

from typing import TYPE_CHECKING

from core.script.ending import Epoch, time_begins, time_ends
from core.script.step import each

if TYPE_CHECKING:
    from core.script.training import Learning


def loop(learning: "Learning", steps: list[str], found: Epoch, keep: str) -> list[str]:
    """The loop over epochs: train, validate, print, save the best weights.

    steps: what an epoch learns with. keep: a statement after each epoch that keeps its numbers, for
    curves.
    """
    body = [
        *steps,
        *found.validate,
        *_scheduled(learning),
        *([keep] if keep else []),
        *found.told,
        *time_ends(learning),
    ]
    return [
        *found.begins,
        *time_begins(learning),
        f"for epoch in range({learning.names.epochs}):",
        *(f"    {line}" for line in body),
        found.ends,
    ]


def _scheduled(learning: "Learning") -> list[str]:
    """Lines that move a schedule which counts epochs."""
    if learning.per != "epoch":
        return []
    schedule = learning.training["scheduler"]
    plateau = bool(schedule) and schedule["name"] == "ReduceLROnPlateau"
    return each("scheduler", "step(val_loss)" if plateau else "step()", learning.matrices)
