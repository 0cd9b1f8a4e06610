"""Losses as blocks: for graphs that compute their own; training has its loss in its settings."""

from typing import Any

from blocks.checks.floats import same_floats
from blocks.checks.targets import (
    classes_fit,
    classes_or_shares_fit,
    labels_fit,
    lengths_fit,
    linear_target_fits,
    no_yes_or_no,
    target_fits,
    variance_fits,
    weights_fit,
)
from blocks.constants import NUMBER
from blocks.shared import NN, flag
from blocks.spec import Block, Check, Infer, Port, Setting, add

REDUCTION = Setting(
    "reduction", "choice", "What happens to the losses: their mean, their sum, or nothing.",
    default="mean", choices=("mean", "sum", "none"),
)  # fmt: skip
PAIR = (
    Port("input", dtype="float", help="What the network says."),
    Port("target", dtype="float", help="What is right."),
)


def tensor_of(text: str) -> str:
    """Write a list of numbers as a tensor of floats."""
    whole = not any(sign in text for sign in ".e")
    return f"torch.tensor({text}{', dtype=torch.float32' * whole})"


def weights(name: str, about: str) -> Setting:
    """Declare numbers that torch takes as a tensor."""
    return Setting(
        name, "text", f"{about} Written as [0.2, 0.8]; nothing for all alike.",
        default=None, optional=True, pattern=rf"[\[\] ,]*(?:{NUMBER}[\[\] ,]*){{1,4096}}",
        bare=tensor_of,
    )  # fmt: skip


def number(name: str, about: str, default: float, **more: Any) -> Setting:
    """Declare a setting that is a number."""
    return Setting(name, "float", about, default=default, **more)


def loss(
    name: str, summary: str, formula: str, *settings: Setting, ports: tuple[Port, ...] = PAIR,
    checks: tuple[Check, ...] = (), **more: Any,
) -> Block:  # fmt: skip
    """Declare a loss, with its settings in torch's order (reduction goes where it is given)."""
    declared: dict[str, Any] = {"shape_in": "two tensors", "writes": ("torch.tensor",), **more}
    return Block(
        name,
        family="loss",
        summary=summary,
        inputs=ports,
        settings=settings,
        init=f"nn.{name}",
        shape_out="one number, or one for each",
        formula=formula,
        reference=f"{NN}{name}.html",
        keywords=("loss", "objective", "cost", "error"),
        checks=checks,
        **declared,
    )


def ports(text: str, **dtypes: str) -> tuple[Port, ...]:
    """Declare ports by name, with the dtypes that are not free."""
    kinds: dict[str, Any] = dtypes
    return tuple(Port(name, dtype=kinds.get(name, "any")) for name in text.split())


CLASSES = ports("input target", input="float", target="int")
OPTION = (
    r"(?:allow_retain_graph=(?:True|False)|batch_chunk_size=[1-9]\d{0,8}|"
    r"chunking_method=(?:None|\"(?:auto|aspect_ratio(?::[1-9]\d{0,5})?)\")|"
    r"acc_policy=\"(?:accurate|compact|auto)\")"
)
OPTIONS = rf"(?:{OPTION}(?:, {OPTION}){{0,3}})?"
WHOLE = ports("input target", input="float")
IGNORE = Setting("ignore_index", "int", "Class number that does not count.", default=-100)
OF_CLASSES = weights("weight", "How much every class counts.")
OF_LABELS = weights("weight", "How much every label counts.")
OF_VALUES = weights("weight", "How much every value counts.")

