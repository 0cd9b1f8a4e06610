"""What a door is: a way in which a trained network answers, and how exactly."""

from collections.abc import Callable
from dataclasses import dataclass

from tests.crossing.trained_run import Answers, Outputs, TrainedRun

EXACT, ROUNDED = 0.0, 1e-4
SHARED = 1e-3
"""Of two processes: means over halves of a batch are rounded in other places."""
TYPED = 1e-3
"""Of numbers that the canvas shows with six digits."""


@dataclass(frozen=True)
class Door:
    """answers: of a run. tolerance: how far outputs may differ, as a share of the largest, and the
    metric. expected: what they are compared with. seconds: about how long it takes on a small
    project; the slowest are left out of the gate."""

    answers: Callable[[TrainedRun], Answers]
    tolerance: float = EXACT
    expected: Callable[[TrainedRun], Outputs] = lambda run: run.expected
    seconds: float = 1.0
