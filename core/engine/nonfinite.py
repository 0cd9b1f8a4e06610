"""Losses, gradients and weights that are not finite or far too large: reported or skipped."""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from core.common.errors import Diverged

LOWER = "Lower the learning rate, set clip_norm, or normalise the data."
IN_A_ROW = 100  # skipped steps after which nothing is learned


def not_finite(loss: float, step: int, lr: float) -> str:
    """Say that the loss is no number any more."""
    what = "NaN" if loss != loss else "infinite"
    return f"The loss became {what} at step {step} with a learning rate of {lr:g}."


EXPLODED = 100.0  # times the loss of the first step, in training and in validation
BY_HEART = 1e6  # times it, in validation alone: no learning by heart comes to that
SMALLEST = 0.1  # a loss that begins smaller than that is no measure


def exploded(first: float | None, record: Mapping[str, Any]) -> str:
    """Say that the losses of an epoch are finite, yet far above that of the first step; else "".

    In training too, as a validation loss alone also grows where a network learns by heart; but the
    training loss of an epoch of few steps is from before the weights went wrong.
    """
    train, val = record.get("train_loss"), record.get("val_loss")
    if first is None or train is None or val is None:
        return ""
    usual = max(abs(first), SMALLEST)
    if min(train, val) < EXPLODED * usual and val < BY_HEART * usual:
        return ""
    return (
        f"The loss exploded: it started at {first:.3g}, and at epoch {record['epoch']} it is"
        f" {train:.3g} in training and {val:.3g} in validation."
    )


class SkippedSteps:
    """Counts steps that are left out, as their gradient is not finite.

    total: steps left out in the run; last: the newest of them; row: how many came one after
    another.
    """

    def __init__(self) -> None:
        self.total = self.last = self.row = 0
        self.left_out = False

    def leave_out(self) -> None:
        """What the text of the step calls where it moves no weight."""
        self.left_out = True

    def counted(self, step: int) -> bool:
        """Count a step that was made or not; whether it was left out."""
        left, self.left_out = self.left_out, False
        if not left:
            self.row = 0
            return False
        self.total, self.row, self.last = self.total + 1, self.row + 1, step
        return True

    def too_many(self) -> Diverged | None:
        """Why the run ends although steps may be left out."""
        if self.row < IN_A_ROW:
            return None
        message = f"The gradients of {IN_A_ROW} steps in a row were not finite."
        return Diverged(self.last, message, LOWER)

    def state_dict(self) -> dict[str, int]:
        """The counts, for a checkpoint."""
        return {n: getattr(self, n) for n in ("total", "last", "row")}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on counting."""
        for name, value in state.items():
            setattr(self, name, value)


def first_nonfinite_step(state: dict[str, Tensor]) -> str:
    """The first weight that is not finite; "" when all are."""
    floats = {name: value for name, value in state.items() if value.is_floating_point()}
    return next((n for n, value in floats.items() if not torch.isfinite(value).all()), "")
