"""Activations: functions applied to every value, or over a dimension (softmax), or that gate."""

from collections.abc import Callable
from dataclasses import replace
from math import inf

from blocks.checks.dims import in_range, mixes_batch
from blocks.checks.divide import halves
from blocks.checks.sizes import implicit_dim, one_per_channel, ordered
from blocks.shared import FROM_2, NN, floats, inplace
from blocks.spec import Block, Setting, Settings, Span, add


def activation(
    name: str,
    summary: str,
    formula: str,
    *settings: Setting,
    paper: str = "",
    keywords: tuple[str, ...] = (),
    traits: tuple[str, ...] = ("elementwise",),
    span: Span | Callable[[Settings], Span | None] | None = None,
) -> Block:
    """Declare a function of one value, which keeps the shape."""
    return Block(
        name,
        family="activation",
        summary=summary,
        inputs=(floats(),),
        settings=settings,
        init=f"nn.{name}",
        shape_in="any",
        shape_out="the same",
        formula=formula,
        reference=f"{NN}{name}.html",
        paper=paper,
        keywords=("activation", "nonlinearity", *keywords),
        traits=frozenset(traits),
        span=span,
    )


HIDDEN = ("elementwise", "hidden")
SQUASHING = ("elementwise", "saturating")


def number(name: str, about: str, default: float, low: float | None = None) -> Setting:
    """Declare a setting that is a number."""
    return Setting(name, "float", about, default=default, low=low)


