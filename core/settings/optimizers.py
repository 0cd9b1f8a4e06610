"""The optimisers: every class of torch.optim that takes a first-order step on dense gradients."""

from dataclasses import dataclass

from blocks.spec import Setting


@dataclass(frozen=True)
class Optimizer:
    """A class of torch.optim. `lr` is torch's own default; `fused`: has a fused kernel.

    matrices: steps only on weights with two dimensions; AdamW, with the same learning rate,
    takes the others (as its paper recommends).
    """

    name: str
    summary: str
    lr: float
    settings: tuple[Setting, ...]
    fused: bool = False
    matrices: bool = False
    paper: str = ""


BELOW_1 = 0.999999


def _float(name: str, text: str, default: float, high: float | None = None) -> Setting:
    return Setting(name, "float", text, default=default, low=0.0, high=high)


def _bool(name: str, text: str, default: bool = False) -> Setting:
    return Setting(name, "bool", text, default=default)


def _pair(name: str, text: str, default: tuple[float, float], high: float | None = None) -> Setting:
    return Setting(name, "float", text, default=default, low=0.0, high=high, length=2)


def _decay(
    default: float = 0.0,
    text: str = "Pulls weights towards 0: this share of each is added to its gradient.",
) -> Setting:
    return _float("weight_decay", text, default)


_DECOUPLED = _bool("decoupled_weight_decay", "Decay the weights themselves, as AdamW does.")
_MAXIMIZE = _bool("maximize", "Make the loss large instead of small.")
_BETAS = _pair(
    "betas", "Share of the gradient's running mean, and of its running square, that stays each"
    " step: the nearer to 1, the longer they look back.", (0.9, 0.999), BELOW_1
)  # fmt: skip
_EPS = _float("eps", "Small number added before dividing, against a division by 0.", 1e-8)
_AMSGRAD = _bool("amsgrad", "Divide by the largest square so far, so that steps never grow again.")
_MOMENTUM_DECAY = _float(
    "momentum_decay", "How soon the momentum has its full share: the larger, the sooner.", 4e-3
)
_SHRINK = "Share (times lr) by which weights shrink each step."

