"""The learning-rate schedules: torch.optim.lr_scheduler's names, totals filled in for a run."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from blocks.spec import Setting
from core.common.errors import TrainingError
from core.common.json_types import is_array
from core.settings.optimizers import OPTIMIZERS

Trait = Literal["cycle", "moves_momentum", "watches_loss", "unchained"]
"""What may be true of a schedule.

cycle: it climbs to `lr` and comes far down again, so that the highest rate may be higher than one
that stays. moves_momentum: it moves more than the learning rate, which a recorded step would not
see. watches_loss: it is moved by the validation loss. unchained: SequentialLR cannot start it after
a warm-up.
"""


def _never_idle(schedule: Mapping[str, Any], epochs: int, warmup: int) -> str:
    return ""


def _nothing(training: Mapping[str, Any], steps_per_epoch: int) -> dict[str, Any]:
    return {}


@dataclass(frozen=True)
class Schedule:
    """A class of torch.optim.lr_scheduler.

    per: advanced after every step, or after every epoch's validation. A setting that is
    `optional` with default None is filled in from the length of the run (see `arguments`).
    required: arguments that torch has no default for. idle: says (settings, epochs, warmup) why it
    does nothing in a run, "" where it does. fill: arguments that follow from (training settings,
    steps per epoch).
    """

    name: str
    summary: str
    per: Literal["step", "epoch"]
    settings: tuple[Setting, ...]
    required: tuple[str, ...] = ()
    traits: frozenset[Trait] = frozenset()
    idle: Callable[[Mapping[str, Any], int, int], str] = _never_idle
    fill: Callable[[Mapping[str, Any], int], dict[str, Any]] = _nothing


def _float(name: str, text: str, default: float, low: float = 0.0, high: Any = None) -> Setting:
    return Setting(name, "float", text, default=default, low=low, high=high)


def _int(name: str, text: str, default: Any, low: int = 1, optional: bool = False) -> Setting:
    return Setting(name, "int", text, default=default, low=low, optional=optional, unit="epochs")


def _total(name: str) -> Setting:
    return _int(name, "Epochs until the end value is reached; none: the whole run.", None, 1, True)


_GAMMA = _float("gamma", "Factor by which the learning rate is multiplied.", 0.1, 0.0)
_ETA_MIN = _float("eta_min", "The learning rate never falls below this.", 0.0)


def _first_drop(schedule: Mapping[str, Any], epochs: int, warmup: int) -> str:
    size, scheduled = schedule["step_size"], epochs - warmup
    late = f"StepLR first drops after {size:,} epochs, but its schedule has only {scheduled:,}."
    return late if size >= scheduled else ""


def _late_drops(schedule: Mapping[str, Any], epochs: int, warmup: int) -> str:
    scheduled = epochs - warmup
    late = [epoch for epoch in schedule["milestones"] if epoch >= scheduled]
    drops = f"MultiStepLR drops at epoch {_listed(late)}"
    return f"{drops}, but its schedule has only {scheduled:,}." if late else ""


def _long_wait(schedule: Mapping[str, Any], epochs: int, warmup: int) -> str:
    text = (
        f"ReduceLROnPlateau waits for {schedule['patience']:,} epochs without improvement, so it"
        f" cannot lower the learning rate within {epochs:,} epochs."
    )
    return text if schedule["patience"] >= epochs - 2 else ""


def _peak(training: Mapping[str, Any], steps_per_epoch: int) -> dict[str, Any]:
    settings, steps = training["scheduler"], training["epochs"] * steps_per_epoch
    one_cycle(settings["pct_start"], steps, settings["three_phase"])
    cycled = has_momentum(training["optimizer"])
    return {"max_lr": training["lr"], "total_steps": steps, "cycle_momentum": cycled}


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(f"{number:,}" for number in numbers)


SCHEDULES: dict[str, Schedule] = {
    s.name: s
    for s in (
        Schedule(
            "StepLR",
            "Multiply the learning rate by gamma every step_size epochs.",
            "epoch",
            (_int("step_size", "Epochs between two drops.", 10), _GAMMA),
            required=("step_size",),
            idle=_first_drop,
        ),
        Schedule(
            "MultiStepLR",
            "Multiply the learning rate by gamma at the given epochs.",
            "epoch",
            (
                Setting(
                    "milestones", "dims", "Epochs at which the rate drops.", default=(10, 20), low=1
                ),
                _GAMMA,
            ),
            required=("milestones",),
            idle=_late_drops,
        ),
        Schedule(
            "ExponentialLR",
            "Multiply the learning rate by gamma every epoch.",
            "epoch",
            (
                _float(
                    "gamma",
                    "Factor by which the learning rate is multiplied each epoch.",
                    0.95,
                    0.0,
                ),
            ),
            required=("gamma",),
        ),
        Schedule(
            "CosineAnnealingLR",
            "Lower the learning rate from lr to eta_min along half a cosine.",
            "epoch",
            (_total("T_max"), _ETA_MIN),
            required=("T_max",),
        ),
        Schedule(
            "CosineAnnealingWarmRestarts",
            "Cosine annealing that restarts every T_0 epochs.",
            "epoch",
            (
                _int("T_0", "Epochs of the first cycle.", 10),
                Setting(
                    "T_mult",
                    "int",
                    "Factor by which each cycle is longer than the one before.",
                    default=1,
                    low=1,
                ),
                _ETA_MIN,
            ),
            required=("T_0",),
        ),
        Schedule(
            "OneCycleLR",
            "Raise the learning rate to lr once, then lower it far below its"
            " start; changes every step.",
            "step",
            (
                _float("pct_start", "Share of the run in which the rate rises.", 0.3, 0.0, 1.0),
                Setting(
                    "anneal_strategy",
                    "choice",
                    "Shape of the curve: a cosine or a straight line.",
                    default="cos",
                    choices=("cos", "linear"),
                ),
                _float("div_factor", "The first rate is lr divided by this.", 25.0, 1e-12),
                _float(
                    "final_div_factor",
                    "The last rate is the first rate divided by this.",
                    1e4,
                    1e-12,
                ),
                Setting(
                    "three_phase",
                    "bool",
                    "Return to the first rate, then fall to the last rate in a third phase.",
                    default=False,
                ),
            ),
            required=("max_lr", "total_steps"),
            traits=frozenset({"cycle", "moves_momentum", "unchained"}),
            fill=_peak,
        ),
        Schedule(
            "LinearLR",
            "Change a factor on the learning rate linearly, as for a warm-up.",
            "epoch",
            (
                _float("start_factor", "Factor on the rate at the start.", 1.0 / 3, 1e-12, 1.0),
                _float("end_factor", "Factor on the rate at the end.", 1.0, 0.0, 1.0),
                _int("total_iters", "Epochs until the end factor is reached.", 5),
            ),
        ),
        Schedule(
            "PolynomialLR",
            "Lower the learning rate to 0 along a polynomial.",
            "epoch",
            (
                _total("total_iters"),
                _float(
                    "power",
                    "Exponent of the curve: 1 is a straight line; a larger one"
                    " falls faster at first.",
                    1.0,
                    0.0,
                ),
            ),
        ),
        Schedule(
            "ReduceLROnPlateau",
            "Multiply the learning rate by factor when the validation loss stops falling.",
            "epoch",
            (
                _float(
                    "factor", "Factor by which the learning rate is multiplied.", 0.1, 0.0, 0.999999
                ),
                _int("patience", "Epochs without improvement before the rate drops.", 10, 0),
                _float(
                    "threshold",
                    "Share by which the loss has to fall to count as an improvement.",
                    1e-4,
                ),
                _int("cooldown", "Epochs to wait after a drop.", 0, 0),
                _float("min_lr", "The learning rate never falls below this.", 0.0),
            ),
            traits=frozenset({"watches_loss", "unchained"}),
            idle=_long_wait,
        ),
        Schedule(
            "ConstantLR",
            "Multiply the learning rate by factor during the first epochs.",
            "epoch",
            (
                _float("factor", "Factor on the rate during these epochs.", 1.0 / 3, 0.0, 1.0),
                _int("total_iters", "Number of these epochs.", 5),
            ),
        ),
    )
}

CYCLE, FALLING = "OneCycleLR", "CosineAnnealingLR"
"""What is suggested for a new network, and for one that is trained already."""


def schedule_name(training: Mapping[str, Any]) -> str:
    """The schedule of training settings; "" where the learning rate stays."""
    schedule: Mapping[str, Any] = training.get("scheduler") or {}
    return str(schedule.get("name", ""))


def has_trait(training: Mapping[str, Any], trait: Trait) -> bool:
    """Whether the schedule of training settings has a trait; no where there is none."""
    declared = SCHEDULES.get(schedule_name(training))
    return declared is not None and trait in declared.traits


def arguments(training: Mapping[str, Any], steps_per_epoch: int) -> dict[str, Any]:
    """Work out the constructor arguments of the schedule of resolved training settings.

    Totals left out become what the warm-up leaves of the run; OneCycleLR peaks at `lr` and cycles
    the momentum only where the optimiser has one. Empty without a schedule. Raises TrainingError
    where a phase of it has no step.
    """
    if not training["scheduler"]:
        return {}
    settings = dict(training["scheduler"])
    name = settings.pop("name")
    for total in ("T_max", "total_iters"):
        if total in settings and settings[total] is None:
            settings[total] = training["epochs"] - training["warmup"]
    settings |= SCHEDULES[name].fill(training, steps_per_epoch)
    return {key: list(v) if is_array(v) else v for key, v in settings.items()}


def moves(training: Mapping[str, Any]) -> str:
    """When the learning rate changes: "step", "epoch", or "" if it is constant."""
    if training["scheduler"]:
        return SCHEDULES[training["scheduler"]["name"]].per
    return "epoch" if training["warmup"] else ""


def has_momentum(optimizer: str) -> bool:
    """Whether OneCycleLR can cycle the momentum (or first beta) of this optimiser."""
    chosen = OPTIMIZERS[optimizer]
    names = {s.name for s in chosen.settings}
    return not chosen.matrices and bool(names & {"momentum", "betas"})


def one_cycle(share: float, steps: int, three: bool) -> None:
    """Check that no phase of OneCycleLR has length 0. Raises TrainingError.

    share: pct_start, the part of the run with a rising rate; three: three_phase.
    """
    climbed = share * steps - 1
    last = 2 * climbed if three else climbed
    if climbed != 0 and last != steps - 1:
        return
    phase = "for the rise" if climbed == 0 else "left after the rise"
    message = f"OneCycleLR with pct_start {share:g} has no step {phase}: the run has {steps:,}."
    hint = "Choose a larger pct_start." if climbed == 0 else "Choose a smaller pct_start."
    raise TrainingError("training.scheduler.pct_start", message, hint)