add(
    activation(
        "ReLU",
        "Keeps positive values and sets negative ones to zero.",
        r"y = \max(0, x)",
        inplace(),
        paper="Nair, Hinton. Rectified linear units improve restricted Boltzmann machines. 2010",
        keywords=("rectifier", "rectified linear unit"),
        traits=(*HIDDEN, "rectifier"),
        span=(0.0, inf),
    ),
    activation(
        "LeakyReLU",
        "Keeps positive values and scales negative ones by a small slope.",
        r"y = \max(0, x) + \mathrm{negative\_slope} \cdot \min(0, x)",
        number("negative_slope", "Slope for negative values.", 0.01),
        inplace(),
        paper="Maas, Hannun, Ng. "
        "Rectifier nonlinearities improve neural network acoustic models. 2013",
        keywords=("rectifier",),
        traits=HIDDEN,
    ),
    replace(
        activation(
            "PReLU",
            "Like LeakyReLU, but learns the slope for negative values.",
            r"y = \max(0, x) + a \cdot \min(0, x)",
            Setting(
                "num_parameters",
                "int",
                "Number of slopes: 1 for all values, or one for every channel.",
                default=1,
                low=1,
            ),
            number("init", "Initial value of the slope.", 0.25),
            paper="He, Zhang, Ren, Sun. Delving deep into rectifiers: "
            "surpassing human-level performance on ImageNet classification. 2015",
            keywords=("rectifier", "learned"),
            traits=("per_channel", "learns"),
        ),
        inputs=(floats(rank=FROM_2, form="(N, C, *)"),),
        checks=(one_per_channel,),
    ),
    replace(
        activation(
            "RReLU",
            "Like LeakyReLU, with a random slope for negative values in training.",
            r"y = \max(0, x) + a \cdot \min(0, x),\quad a \sim U(\mathrm{lower}, \mathrm{upper})",
            number("lower", "Smallest slope for negative values.", 1 / 8),
            number("upper", "Largest slope for negative values.", 1 / 3),
            inplace(),
            paper="Xu, Wang, Chen, Li. "
            "Empirical evaluation of rectified activations in convolutional network. 2015",
            keywords=("random", "rectifier"),
            traits=HIDDEN,
        ),
        checks=(ordered("lower", "upper"),),
    ),
    activation(
        "ReLU6",
        "ReLU capped at 6, for networks that later run at low precision.",
        r"y = \min(\max(0, x), 6)",
        inplace(),
        paper="Howard et al. MobileNets: efficient convolutional neural networks "
        "for mobile vision applications. 2017",
        keywords=("mobilenet",),
        traits=(*HIDDEN, "rectifier"),
        span=(0.0, 6.0),
    ),
    activation(
        "ELU",
        "Keeps positive values and bends negative ones smoothly towards -alpha.",
        r"y = \max(0, x) + \min(0, \alpha(e^x - 1))",
        number("alpha", "Negative values approach -alpha.", 1.0),
        inplace(),
        paper="Clevert, Unterthiner, Hochreiter. Fast and accurate deep network learning "
        "by exponential linear units (ELUs). 2015",
        keywords=("exponential",),
        traits=HIDDEN,
        span=(-1.0, inf),
    ),
    activation(
        "CELU",
        "A variant of ELU with a continuous slope for every alpha.",
        r"y = \max(0, x) + \min(0, \alpha(e^{x / \alpha} - 1))",
        number("alpha", "Negative values approach -alpha; not 0.", 1.0, 1e-6),
        inplace(),
        paper="Barron. Continuously differentiable exponential linear units. 2017",
        keywords=("exponential",),
        traits=HIDDEN,
        span=(-1.0, inf),
    ),
    activation(
        "SELU",
        "An ELU scaled so that values keep mean 0 and variance 1 from layer to layer.",
        r"y = 1.0507\,(\max(0, x) + \min(0, 1.6733\,(e^x - 1)))",
        inplace(),
        paper="Klambauer, Unterthiner, Mayr, Hochreiter. Self-normalizing neural networks. 2017",
        keywords=("self-normalizing",),
        traits=HIDDEN,
        span=(-1.76, inf),
    ),
    activation(
        "GELU",
        "Weights a value by the probability that a normal number is smaller; usual"
        " in Transformers.",
        r"y = x\,\Phi(x)",
        Setting(
            "approximate",
            "choice",
            "'none' for the exact curve, 'tanh' for a faster approximation.",
            default="none",
            choices=("none", "tanh"),
        ),
        paper="Hendrycks, Gimpel. Gaussian error linear units (GELUs). 2016",
        keywords=("gaussian", "transformer"),
        traits=HIDDEN,
        span=(-0.17, inf),
    ),
    activation(
        "SiLU",
        "Multiplies a value by its own sigmoid; also called swish.",
        r"y = x\,\sigma(x)",
        inplace(),
        paper="Elfwing, Uchibe, Doya. Sigmoid-weighted linear units for neural network "
        "function approximation in reinforcement learning. 2017",
        keywords=("swish",),
        traits=HIDDEN,
        span=(-0.28, inf),
    ),
    activation(
        "Mish",
        "A smooth curve close to SiLU that dips slightly below zero.",
        r"y = x \tanh(\ln(1 + e^x))",
        inplace(),
        paper="Misra. Mish: a self regularized non-monotonic neural activation function. 2019",
        traits=HIDDEN,
        span=(-0.31, inf),
    ),
    activation(
        "Hardswish",
        "A piecewise approximation of SiLU, cheap on phones.",
        r"y = x\,\min(\max(x + 3, 0), 6) / 6",
        inplace(),
        paper="Howard et al. Searching for MobileNetV3. 2019",
        keywords=("mobilenet", "swish"),
        traits=HIDDEN,
        span=(-0.375, inf),
    ),
)