OPTIMIZERS: dict[str, Optimizer] = {
    o.name: o
    for o in (
        Optimizer(
            "SGD",
            "Step against the gradient, with momentum if wanted.",
            1e-3,
            (
                _float("momentum", "Share of the last step that is kept.", 0.0, 1.0),
                _float("dampening", "Share of the gradient left out of the momentum.", 0.0, 1.0),
                _decay(),
                _bool(
                    "nesterov",
                    "Take the gradient as if the momentum had moved the weights already.",
                ),
                _MAXIMIZE,
            ),
            fused=True,
        ),
        Optimizer(
            "Adam",
            "Step scaled by running mean and square of the gradient.",
            1e-3,
            (_BETAS, _EPS, _decay(), _AMSGRAD, _MAXIMIZE, _DECOUPLED),
            fused=True,
            paper="https://arxiv.org/abs/1412.6980",
        ),
        Optimizer(
            "AdamW",
            "Adam with weight decay apart from the gradient.",
            1e-3,
            (_BETAS, _EPS, _decay(0.01, _SHRINK), _AMSGRAD, _MAXIMIZE),
            fused=True,
            paper="https://arxiv.org/abs/1711.05101",
        ),
        Optimizer(
            "NAdam",
            "Adam with Nesterov momentum.",
            2e-3,
            (_BETAS, _EPS, _decay(), _MOMENTUM_DECAY, _DECOUPLED, _MAXIMIZE),
            paper="https://openreview.net/forum?id=OM0jvwB8jIp57ZJjtNEZ",
        ),
        Optimizer(
            "RAdam",
            "Adam whose first steps are corrected for the small sample.",
            1e-3,
            (_BETAS, _EPS, _decay(), _DECOUPLED, _MAXIMIZE),
            paper="https://arxiv.org/abs/1908.03265",
        ),
        Optimizer(
            "Adamax",
            "Adam with the largest gradient in place of the square.",
            2e-3,
            (_BETAS, _EPS, _decay(), _MAXIMIZE),
            paper="https://arxiv.org/abs/1412.6980",
        ),
        Optimizer(
            "Adagrad",
            "Steps shrink with the sum of squared gradients.",
            1e-2,
            (
                _float(
                    "lr_decay",
                    "How fast the rate falls: after n steps it is divided by 1 + n times this.",
                    0.0,
                ),
                _decay(),
                _float(
                    "initial_accumulator_value",
                    "Where the sum of squares starts: the larger, the smaller the first steps.",
                    0.0,
                ),
                _float("eps", _EPS.help, 1e-10),
                _MAXIMIZE,
            ),  # torch 2.11 has its fused kernel for processors only
            paper="https://jmlr.org/papers/v12/duchi11a.html",
        ),
        Optimizer(
            "Adadelta",
            "Adagrad with a window; the step size finds itself.",
            1.0,
            (
                _float("rho", "Share of the running squares that stays each step.", 0.9, 1.0),
                _float("eps", _EPS.help, 1e-6),
                _decay(),
                _MAXIMIZE,
            ),
            paper="https://arxiv.org/abs/1212.5701",
        ),
        Optimizer(
            "Adafactor",
            "Adam with squares kept per row and column only: little memory.",
            1e-2,
            (
                Setting(
                    "beta2_decay",
                    "float",
                    "How fast the running square forgets: the more "
                    "below 0, the longer it looks back.",
                    default=-0.8,
                    high=0.0,
                ),
                Setting(
                    "d",
                    "float",
                    "Largest size of an update, relative to the weights.",
                    default=1.0,
                    low=1.0,
                ),
                _decay(0.0, _SHRINK),
                _MAXIMIZE,
            ),
            paper="https://arxiv.org/abs/1804.04235",
        ),
        Optimizer(
            "RMSprop",
            "Step divided by the running size of the gradient.",
            1e-2,
            (
                _float("alpha", "Share of the running square that stays each step.", 0.99, 1.0),
                _EPS,
                _decay(),
                _float("momentum", "Share of the last step that is kept.", 0.0, 1.0),
                _bool("centered", "Divide by how much the gradient varies instead of by its size."),
                _MAXIMIZE,
            ),
            paper="https://arxiv.org/abs/1308.0850",
        ),
        Optimizer(
            "Rprop",
            "Only the gradient's sign counts; meant for full batches.",
            1e-2,
            (
                _pair(
                    "etas",
                    "Factors by which a step shrinks when the sign turns, and grows when it stays.",
                    (0.5, 1.2),
                ),
                _pair("step_sizes", "Smallest and largest step.", (1e-6, 50.0)),
                _MAXIMIZE,
            ),
        ),
        Optimizer(
            "ASGD",
            "Gradient descent that also averages the weights.",
            1e-2,
            (
                _float(
                    "lambd",
                    "How fast steps get smaller; weights shrink by this share too, times lr.",
                    1e-4,
                ),
                _float("alpha", "How fast the rate falls: a power, 0 for not at all.", 0.75),
                _float("t0", "Step at which averaging starts.", 1e6),
                _decay(),
                _MAXIMIZE,
            ),
            paper="https://doi.org/10.1137/0330046",
        ),
        Optimizer(
            "Muon",
            "Momentum made orthogonal, for matrices; AdamW steps the other weights.",
            1e-3,
            (
                _decay(0.1, _SHRINK),
                _float("momentum", "Share of the last step that is kept.", 0.95, 1.0),
                _bool(
                    "nesterov",
                    "Take the gradient as if the momentum had moved the weights already.",
                    True,
                ),
                _float("eps", _EPS.help, 1e-7),
                Setting(
                    "ns_steps",
                    "int",
                    "Rounds that make the momentum orthogonal (Newton-Schulz): more are slower.",
                    default=5,
                    low=1,
                    high=99,
                ),
            ),
            matrices=True,
            paper="https://kellerjordan.github.io/posts/muon/",
        ),
    )
}

EXCLUDED = {
    "LBFGS": "asks for the loss several times in one step",
    "SparseAdam": "steps on sparse gradients only",
}
"""Classes of torch.optim that are not offered, and why."""
