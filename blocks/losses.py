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
    "reduction",
    "choice",
    "How the losses are reduced: to their mean, their sum, or not at all.",
    default="mean",
    choices=("mean", "sum", "none"),
)
PAIR = (
    Port("input", dtype="float", help="The prediction."),
    Port("target", dtype="float", help="The target."),
)


def tensor_of(text: str) -> str:
    """Write a list of numbers as a tensor of floats."""
    whole = not any(sign in text for sign in ".e")
    return f"torch.tensor({text}{', dtype=torch.float32' * whole})"


def weights(name: str, about: str) -> Setting:
    """Declare numbers that torch takes as a tensor."""
    return Setting(
        name,
        "text",
        f"{about} Written as [0.2, 0.8]; leave empty for equal weights.",
        default=None,
        optional=True,
        pattern=rf"[\[\] ,]*(?:{NUMBER}[\[\] ,]*){{1,4096}}",
        bare=tensor_of,
    )


def number(name: str, about: str, default: float, **more: Any) -> Setting:
    """Declare a setting that is a number."""
    return Setting(name, "float", about, default=default, **more)


def loss(
    name: str,
    summary: str,
    formula: str,
    *settings: Setting,
    ports: tuple[Port, ...] = PAIR,
    checks: tuple[Check, ...] = (),
    **more: Any,
) -> Block:
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
IGNORE = Setting("ignore_index", "int", "Class to ignore.", default=-100)
OF_CLASSES = weights("weight", "Weight of each class.")
OF_LABELS = weights("weight", "Weight of each label.")
OF_VALUES = weights("weight", "Weight of each value.")

