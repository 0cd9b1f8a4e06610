"""The losses that tasks share: torch's names, torch's settings, torch's defaults.

A loss of one task alone stands with it; `core.tasks.registry.LOSSES` has all of them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from blocks.spec import Setting

Trait = Literal[
    "scores", "per_class", "log_probabilities", "probabilities", "counts", "variance",
    "no_target", "rare_classes", "teachable",
]  # fmt: skip
"""What may be true of a loss.

scores: it reads any number. per_class: it reads a score for each class. log_probabilities,
probabilities: it reads these, and nothing else. counts: targets are counts, and outputs may be
logarithms of their rate. variance: its second Output is the variance of the first. no_target: it
compares Outputs with each other alone. rare_classes: rare classes count more in it. teachable: its
outputs may also be held against those of a teacher.
"""


@dataclass(frozen=True)
class Loss:
    """A loss of torch.nn, or one that torch has not. Which targets it suits, their tasks say.

    outputs: how many Outputs it reads: vectors, or a mean and its variance. logits: whether a yes
    is an output above 0, and not a probability above a half. inside: the trait of blocks whose
    work it does itself, so that none of them should come before it. after: the block that has to,
    and its settings; instead: the loss that does the work of this block itself. module: names the
    class of one that torch has not, "module:Class": an nn.Module with a `reduction` as torch's
    have, which checks the shapes that it is given, needs torch and nn alone, and stands word for
    word in training scripts.
    """

    name: str
    summary: str
    settings: tuple[Setting, ...] = ()
    formula: str = ""
    outputs: int = 1
    logits: bool = False
    inside: str = ""
    after: tuple[str, Mapping[str, int]] | None = None
    instead: str = ""
    module: str = ""
    traits: frozenset[Trait] = frozenset()


def _number(name: str, text: str, default: float, low: float, high: float | None = None) -> Setting:
    return Setting(name, "float", text, default=default, low=low, high=high)


_SMOOTH = _number(
    "label_smoothing", "Share of the target divided evenly among all classes.", 0.0, 0.0, 1.0
)
_IGNORE = Setting("ignore_index", "int", "Class index that the loss ignores.", default=-100)
_YES = Setting(
    "pos_weight",
    "float",
    "Weight of positive targets, for data with few of them; empty weighs them like negative ones. "
    "A list has one number for each label.",
    default=None,
    low=0.0,
    optional=True,
    several=True,
)
CROSS_ENTROPY = "CrossEntropyLoss"
"""The usual loss of a score for each class."""
ONE_OUTPUT = "BCEWithLogitsLoss"
"""The usual loss of one output for two classes."""
_MARGIN = "Least distance between samples of different classes."

EXCLUDED = {
    "MultiLabelMarginLoss": "only ranks the labels: it does not change when all scores rise "
    "together, so no score shows whether a label is present",
}
"""Losses of torch for targets that there are, and why none of them is trained with."""
TENSORS = ("pos_weight",)
"""Settings that torch takes as a tensor, and that are written here as one number or several."""


def _traits(*names: Trait) -> frozenset[Trait]:
    return frozenset(names)


COMMON: dict[str, Loss] = {
    loss.name: loss
    for loss in (
        Loss(
            "CrossEntropyLoss",
            "Minus the logarithm of the probability that the logits give to the right class.",
            (_SMOOTH, _IGNORE),
            r"-\log \frac{e^{x_y}}{\sum_c e^{x_c}}",
            inside="softmax",
            traits=_traits("scores", "per_class", "teachable"),
        ),
        Loss(
            "NLLLoss",
            "Minus the log-probability of the right class; the network ends in LogSoftmax.",
            (_IGNORE,),
            r"-x_y",
            after=("LogSoftmax", {"dim": 1}),
            instead="CrossEntropyLoss",
            traits=_traits("per_class", "log_probabilities", "teachable"),
        ),
        Loss(
            "FocalLoss",
            "Cross entropy with less weight on samples that are already predicted confidently and "
            "correctly, so that rare and hard samples count more (Lin et al., 2017).",
            (
                _number("gamma", "Strength of this effect; 0 is cross entropy.", 2.0, 0.0),
                _IGNORE,
            ),
            r"-(1 - p_y)^\gamma \log p_y",
            inside="softmax",
            module="core.tasks.focal_loss:FocalLoss",
            traits=_traits("scores", "per_class", "rare_classes"),
        ),
        Loss(
            "MultiMarginLoss",
            "Hinge loss: the right class must lead every other class by the margin.",
            (
                Setting("p", "int", "Power of the hinge: 1 or 2.", default=1, low=1, high=2),
                _number(
                    "margin",
                    "Lead of the right class over every other that the loss asks for.",
                    1.0,
                    0.0,
                ),
            ),
            r"\frac{1}{C}\sum_{c \ne y} \max(0, m - x_y + x_c)^p",
            traits=_traits("scores", "per_class"),
        ),
        Loss(
            "MSELoss",
            "Mean of the squared errors.",
            formula=r"\overline{(x - y)^2}",
        ),
        Loss("L1Loss", "Mean of the absolute errors.", formula=r"\overline{|x - y|}"),
        Loss(
            "SmoothL1Loss",
            "Squared error below beta, absolute error above.",
            (_number("beta", "Error at which the square turns into a line.", 1.0, 0.0),),
            r"\tfrac{1}{2}(x-y)^2/\beta \;\text{or}\; |x-y| - \beta/2",
        ),
        Loss(
            "HuberLoss",
            "Squared error below delta, absolute error (times delta) above.",
            (_number("delta", "Error at which the square turns into a line.", 1.0, 1e-12),),
            r"\tfrac{1}{2}(x-y)^2 \;\text{or}\; \delta(|x-y| - \delta/2)",
        ),
        Loss(
            "PoissonNLLLoss",
            "For counts: their negative log-likelihood under a Poisson distribution; the network "
            "outputs the logarithm of the rate.",
            (
                Setting(
                    "log_input",
                    "bool",
                    "The network outputs the logarithm of the rate, not the rate itself.",
                    default=True,
                ),
                Setting(
                    "full",
                    "bool",
                    "Add Stirling's approximation of the term that does not depend on the network.",
                    default=False,
                ),
                _number("eps", "Added to the rate before its logarithm.", 1e-8, 1e-30),
            ),
            r"e^{x} - y x",
            traits=_traits("counts"),
        ),
        Loss(
            "GaussianNLLLoss",
            "Negative log-likelihood of the value under a normal distribution: one Output is its "
            "mean, another its variance, which ends in Softplus.",
            (
                Setting(
                    "full",
                    "bool",
                    "Add half the logarithm of two pi, which does not depend on the network.",
                    default=False,
                ),
                _number("eps", "Smallest variance; a smaller one is raised to it.", 1e-6, 1e-30),
            ),
            r"\tfrac{1}{2}\left(\log v + (x - y)^2/v\right)",
            outputs=2,
            traits=_traits("variance"),
        ),
        Loss(
            "BCEWithLogitsLoss",
            "Binary cross entropy on logits: yes or no for each number.",
            (_YES,),
            r"-y \log \sigma(x) - (1-y) \log(1 - \sigma(x))",
            logits=True,
            inside="sigmoid",
            traits=_traits("scores"),
        ),
        Loss(
            "BCELoss",
            "Binary cross entropy on probabilities; the network ends in Sigmoid.",
            formula=r"-y \log x - (1-y) \log(1 - x)",
            after=("Sigmoid", {}),
            instead="BCEWithLogitsLoss",
            traits=_traits("probabilities"),
        ),
        Loss(
            "MultiLabelSoftMarginLoss",
            "Binary cross entropy on logits, averaged over the labels of a sample.",
            logits=True,
            traits=_traits("scores"),
        ),
        Loss(
            "CTCLoss",
            "Minus the logarithm of the probability of a sequence, over all ways to align it with "
            "the steps (connectionist temporal classification); class 0 is the blank, and the "
            "network ends in LogSoftmax.",
            (
                Setting(
                    "zero_infinity",
                    "bool",
                    "Count a sequence that is too long for the steps as 0, not as infinite.",
                    default=False,
                ),
            ),
            r"-\log \sum_{\pi \in B^{-1}(y)} \prod_t e^{x_{t, \pi_t}}",
            after=("LogSoftmax", {"dim": 2}),
            traits=_traits("log_probabilities"),
        ),
        Loss(
            "HingeEmbeddingLoss",
            "The distance for two samples of one class; for others, how far it falls short of the "
            "margin.",
            (_number("margin", _MARGIN, 1.0, 0.0),),
            r"d \;\text{or}\; \max(0, m - d)",
        ),
        Loss(
            "CosineEmbeddingLoss",
            "Vectors of one class should point in the same direction, others should not.",
            (
                _number(
                    "margin", "Largest cosine similarity of two classes without a loss.", 0.0, -1, 1
                ),
            ),
            r"1 - \cos(a, b) \;\text{or}\; \max(0, \cos(a, b) - m)",
            outputs=2,
        ),
        Loss(
            "TripletMarginLoss",
            "Samples of another class should be farther from the anchor than those of its class, "
            "by the margin.",
            (_number("margin", _MARGIN, 1.0, 1e-12),),
            r"\max(0, d(a, p) - d(a, n) + m)",
            outputs=3,
            traits=_traits("no_target"),
        ),
    )
}

ERRORS = ("MSELoss", "L1Loss", "SmoothL1Loss", "HuberLoss")
"""Losses of numbers, the usual one first."""
SCORES = ("CrossEntropyLoss", "NLLLoss", "FocalLoss")
"""Losses of scores for each class."""
ONE_OF_TWO = ("BCEWithLogitsLoss", "BCELoss")
"""Losses of one number for yes or no."""
PER_CLASS = tuple(name for name, loss in COMMON.items() if "per_class" in loss.traits)
"""Losses that read a score for each class."""