add(
    loss("L1Loss", "Mean absolute difference.", r"l = |x - y|", REDUCTION,
         ports=WHOLE, checks=(no_yes_or_no,)),
    loss("MSELoss", "Mean squared difference.", r"l = (x - y)^2", REDUCTION,
         ports=WHOLE),
    loss("SmoothL1Loss", "Squared difference near zero, absolute further out.",
         r"l = \min(\tfrac{(x - y)^2}{2\beta}, |x - y| - \tfrac{\beta}{2})", REDUCTION,
         number("beta", "Where the curve changes.", 1.0, low=0),
         ports=WHOLE, checks=(no_yes_or_no,)),
    loss("HuberLoss", "Squared difference near zero, a straight line further out.",
         r"l = \min(\tfrac{(x - y)^2}{2}, \delta(|x - y| - \tfrac{\delta}{2}))", REDUCTION,
         number("delta", "Where the curve changes.", 1.0, low=1e-6), checks=(same_floats,)),
    loss("CrossEntropyLoss", "How surprised class scores are by the right class.",
         r"l = -\ln \mathrm{softmax}(x)_y", OF_CLASSES, IGNORE, REDUCTION,
         number("label_smoothing", "Share given to all classes alike.", 0.0, low=0, high=1),
         ports=WHOLE, checks=(classes_or_shares_fit, weights_fit("weight"))),
    loss("NLLLoss", "How surprised log probabilities are by the right class.", r"l = -x_y",
         OF_CLASSES, IGNORE, REDUCTION, ports=CLASSES,
         checks=(classes_fit, weights_fit("weight"))),
    loss("BCELoss", "How surprised probabilities are by zeros and ones.",
         r"l = -y \ln x - (1 - y)\ln(1 - x)", OF_VALUES, REDUCTION,
         checks=(same_floats, weights_fit("weight"))),
    loss("BCEWithLogitsLoss", "BCELoss of scores, with the sigmoid inside.",
         r"l = -y \ln \sigma(x) - (1 - y)\ln(1 - \sigma(x))", OF_VALUES, REDUCTION,
         weights("pos_weight", "How much every yes counts, for each label."),
         checks=(same_floats, weights_fit("weight", "pos_weight"))),
    loss("KLDivLoss", "How far one distribution is from another, from log probabilities.",
         r"l = y (\ln y - x)",
         Setting("reduction", "choice", "What happens to the losses.", default="mean",
                 choices=("mean", "batchmean", "sum", "none")),
         flag("log_target", "The target holds log probabilities too.", False)),
    loss("PoissonNLLLoss", "For counts: how surprised a rate is by them.",
         r"l = e^x - y x",
         flag("log_input", "The input is the logarithm of the rate.", True),
         flag("full", "Add the term that does not depend on the input.", False),
         number("eps", "Small number for numerical safety.", 1e-8, low=0), REDUCTION, ports=WHOLE),
    loss("GaussianNLLLoss", "For values with a spread: how surprised a mean and a variance are.",
         r"l = \tfrac{1}{2}\left(\ln v + \tfrac{(x - y)^2}{v}\right)",
         flag("full", "Add the term that does not depend on the input.", False),
         number("eps", "Smallest variance, for numerical safety.", 1e-6, low=1e-12), REDUCTION,
         ports=(*WHOLE, Port("var", dtype="float", help="The variance of every value: of the same "
                             "shape, or one for each row.")),
         checks=(no_yes_or_no, variance_fits), shape_in="three tensors"),
    loss("SoftMarginLoss", "For targets -1 and 1: how far on the wrong side.",
         r"l = \ln(1 + e^{-y x})", REDUCTION, ports=WHOLE,
         checks=(same_floats, no_yes_or_no, target_fits)),
    loss("HingeEmbeddingLoss", "For targets -1 and 1: small distances for 1, large for -1.",
         r"l = y = 1\,?\,x : \max(0, m - x)",
         number("margin", "How large is large enough.", 1.0), REDUCTION, ports=WHOLE),
    loss("MultiLabelSoftMarginLoss", "For several labels at once.",
         r"l = -\sum_i y_i \ln \sigma(x_i) + (1 - y_i)\ln \sigma(-x_i)", OF_LABELS, REDUCTION,
         ports=WHOLE, checks=(no_yes_or_no, weights_fit("weight"))),
    loss("MultiLabelMarginLoss", "Every right class should win over every wrong one.",
         r"l = \tfrac{1}{C}\sum_{j \in y,\, i \notin y} \max(0, 1 - x_j + x_i)", REDUCTION,
         ports=(CLASSES[0], Port("target", dtype="int", help="Numbers of the right classes, then "
                                 "-1: as many places as there are classes.")),
         checks=(labels_fit,), real=True),
    loss("MultiMarginLoss", "The right class should win by a margin.",
         r"l = \sum_i \max(0, m - x_y + x_i)^p",
         Setting("p", "int", "Power of what is missing.", default=1, low=1, high=2),
         number("margin", "How far it should win.", 1.0), OF_CLASSES, REDUCTION, ports=CLASSES,
         checks=(weights_fit("weight"),)),
    loss("MarginRankingLoss", "One score should lie above another, by a margin.",
         r"l = \max(0, -y (a - b) + m)", number("margin", "How far above it lies.", 0.0), REDUCTION,
         ports=ports("input1 input2 target", input1="float", input2="float")),
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
    loss("CTCLoss", "How surprised class scores at every step are by a shorter row of classes.",
         r"l = -\ln \sum_{a \to y} \prod_t p_t(a_t)",
         Setting("blank", "int", "Number of the class that stands for nothing.", default=0, low=0),
         REDUCTION,
         flag("zero_infinity", "Count a row that does not fit into its steps as 0, not infinity.",
              False),
         ports=(Port("log_probs", rank=(3,), dtype="float", form="(T, N, C)",
                     help="Log probabilities of every class at every step, the steps first."),
                Port("targets", rank=(2,), form="(N, S)", dtype="int",
                     help="The classes of every row, none of them the blank."),
                Port("input_lengths", rank=(1,), form="(N,)", dtype="int",
                     help="How many steps every sample has."),
                Port("target_lengths", rank=(1,), form="(N,)", dtype="int",
                     help="How many classes every row has.")),
         checks=(lengths_fit,), shape_in="log_probs (T, N, C), targets (N, S), lengths (N,)",
         paper="Graves, Fernandez, Gomez, Schmidhuber. Connectionist temporal classification. 2006",
         real=True),
    loss("LinearCrossEntropyLoss", "A Linear and CrossEntropyLoss in one, in pieces if need be.",
         r"l = -\ln \mathrm{softmax}(W x + b)_y",
         Setting("in_features", "int", "Number of values of a sample.", low=1, positional=True,
                 infer=Infer("input", -1)),
         Setting("num_classes", "int", "Number of classes.", start=10, low=1, positional=True),
         Setting("out_features", "dims", "Further sizes of the target behind the batch.",
                 default=(), low=1),
         flag("bias", "Add a learned constant for every class.", False),
         REDUCTION, OF_CLASSES,
         Setting("ignore_index", "int", "Class number that does not count; nothing for none.",
                 default=None, optional=True),
         number("label_smoothing", "Share given to all classes alike.", 0.0, low=0, high=1),
         Setting("options", "text", "How to work in pieces, for many classes, such as "
                 "batch_chunk_size=256; nothing for all at once.", default=None, optional=True,
                 pattern=OPTIONS, bare="nn.LinearCrossEntropyOptions({})".format),
         ports=(Port("input", rank=(2,), dtype="float", form="(N, in_features)"), WHOLE[1]),
         checks=(linear_target_fits, weights_fit("weight", classes="num_classes")),
         writes=("torch.tensor", "nn.LinearCrossEntropyOptions"), since="2.15"),
)  # fmt: skip
