"""Losses as blocks: for graphs that compute their own; training has its loss in its settings."""

from typing import Any

from blocks.checks.floats import same_floats
from blocks.checks.targets import classes_fit, classes_or_shares_fit, target_fits
from blocks.shared import NN, flag
from blocks.spec import Block, Check, Port, Setting, add

REDUCTION = Setting(
    "reduction", "choice", "What happens to the losses: their mean, their sum, or nothing.",
    default="mean", choices=("mean", "sum", "none"),
)  # fmt: skip
PAIR = (
    Port("input", dtype="float", help="What the network says."),
    Port("target", dtype="float", help="What is right."),
)


def number(name: str, about: str, default: float, **more: Any) -> Setting:
    """Declare a setting that is a number."""
    return Setting(name, "float", about, default=default, **more)


def loss(
    name: str, summary: str, formula: str, *settings: Setting, ports: tuple[Port, ...] = PAIR,
    checks: tuple[Check, ...] = (),
) -> Block:  # fmt: skip
    """Declare a loss, with its settings in torch's order (reduction goes where it is given)."""
    return Block(
        name,
        family="loss",
        summary=summary,
        inputs=ports,
        settings=settings,
        init=f"nn.{name}",
        shape_in="two tensors",
        shape_out="one number, or one for each",
        formula=formula,
        reference=f"{NN}{name}.html",
        keywords=("loss", "objective", "cost", "error"),
        checks=checks,
    )


def ports(text: str, **dtypes: str) -> tuple[Port, ...]:
    """Declare ports by name, with the dtypes that are not free."""
    kinds: dict[str, Any] = dtypes
    return tuple(Port(name, dtype=kinds.get(name, "any")) for name in text.split())


CLASSES = ports("input target", input="float", target="int")
SCORES = ports("input target", input="float")
IGNORE = Setting("ignore_index", "int", "Class number that does not count.", default=-100)

add(
    loss("L1Loss", "Mean absolute difference.", r"l = |x - y|", REDUCTION),
    loss("MSELoss", "Mean squared difference.", r"l = (x - y)^2", REDUCTION),
    loss("SmoothL1Loss", "Squared difference near zero, absolute further out.",
         r"l = \min(\tfrac{(x - y)^2}{2\beta}, |x - y| - \tfrac{\beta}{2})", REDUCTION,
         number("beta", "Where the curve changes.", 1.0, low=0)),
    loss("HuberLoss", "Squared difference near zero, a straight line further out.",
         r"l = \min(\tfrac{(x - y)^2}{2}, \delta(|x - y| - \tfrac{\delta}{2}))", REDUCTION,
         number("delta", "Where the curve changes.", 1.0, low=1e-6), checks=(same_floats,)),
    loss("CrossEntropyLoss", "How surprised class scores are by the right class.",
         r"l = -\ln \mathrm{softmax}(x)_y", IGNORE, REDUCTION,
         number("label_smoothing", "Share given to all classes alike.", 0.0, low=0, high=1),
         ports=SCORES, checks=(classes_or_shares_fit,)),
    loss("NLLLoss", "How surprised log probabilities are by the right class.", r"l = -x_y",
         IGNORE, REDUCTION, ports=CLASSES, checks=(classes_fit,)),
    loss("BCELoss", "How surprised probabilities are by zeros and ones.",
         r"l = -y \ln x - (1 - y)\ln(1 - x)", REDUCTION, checks=(same_floats,)),
    loss("BCEWithLogitsLoss", "BCELoss of scores, with the sigmoid inside.",
         r"l = -y \ln \sigma(x) - (1 - y)\ln(1 - \sigma(x))", REDUCTION,
         checks=(same_floats,)),
    loss("KLDivLoss", "How far one distribution is from another, from log probabilities.",
         r"l = y (\ln y - x)",
         Setting("reduction", "choice", "What happens to the losses.", default="mean",
                 choices=("mean", "batchmean", "sum", "none")),
         flag("log_target", "The target holds log probabilities too.", False)),
    loss("PoissonNLLLoss", "For counts: how surprised a rate is by them.",
         r"l = e^x - y x",
         flag("log_input", "The input is the logarithm of the rate.", True),
         flag("full", "Add the term that does not depend on the input.", False),
         number("eps", "Small number for numerical safety.", 1e-8, low=0), REDUCTION),
    loss("SoftMarginLoss", "For targets -1 and 1: how far on the wrong side.",
         r"l = \ln(1 + e^{-y x})", REDUCTION, checks=(same_floats, target_fits)),
    loss("HingeEmbeddingLoss", "For targets -1 and 1: small distances for 1, large for -1.",
         r"l = y = 1\,?\,x : \max(0, m - x)",
         number("margin", "How large is large enough.", 1.0), REDUCTION),
    loss("MultiLabelSoftMarginLoss", "For several labels at once.",
         r"l = -\sum_i y_i \ln \sigma(x_i) + (1 - y_i)\ln \sigma(-x_i)", REDUCTION),
    loss("MultiMarginLoss", "The right class should win by a margin.",
         r"l = \sum_i \max(0, m - x_y + x_i)^p",
         Setting("p", "int", "Power of what is missing.", default=1, low=1, high=2),
         number("margin", "How far it should win.", 1.0), REDUCTION, ports=CLASSES),
    loss("MarginRankingLoss", "One score should lie above another, by a margin.",
         r"l = \max(0, -y (a - b) + m)", number("margin", "How far above it lies.", 0.0), REDUCTION,
         ports=ports("input1 input2 target", input1="float", input2="float", target="float")),
    loss("CosineEmbeddingLoss", "Vectors should point the same way, or not.",
         r"l = y = 1\,?\,1 - \cos(a, b) : \max(0, \cos(a, b) - m)",
         number("margin", "How alike is alike enough.", 0.0, low=-1, high=1), REDUCTION,
         ports=ports("input1 input2 target", input1="float", input2="float")),
    loss("TripletMarginLoss", "An anchor should be nearer to its like than to others.",
         r"l = \max(0, d(a, p) - d(a, n) + m)",
         number("margin", "How much nearer.", 1.0, low=1e-6),
         number("p", "The p of the norm.", 2.0),
         number("eps", "Small number for numerical safety.", 1e-6),
         flag("swap", "Measure the other like from the positive where that is nearer.", False),
         REDUCTION, ports=ports("anchor positive negative", anchor="float", positive="float",
                     negative="float")),
)  # fmt: skip
