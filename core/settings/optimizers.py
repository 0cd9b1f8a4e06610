"""The optimisers: every class of torch.optim that takes a first-order step on dense gradients."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from blocks.spec import Setting
from core.common.errors import TrainingError

Trait = Literal[
    "scale_free", "recordable", "compilable", "tensor_betas", "whole_rows", "momentum_sums",
    "strong_decay",
]  # fmt: skip
"""What may be true of an optimiser.

scale_free: it divides by the size of gradients, so that shorter ones make no shorter steps.
recordable: a CUDA graph can hold its step, and its state begins with zeros. compilable: torch
writes its step without reading a number, and its state begins with zeros. tensor_betas: a compiled
step can read its first beta from a tensor, where a schedule moves it. whole_rows: its step on a
weight depends on all of its rows. momentum_sums: a momentum m makes steps 1 / (1 - m) times as
long. strong_decay: it was seen to learn with a weight decay of 1.
"""
PLACE = "training.optimizer_settings"
DEFAULT = "AdamW"


@dataclass(frozen=True)
class Optimizer:
    """A class of torch.optim. `lr` is torch's own default; `fused`: has a fused kernel.

    matrices: steps only on weights with two dimensions; AdamW, with the same learning rate,
    takes the others (as its paper recommends). usual_rate: a constant rate that small networks
    learn with; None: that of Adam. check: raises TrainingError for settings that contradict each
    other.
    """

    name: str
    summary: str
    lr: float
    settings: tuple[Setting, ...]
    fused: bool = False
    matrices: bool = False
    paper: str = ""
    usual_rate: float | None = None
    traits: frozenset[Trait] = frozenset()
    check: Callable[[Mapping[str, Any]], None] | None = None


BELOW_1 = 0.999999


def _float(name: str, text: str, default: float, high: float | None = None) -> Setting:
    return Setting(name, "float", text, default=default, low=0.0, high=high)


def _bool(name: str, text: str, default: bool = False) -> Setting:
    return Setting(name, "bool", text, default=default)


def _pair(name: str, text: str, default: tuple[float, float], high: float | None = None) -> Setting:
    return Setting(name, "float", text, default=default, low=0.0, high=high, length=2)


def _decay(
    default: float = 0.0,
    text: str = "Weight decay (L2 penalty): this share of each weight is added to its gradient.",
) -> Setting:
    return _float("weight_decay", text, default)


_DECOUPLED = _bool(
    "decoupled_weight_decay", "Apply weight decay directly to the weights, as AdamW does."
)
_MAXIMIZE = _bool("maximize", "Maximise the loss instead of minimising it.")
_BETAS = _pair(
    "betas",
    "Decay rates of the running means of the gradient and of its square: the closer to"
    " 1, the longer their memory.",
    (0.9, 0.999),
    BELOW_1,
)
_EPS = _float("eps", "Small number added to the denominator for numerical stability.", 1e-8)
_AMSGRAD = _bool(
    "amsgrad", "Divide by the largest running mean of squares so far instead of the current one."
)
_MOMENTUM_DECAY = _float(
    "momentum_decay", "How fast the momentum reaches its full value: the larger, the sooner.", 4e-3
)
_SHRINK = "Weight decay: weights shrink by this share times lr at each step."


def _traits(*names: Trait) -> frozenset[Trait]:
    return frozenset(names)


def _nesterov(settings: Mapping[str, Any]) -> None:
    momentum, dampening = settings.get("momentum", 0.0), settings.get("dampening", 0.0)
    if settings.get("nesterov") and (not momentum or dampening):
        message = "Nesterov needs a momentum above 0 and a dampening of 0 but receives "
        message += f"momentum {momentum:g} and dampening {dampening:g}."
        hint = "Set momentum to 0.9 and dampening to 0, or turn nesterov off."
        raise TrainingError(f"{PLACE}.nesterov", message, hint)


def _etas(settings: Mapping[str, Any]) -> None:
    shrink, grow = settings.get("etas", (0.5, 1.2))
    if not 0 < shrink < 1 < grow:
        message = f"{PLACE}.etas needs one factor between 0 and 1 and one above 1 but receives "
        message += f"{shrink:g} and {grow:g}."
        raise TrainingError(f"{PLACE}.etas", message, "The usual values are 0.5 and 1.2.")


OPTIMIZERS: dict[str, Optimizer] = {
    o.name: o
    for o in (
        Optimizer(
            "SGD",
            "Stochastic gradient descent, optionally with momentum.",
            1e-3,
            (
                _float(
                    "momentum", "Momentum: share of the previous update that is kept.", 0.0, 1.0
                ),
                _float("dampening", "Share of the gradient left out of the momentum.", 0.0, 1.0),
                _decay(),
                _bool(
                    "nesterov",
                    "Use Nesterov momentum: it looks one step ahead.",
                ),
                _MAXIMIZE,
            ),
            fused=True,
            usual_rate=0.05,
            traits=_traits("recordable", "compilable", "momentum_sums"),
            check=_nesterov,
        ),
        Optimizer(
            "Adam",
            "Adapts the step of each weight from running means of its gradient and"
            " squared gradient.",
            1e-3,
            (_BETAS, _EPS, _decay(), _AMSGRAD, _MAXIMIZE, _DECOUPLED),
            fused=True,
            paper="https://arxiv.org/abs/1412.6980",
            traits=_traits("scale_free", "recordable", "compilable", "tensor_betas"),
        ),
        Optimizer(
            "AdamW",
            "Adam with weight decay decoupled from the gradient.",
            1e-3,
            (_BETAS, _EPS, _decay(0.01, _SHRINK), _AMSGRAD, _MAXIMIZE),
            fused=True,
            paper="https://arxiv.org/abs/1711.05101",
            traits=_traits(
                "scale_free", "recordable", "compilable", "tensor_betas", "strong_decay"
            ),
        ),
        Optimizer(
            "NAdam",
            "Adam with Nesterov momentum.",
            2e-3,
            (_BETAS, _EPS, _decay(), _MOMENTUM_DECAY, _DECOUPLED, _MAXIMIZE),
            paper="https://openreview.net/forum?id=OM0jvwB8jIp57ZJjtNEZ",
            traits=_traits("scale_free"),
        ),
        Optimizer(
            "RAdam",
            "Adam with a corrected adaptive rate in the first steps, so that it needs no warm-up.",
            1e-3,
            (_BETAS, _EPS, _decay(), _DECOUPLED, _MAXIMIZE),
            paper="https://arxiv.org/abs/1908.03265",
            traits=_traits("scale_free", "recordable", "compilable"),
        ),
        Optimizer(
            "Adamax",
            "Adam with the largest recent gradient instead of the mean square.",
            2e-3,
            (_BETAS, _EPS, _decay(), _MAXIMIZE),
            paper="https://arxiv.org/abs/1412.6980",
            traits=_traits("scale_free", "recordable", "compilable"),
        ),
        Optimizer(
            "Adagrad",
            "Divides each step by the root of the sum of all squared gradients so far.",
            1e-2,
            (
                _float(
                    "lr_decay",
                    "Decay of the learning rate: after n steps it is divided by 1 + n times this.",
                    0.0,
                ),
                _decay(),
                _float(
                    "initial_accumulator_value",
                    "Initial sum of squares: the larger, the smaller the first steps.",
                    0.0,
                ),
                _float("eps", _EPS.help, 1e-10),
                _MAXIMIZE,
            ),  # torch 2.11 has its fused kernel for processors only
            paper="https://jmlr.org/papers/v12/duchi11a.html",
            usual_rate=0.01,
            traits=_traits("scale_free", "compilable"),
        ),
        Optimizer(
            "Adadelta",
            "Adagrad with a decaying sum of squares; it adapts the step size itself.",
            1.0,
            (
                _float("rho", "Decay rate of the running mean of squares.", 0.9, 1.0),
                _float("eps", _EPS.help, 1e-6),
                _decay(),
                _MAXIMIZE,
            ),
            paper="https://arxiv.org/abs/1212.5701",
            usual_rate=1.0,
            traits=_traits("scale_free", "recordable", "compilable"),
        ),
        Optimizer(
            "Adafactor",
            "Adam that stores squared gradients only per row and column, to save memory.",
            1e-2,
            (
                Setting(
                    "beta2_decay",
                    "float",
                    "Exponent of the decay of the running square: the "
                    "further below 0, the longer its memory.",
                    default=-0.8,
                    high=0.0,
                ),
                Setting(
                    "d",
                    "float",
                    "Clipping threshold: largest root mean square of an update.",
                    default=1.0,
                    low=1.0,
                ),
                _decay(0.0, _SHRINK),
                _MAXIMIZE,
            ),
            paper="https://arxiv.org/abs/1804.04235",
            usual_rate=0.01,
            traits=_traits("scale_free", "whole_rows"),
        ),
        Optimizer(
            "RMSprop",
            "Divides each step by a running root mean square of the gradient.",
            1e-2,
            (
                _float("alpha", "Decay rate of the running mean of squares.", 0.99, 1.0),
                _EPS,
                _decay(),
                _float(
                    "momentum", "Momentum: share of the previous update that is kept.", 0.0, 1.0
                ),
                _bool(
                    "centered",
                    "Divide by the standard deviation of the gradient instead of"
                    " its root mean square.",
                ),
                _MAXIMIZE,
            ),
            paper="https://arxiv.org/abs/1308.0850",
            traits=_traits("scale_free", "recordable", "compilable"),
        ),
        Optimizer(
            "Rprop",
            "Uses only the sign of the gradient; meant for full batches.",
            1e-2,
            (
                _pair(
                    "etas",
                    "Factors by which a step shrinks when the sign changes and"
                    " grows when it does not.",
                    (0.5, 1.2),
                ),
                _pair("step_sizes", "Smallest and largest step size.", (1e-6, 50.0)),
                _MAXIMIZE,
            ),
            usual_rate=0.01,
            traits=_traits("scale_free"),
            check=_etas,
        ),
        Optimizer(
            "ASGD",
            "Stochastic gradient descent that also averages the weights.",
            1e-2,
            (
                _float(
                    "lambd",
                    "Decay term: how fast the steps shrink; weights also shrink by"
                    " this share times lr.",
                    1e-4,
                ),
                _float("alpha", "Exponent of the decay of the learning rate; 0: no decay.", 0.75),
                _float("t0", "Step at which averaging starts.", 1e6),
                _decay(),
                _MAXIMIZE,
            ),
            paper="https://doi.org/10.1137/0330046",
            usual_rate=0.05,
        ),
        Optimizer(
            "Muon",
            "Orthogonalised momentum for weight matrices; AdamW updates the other weights.",
            1e-3,
            (
                _decay(0.1, _SHRINK),
                _float(
                    "momentum", "Momentum: share of the previous update that is kept.", 0.95, 1.0
                ),
                _bool(
                    "nesterov",
                    "Use Nesterov momentum: it looks one step ahead.",
                    True,
                ),
                _float("eps", _EPS.help, 1e-7),
                Setting(
                    "ns_steps",
                    "int",
                    "Number of Newton-Schulz iterations that orthogonalise the"
                    " momentum; more are slower.",
                    default=5,
                    low=1,
                    high=99,
                ),
            ),
            matrices=True,
            paper="https://kellerjordan.github.io/posts/muon/",
            usual_rate=0.02,
            traits=_traits("whole_rows"),
        ),
    )
}

EXCLUDED = {
    "LBFGS": "evaluates the loss several times in one step",
    "SparseAdam": "supports sparse gradients only",
}
"""Classes of torch.optim that are not offered, and why."""


def optimizer_name(training: Mapping[str, Any]) -> str:
    """The optimiser of training settings, the usual one where they name none."""
    return str(training.get("optimizer", DEFAULT))


def with_trait(trait: Trait) -> tuple[str, ...]:
    """The names of all optimisers with a trait."""
    return tuple(name for name, declared in OPTIMIZERS.items() if trait in declared.traits)


def has_trait(training: Mapping[str, Any], trait: Trait) -> bool:
    """Whether the optimiser of training settings has a trait; no for one that is not offered."""
    declared = OPTIMIZERS.get(optimizer_name(training))
    return declared is not None and trait in declared.traits
