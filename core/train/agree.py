"""Settings that torch refuses only together: told in words before a run, not by torch in it."""

from collections.abc import Callable, Mapping
from typing import Any

from .errors import TrainingError

Given = Mapping[str, Any]
PLACE = "training.optimizer_settings"


def agree(optimizer: str, given: Given) -> None:
    """Check an optimiser's settings against each other. Raises TrainingError."""
    if optimizer in _CHECKS:
        _CHECKS[optimizer](given)


def _nesterov(given: Given) -> None:
    momentum, dampening = given.get("momentum", 0.0), given.get("dampening", 0.0)
    if given.get("nesterov") and (not momentum or dampening):
        message = "Nesterov needs a momentum above 0 and a dampening of 0 but receives "
        message += f"momentum {momentum:g} and dampening {dampening:g}."
        hint = "Set momentum to 0.9 and dampening to 0, or turn nesterov off."
        raise TrainingError(f"{PLACE}.nesterov", message, hint)


def _etas(given: Given) -> None:
    shrink, grow = given.get("etas", (0.5, 1.2))
    if not 0 < shrink < 1 < grow:
        message = f"{PLACE}.etas needs a factor between 0 and 1 and one above 1 but receives "
        message += f"{shrink:g} and {grow:g}."
        raise TrainingError(f"{PLACE}.etas", message, "The usual ones are 0.5 and 1.2.")


_CHECKS: dict[str, Callable[[Given], None]] = {"SGD": _nesterov, "Rprop": _etas}


def one_cycle(share: float, steps: int, three: bool) -> None:
    """Check that torch's OneCycleLR divides by no length of 0. Raises TrainingError.

    share: of the run that climbs; three: whether a third phase follows the way down.
    """
    climbed = share * steps - 1
    last = 2 * climbed if three else climbed
    if climbed != 0 and last != steps - 1:
        return
    phase = "to climb in" if climbed == 0 else "left after its climb"
    message = f"OneCycleLR with pct_start {share:g} has no step {phase}: the run has {steps:,}."
    hint = "Choose a larger pct_start." if climbed == 0 else "Choose a smaller pct_start."
    raise TrainingError("training.scheduler.pct_start", message, hint)
