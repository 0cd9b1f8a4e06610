"""The losses a network can be trained with: torch's names, torch's settings, torch's defaults."""

from dataclasses import dataclass

from blocks.spec import Setting

TASKS = ("classification", "regression", "image", "segmentation")
"""What the targets are: classes; one number; a clean image; a mask of the image's pixels."""


@dataclass(frozen=True)
class Loss:
    """A loss of torch.nn. `tasks`: the targets it can be computed against."""

    name: str
    summary: str
    tasks: tuple[str, ...]
    settings: tuple[Setting, ...] = ()
    formula: str = ""


def _number(name: str, text: str, default: float, low: float, high: float | None = None) -> Setting:
    return Setting(name, "float", text, default=default, low=low, high=high)


_SMOOTH = _number(
    "label_smoothing", "Share of the target spread evenly over all classes.", 0.0, 0.0, 1.0
)
_IGNORE = Setting(
    "ignore_index", "int", "Class number that does not count in the loss.", default=-100
)
_VALUES = ("regression", "image", "segmentation")

LOSSES: dict[str, Loss] = {
    loss.name: loss
    for loss in (
        Loss(
            "CrossEntropyLoss",
            "Minus the logarithm of the probability that the logits give to the right class.",
            ("classification", "segmentation"),
            (_SMOOTH, _IGNORE),
            r"-\log \frac{e^{x_y}}{\sum_c e^{x_c}}",
        ),
        Loss(
            "NLLLoss",
            "Minus the log-probability of the right class; the network ends in LogSoftmax.",
            ("classification", "segmentation"),
            (_IGNORE,),
            r"-x_y",
        ),
        Loss(
            "MultiMarginLoss",
            "Hinge loss: the right class must lead every other class by the margin.",
            ("classification",),
            (
                Setting("p", "int", "Power of the hinge: 1 or 2.", default=1, low=1, high=2),
                _number("margin", "Lead that is wanted.", 1.0, 0.0),
            ),
            r"\frac{1}{C}\sum_{c \ne y} \max(0, m - x_y + x_c)^p",
        ),
        Loss("MSELoss", "Mean of the squared errors.", _VALUES, formula=r"\overline{(x - y)^2}"),
        Loss("L1Loss", "Mean of the absolute errors.", _VALUES, formula=r"\overline{|x - y|}"),
        Loss(
            "SmoothL1Loss",
            "Squared error below beta, absolute error above.",
            _VALUES,
            (_number("beta", "Error at which the square turns into a line.", 1.0, 0.0),),
            r"\tfrac{1}{2}(x-y)^2/\beta \;\text{or}\; |x-y| - \beta/2",
        ),
        Loss(
            "HuberLoss",
            "Squared error below delta, absolute error (times delta) above.",
            _VALUES,
            (_number("delta", "Error at which the square turns into a line.", 1.0, 1e-12),),
            r"\tfrac{1}{2}(x-y)^2 \;\text{or}\; \delta(|x-y| - \delta/2)",
        ),
        Loss(
            "BCEWithLogitsLoss",
            "Binary cross entropy on logits: yes or no for each number.",
            ("classification", "image", "segmentation"),
            formula=r"-y \log \sigma(x) - (1-y) \log(1 - \sigma(x))",
        ),
        Loss(
            "BCELoss",
            "Binary cross entropy on probabilities; the network ends in Sigmoid.",
            ("classification", "image", "segmentation"),
            formula=r"-y \log x - (1-y) \log(1 - x)",
        ),
    )
}
