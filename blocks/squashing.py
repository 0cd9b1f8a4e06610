"""Activations that squeeze values into a range, make probabilities of them, or gate them."""

from dataclasses import replace

from blocks.activation import activation, number
from blocks.checks.dims import in_range, mixes_batch
from blocks.checks.divide import halves
from blocks.checks.sizes import implicit_dim, ordered
from blocks.shared import FROM_2, floats, inplace
from blocks.spec import Block, Setting, add


def over_dim(name: str, summary: str, formula: str, *words: str) -> Block:
    """Declare an activation that runs along one dimension."""
    dim = Setting(
        "dim",
        "int",
        "Dimension whose values belong together; -1 is the last, 1 the classes.",
        default=None,
        start=-1,
        optional=True,
    )
    block = activation(name, summary, formula, dim, keywords=words)
    return replace(
        block,
        inputs=(floats(rank=FROM_2, form="(N, *)"),),
        checks=(in_range("dim"),),
        warnings=(implicit_dim, mixes_batch("dim", "runs along")),
    )


add(
    activation(
        "Sigmoid",
        "Squeezes every value between 0 and 1, as for a probability.",
        r"y = \frac{1}{1 + e^{-x}}",
        keywords=("logistic", "probability"),
    ),
    activation(
        "LogSigmoid",
        "The logarithm of Sigmoid, computed safely.",
        r"y = \ln\frac{1}{1 + e^{-x}}",
        keywords=("logistic", "log probability"),
    ),
    activation(
        "Hardsigmoid",
        "A form of Sigmoid made of straight pieces.",
        r"y = \min(\max(x + 3, 0), 6) / 6",
        inplace(),
        keywords=("mobilenet",),
    ),
    activation(
        "Tanh",
        "Squeezes every value between -1 and 1.",
        r"y = \tanh(x)",
        keywords=("hyperbolic tangent", "lenet"),
    ),
    replace(
        activation(
            "Hardtanh",
            "Cuts values off below min_val and above max_val.",
            r"y = \min(\max(x, \mathrm{min\_val}), \mathrm{max\_val})",
            number("min_val", "Smallest value let through.", -1.0),
            number("max_val", "Largest value let through.", 1.0),
            inplace(),
            keywords=("clamp", "clip"),
        ),
        checks=(ordered("min_val", "max_val"),),
    ),
    activation(
        "Softplus",
        "A smooth ReLU whose result is always positive.",
        r"y = \frac{1}{\beta} \ln(1 + e^{\beta x})",
        number("beta", "Sharpness of the bend.", 1.0, 1e-6),
        number("threshold", "Above this value times beta the curve is a straight line.", 20.0),
        keywords=("smooth", "positive"),
    ),
    activation(
        "Softsign",
        "Squeezes every value between -1 and 1, more gently than Tanh.",
        r"y = \frac{x}{1 + |x|}",
    ),
    over_dim(
        "Softmax",
        "Turns scores into probabilities that sum to 1; "
        "leave it out before CrossEntropyLoss, which has its own.",
        r"y_i = \frac{e^{x_i}}{\sum_j e^{x_j}}",
        "probability",
        "classes",
    ),
    over_dim(
        "Softmin",
        "Turns distances into probabilities that sum to 1: the smallest gets the most.",
        r"y_i = \frac{e^{-x_i}}{\sum_j e^{-x_j}}",
        "probability",
        "distance",
    ),
    replace(
        activation(
            "Softmax2d",
            "Turns the channels of every pixel into probabilities that sum to 1.",
            r"y_c = \frac{e^{x_c}}{\sum_k e^{x_k}}",
            keywords=("probability", "segmentation", "pixels"),
        ),
        inputs=(floats(rank=(4,), form="(N, C, H, W)"),),
    ),
    activation(
        "Hardshrink",
        "Sets values near zero to zero and keeps the others.",
        r"y = [|x| > \lambda]\,x",
        number("lambd", "Up to this size values become zero.", 0.5),
        keywords=("sparse", "threshold"),
    ),
    activation(
        "Softshrink",
        "Moves values towards zero and sets those near it to zero.",
        r"y = \mathrm{sgn}(x)\max(|x| - \lambda, 0)",
        number("lambd", "How far values move.", 0.5, 0),
        keywords=("sparse", "threshold", "lasso"),
    ),
    activation(
        "Tanhshrink",
        "What Tanh takes away from a value.",
        r"y = x - \tanh x",
        keywords=("shrink",),
    ),
    activation(
        "Threshold",
        "Keeps values above a threshold and puts one number in the place of the others.",
        r"y = x > t\,?\,x : v",
        Setting("threshold", "float", "Values above it are kept.", start=0, positional=True),
        Setting("value", "float", "What stands for the others.", start=0, positional=True),
        inplace(),
        keywords=("cut", "rectifier"),
    ),
    over_dim(
        "LogSoftmax",
        "The logarithm of Softmax, computed safely; goes with NLLLoss.",
        r"y_i = \ln\frac{e^{x_i}}{\sum_j e^{x_j}}",
        "log probability",
        "classes",
    ),
    replace(
        activation(
            "GLU",
            "Halves its input and lets one half decide how much of the other passes.",
            r"y = a \odot \sigma(b)",
            Setting("dim", "int", "Dimension to halve; -1 is the last.", default=-1),
            paper="Dauphin, Fan, Auli, Grangier. "
            "Language modeling with gated convolutional networks. 2017",
            keywords=("gate", "gated linear unit"),
        ),
        inputs=(floats(rank=FROM_2),),
        shape_out="the same with half of dimension dim",
        checks=(in_range("dim"), halves),
    ),
)