def over_dim(name: str, summary: str, formula: str, *words: str) -> Block:
    """Declare an activation that runs along one dimension."""
    dim = Setting(
        "dim",
        "int",
        "Dimension to normalise; -1 is the last, 1 the classes.",
        default=None,
        start=-1,
        optional=True,
    )
    probabilities = () if name == "LogSoftmax" else ("probabilities",)
    traits = ("softmax", *probabilities)
    block = activation(name, summary, formula, dim, keywords=words, traits=traits)
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
        traits=(*SQUASHING, "sigmoid"),
        span=(0.0, 1.0),
    ),
    activation(
        "LogSigmoid",
        "The logarithm of Sigmoid, numerically stable.",
        r"y = \ln\frac{1}{1 + e^{-x}}",
        keywords=("logistic", "log probability"),
        span=(-inf, 0.0),
    ),
    activation(
        "Hardsigmoid",
        "A piecewise linear approximation of Sigmoid.",
        r"y = \min(\max(x + 3, 0), 6) / 6",
        inplace(),
        keywords=("mobilenet",),
        traits=(*SQUASHING, "sigmoid"),
        span=(0.0, 1.0),
    ),
    activation(
        "Tanh",
        "Squeezes every value between -1 and 1.",
        r"y = \tanh(x)",
        keywords=("hyperbolic tangent", "lenet"),
        traits=(*SQUASHING, "hidden"),
        span=(-1.0, 1.0),
    ),
    replace(
        activation(
            "Hardtanh",
            "Limits values to the range from min_val to max_val.",
            r"y = \min(\max(x, \mathrm{min\_val}), \mathrm{max\_val})",
            number("min_val", "Lower bound of the output.", -1.0),
            number("max_val", "Upper bound of the output.", 1.0),
            inplace(),
            keywords=("clamp", "clip"),
            traits=SQUASHING,
            span=lambda given: (given["min_val"], given["max_val"]),
        ),
        checks=(ordered("min_val", "max_val"),),
    ),
    activation(
        "Softplus",
        "A smooth ReLU whose result is always positive.",
        r"y = \frac{1}{\beta} \ln(1 + e^{\beta x})",
        number("beta", "Sharpness of the bend.", 1.0, 1e-6),
        number("threshold", "Where x times beta exceeds this, the curve is a straight line.", 20.0),
        keywords=("smooth", "positive"),
        span=(0.0, inf),
    ),
    activation(
        "Softsign",
        "Squeezes every value between -1 and 1, more gently than Tanh.",
        r"y = \frac{x}{1 + |x|}",
        traits=SQUASHING,
        span=(-1.0, 1.0),
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
        "Turns distances into probabilities that sum to 1: the smallest gets the largest.",
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
            traits=("softmax", "probabilities"),
        ),
        inputs=(floats(rank=(4,), form="(N, C, H, W)"),),
    ),
    activation(
        "Hardshrink",
        "Sets values near zero to zero and keeps the others.",
        r"y = [|x| > \lambda]\,x",
        number("lambd", "Values up to this size become zero.", 0.5),
        keywords=("sparse", "threshold"),
    ),
    activation(
        "Softshrink",
        "Moves values towards zero and sets those near it to zero.",
        r"y = \mathrm{sgn}(x)\max(|x| - \lambda, 0)",
        number("lambd", "Distance that values move.", 0.5, 0),
        keywords=("sparse", "threshold", "lasso"),
    ),
    activation(
        "Tanhshrink",
        "Subtracts the Tanh of a value from it.",
        r"y = x - \tanh x",
        keywords=("shrink",),
    ),
    activation(
        "Threshold",
        "Keeps values above a threshold and replaces the others with a number.",
        r"y = x > t\,?\,x : v",
        Setting("threshold", "float", "Values above it are kept.", start=0, positional=True),
        Setting("value", "float", "Value that replaces the others.", start=0, positional=True),
        inplace(),
        keywords=("cut", "rectifier"),
        traits=("elementwise", "rectifier"),
        span=lambda given: (min(given["threshold"], given["value"]), inf),
    ),
    over_dim(
        "LogSoftmax",
        "The logarithm of Softmax, numerically stable; use it with NLLLoss.",
        r"y_i = \ln\frac{e^{x_i}}{\sum_j e^{x_j}}",
        "log probability",
        "classes",
    ),
    replace(
        activation(
            "GLU",
            "Splits its input into two halves and uses one to gate the other.",
            r"y = a \odot \sigma(b)",
            Setting("dim", "int", "Dimension to split in half; -1 is the last.", default=-1),
            paper="Dauphin, Fan, Auli, Grangier. "
            "Language modeling with gated convolutional networks. 2017",
            keywords=("gate", "gated linear unit"),
            traits=(),
        ),
        inputs=(floats(rank=FROM_2),),
        shape_out="the same with half of dimension dim",
        checks=(in_range("dim"), halves),
    ),
)