add(
    loss(
        "L1Loss",
        "Mean absolute difference.",
        r"l = |x - y|",
        REDUCTION,
        ports=WHOLE,
        checks=(no_yes_or_no,),
    ),
    loss("MSELoss", "Mean squared difference.", r"l = (x - y)^2", REDUCTION, ports=WHOLE),
    loss(
        "SmoothL1Loss",
        "Squared difference near zero, absolute further out.",
        r"l = \min(\tfrac{(x - y)^2}{2\beta}, |x - y| - \tfrac{\beta}{2})",
        REDUCTION,
        number("beta", "Difference at which the curve changes.", 1.0, low=0),
        ports=WHOLE,
        checks=(no_yes_or_no,),
    ),
    loss(
        "HuberLoss",
        "Squared difference near zero, a straight line further out.",
        r"l = \min(\tfrac{(x - y)^2}{2}, \delta(|x - y| - \tfrac{\delta}{2}))",
        REDUCTION,
        number("delta", "Difference at which the curve changes.", 1.0, low=1e-6),
        checks=(same_floats,),
    ),
    loss(
        "CrossEntropyLoss",
        "Cross-entropy between class scores and the target class.",
        r"l = -\ln \mathrm{softmax}(x)_y",
        OF_CLASSES,
        IGNORE,
        REDUCTION,
        number(
            "label_smoothing",
            "Probability that is divided equally among all classes.",
            0.0,
            low=0,
            high=1,
        ),
        ports=WHOLE,
        checks=(classes_or_shares_fit, weights_fit("weight")),
    ),
    loss(
        "NLLLoss",
        "Negative log probability of the target class.",
        r"l = -x_y",
        OF_CLASSES,
        IGNORE,
        REDUCTION,
        ports=CLASSES,
        checks=(classes_fit, weights_fit("weight")),
    ),
    loss(
        "BCELoss",
        "Binary cross-entropy between probabilities and targets of 0 and 1.",
        r"l = -y \ln x - (1 - y)\ln(1 - x)",
        OF_VALUES,
        REDUCTION,
        checks=(same_floats, weights_fit("weight")),
    ),
    loss(
        "BCEWithLogitsLoss",
        "BCELoss of scores; includes the sigmoid.",
        r"l = -y \ln \sigma(x) - (1 - y)\ln(1 - \sigma(x))",
        OF_VALUES,
        REDUCTION,
        weights("pos_weight", "Weight of positive targets, for each label."),
        checks=(same_floats, weights_fit("weight", "pos_weight")),
    ),
    loss(
        "KLDivLoss",
        "Kullback-Leibler divergence of two distributions, from log probabilities.",
        r"l = y (\ln y - x)",
        Setting(
            "reduction",
            "choice",
            "How the losses are reduced.",
            default="mean",
            choices=("mean", "batchmean", "sum", "none"),
        ),
        flag("log_target", "The target holds log probabilities too.", False),
    ),
    loss(
        "PoissonNLLLoss",
        "For counts: their negative log likelihood under a Poisson distribution.",
        r"l = e^x - y x",
        flag("log_input", "The input is the logarithm of the rate.", True),
        flag("full", "Add the term that does not depend on the input.", False),
        number("eps", "Small number for numerical stability.", 1e-8, low=0),
        REDUCTION,
        ports=WHOLE,
    ),
    loss(
        "GaussianNLLLoss",
        "Negative log likelihood under a predicted mean and variance.",
        r"l = \tfrac{1}{2}\left(\ln v + \tfrac{(x - y)^2}{v}\right)",
        flag("full", "Add the term that does not depend on the input.", False),
        number("eps", "Smallest variance, for numerical stability.", 1e-6, low=1e-12),
        REDUCTION,
        ports=(
            *WHOLE,
            Port(
                "var",
                dtype="float",
                help="The variance of every value: of the same shape, or one for each row.",
            ),
        ),
        checks=(no_yes_or_no, variance_fits),
        shape_in="three tensors",
    ),
    loss(
        "SoftMarginLoss",
        "For targets -1 and 1: a smooth penalty for the wrong sign.",
        r"l = \ln(1 + e^{-y x})",
        REDUCTION,
        ports=WHOLE,
        checks=(same_floats, no_yes_or_no, target_fits),
    ),
    loss(
        "HingeEmbeddingLoss",
        "For targets -1 and 1: small distances for 1, large for -1.",
        r"l = y = 1\,?\,x : \max(0, m - x)",
        number("margin", "Distance above which there is no loss.", 1.0),
        REDUCTION,
        ports=WHOLE,
    ),
    loss(
        "MultiLabelSoftMarginLoss",
        "Mean binary cross-entropy over several labels.",
        r"l = -\sum_i y_i \ln \sigma(x_i) + (1 - y_i)\ln \sigma(-x_i)",
        OF_LABELS,
        REDUCTION,
        ports=WHOLE,
        checks=(no_yes_or_no, weights_fit("weight")),
    ),
    loss(
        "MultiLabelMarginLoss",
        "Every target class should score higher than every other class, by a margin.",
        r"l = \tfrac{1}{C}\sum_{j \in y,\, i \notin y} \max(0, 1 - x_j + x_i)",
        REDUCTION,
        ports=(
            CLASSES[0],
            Port(
                "target",
                dtype="int",
                help="Indices of the target classes, then -1; its length is the number of classes.",
            ),
        ),
        checks=(labels_fit,),
        real=True,
    ),
    loss(
        "MultiMarginLoss",
        "The target class should score higher than the others, by a margin.",
        r"l = \sum_i \max(0, m - x_y + x_i)^p",
        Setting("p", "int", "Exponent of the missing margin.", default=1, low=1, high=2),
        number("margin", "Margin by which it should be higher.", 1.0),
        OF_CLASSES,
        REDUCTION,
        ports=CLASSES,
        checks=(weights_fit("weight"),),
    ),
    loss(
        "MarginRankingLoss",
        "One score should be higher than another, by a margin.",
        r"l = \max(0, -y (a - b) + m)",
        number("margin", "Margin by which it should be higher.", 0.0),
        REDUCTION,
        ports=ports("input1 input2 target", input1="float", input2="float"),
    ),
    loss(
        "CosineEmbeddingLoss",
        "Two vectors should point in the same direction, or not.",
        r"l = y = 1\,?\,1 - \cos(a, b) : \max(0, \cos(a, b) - m)",
        number(
            "margin", "Similarity below which there is no loss for target -1.", 0.0, low=-1, high=1
        ),
        REDUCTION,
        ports=ports("input1 input2 target", input1="float", input2="float"),
    ),
    loss(
        "TripletMarginLoss",
        "An anchor should be closer to a positive than to a negative, by a margin.",
        r"l = \max(0, d(a, p) - d(a, n) + m)",
        number("margin", "Margin by which it should be closer.", 1.0, low=1e-6),
        number("p", "Order p of the norm.", 2.0),
        number("eps", "Small number for numerical stability.", 1e-6),
        flag("swap", "Use the distance from positive to negative if it is smaller.", False),
        REDUCTION,
        ports=ports("anchor positive negative", anchor="float", positive="float", negative="float"),
    ),
    loss(
        "CTCLoss",
        "Negative log likelihood of a shorter target sequence under scores at every step.",
        r"l = -\ln \sum_{a \to y} \prod_t p_t(a_t)",
        Setting("blank", "int", "Index of the blank class.", default=0, low=0),
        REDUCTION,
        flag(
            "zero_infinity",
            "Set the loss of a target longer than its input to 0, not infinity.",
            False,
        ),
        ports=(
            Port(
                "log_probs",
                rank=(3,),
                dtype="float",
                form="(T, N, C)",
                help="Log probabilities of every class at every step, the steps first.",
            ),
            Port(
                "targets",
                rank=(2,),
                form="(N, S)",
                dtype="int",
                help="The target classes of every sample, without the blank.",
            ),
            Port(
                "input_lengths",
                rank=(1,),
                form="(N,)",
                dtype="int",
                help="Number of steps of every sample.",
            ),
            Port(
                "target_lengths",
                rank=(1,),
                form="(N,)",
                dtype="int",
                help="Number of target classes of every sample.",
            ),
        ),
        checks=(lengths_fit,),
        shape_in="log_probs (T, N, C), targets (N, S), lengths (N,)",
        paper="Graves, Fernandez, Gomez, Schmidhuber. Connectionist temporal classification. 2006",
        real=True,
    ),
    loss(
        "LinearCrossEntropyLoss",
        "Linear and CrossEntropyLoss in one, calculated in chunks if needed.",
        r"l = -\ln \mathrm{softmax}(W x + b)_y",
        Setting(
            "in_features",
            "int",
            "Number of features of a sample.",
            low=1,
            positional=True,
            infer=Infer("input", -1),
        ),
        Setting("num_classes", "int", "Number of classes.", start=10, low=1, positional=True),
        Setting(
            "out_features",
            "dims",
            "Further sizes of the target after the batch.",
            default=(),
            low=1,
        ),
        flag("bias", "Add a learned constant for every class.", False),
        REDUCTION,
        OF_CLASSES,
        Setting(
            "ignore_index",
            "int",
            "Class to ignore; leave empty for none.",
            default=None,
            optional=True,
        ),
        number(
            "label_smoothing",
            "Probability that is divided equally among all classes.",
            0.0,
            low=0,
            high=1,
        ),
        Setting(
            "options",
            "text",
            "How to calculate in chunks, for many classes, such as "
            "batch_chunk_size=256; leave empty for all at once.",
            default=None,
            optional=True,
            pattern=OPTIONS,
            bare="nn.LinearCrossEntropyOptions({})".format,
        ),
        ports=(Port("input", rank=(2,), dtype="float", form="(N, in_features)"), WHOLE[1]),
        checks=(linear_target_fits, weights_fit("weight", classes="num_classes")),
        writes=("torch.tensor", "nn.LinearCrossEntropyOptions"),
        since="2.15",
    ),
)
