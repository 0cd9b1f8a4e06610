"""Functions applied to every value: what makes a network more than one weighted sum."""

from dataclasses import replace

from blocks.checks.sizes import one_per_channel, ordered
from blocks.shared import FROM_2, NN, floats, inplace
from blocks.spec import Block, Setting, add


def activation(
    name: str,
    summary: str,
    formula: str,
    *settings: Setting,
    paper: str = "",
    keywords: tuple[str, ...] = (),
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
    )


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
    ),
    activation(
        "LeakyReLU",
        "Keeps positive values and lets a little of the negative ones through.",
        r"y = \max(0, x) + \mathrm{negative\_slope} \cdot \min(0, x)",
        number("negative_slope", "Slope for negative values.", 0.01),
        inplace(),
        paper="Maas, Hannun, Ng. "
        "Rectifier nonlinearities improve neural network acoustic models. 2013",
        keywords=("rectifier",),
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
            number("init", "Slope at the start.", 0.25),
            paper="He, Zhang, Ren, Sun. Delving deep into rectifiers: "
            "surpassing human-level performance on ImageNet classification. 2015",
            keywords=("rectifier", "learned"),
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
        ),
        checks=(ordered("lower", "upper"),),
    ),
    activation(
        "ReLU6",
        "Like ReLU, cut off at 6, for networks that later run with few bits.",
        r"y = \min(\max(0, x), 6)",
        inplace(),
        paper="Howard et al. MobileNets: efficient convolutional neural networks "
        "for mobile vision applications. 2017",
        keywords=("mobilenet",),
    ),
    activation(
        "ELU",
        "Keeps positive values and bends negative ones smoothly towards -alpha.",
        r"y = \max(0, x) + \min(0, \alpha(e^x - 1))",
        number("alpha", "How far down negative values reach.", 1.0),
        inplace(),
        paper="Clevert, Unterthiner, Hochreiter. Fast and accurate deep network learning "
        "by exponential linear units (ELUs). 2015",
        keywords=("exponential",),
    ),
    activation(
        "CELU",
        "A form of ELU whose slope stays smooth for every alpha.",
        r"y = \max(0, x) + \min(0, \alpha(e^{x / \alpha} - 1))",
        number("alpha", "How far down negative values reach; not 0.", 1.0, 1e-6),
        inplace(),
        paper="Barron. Continuously differentiable exponential linear units. 2017",
        keywords=("exponential",),
    ),
    activation(
        "SELU",
        "An ELU scaled so that values keep mean 0 and variance 1 from layer to layer.",
        r"y = 1.0507\,(\max(0, x) + \min(0, 1.6733\,(e^x - 1)))",
        inplace(),
        paper="Klambauer, Unterthiner, Mayr, Hochreiter. Self-normalizing neural networks. 2017",
        keywords=("self-normalizing",),
    ),
    activation(
        "GELU",
        "Weighs a value by how likely a normal number is smaller; usual in Transformers.",
        r"y = x\,\Phi(x)",
        Setting(
            "approximate",
            "choice",
            "'none' for the exact curve, 'tanh' for a faster close one.",
            default="none",
            choices=("none", "tanh"),
        ),
        paper="Hendrycks, Gimpel. Gaussian error linear units (GELUs). 2016",
        keywords=("gaussian", "transformer"),
    ),
    activation(
        "SiLU",
        "Multiplies a value by its own sigmoid; also called swish.",
        r"y = x\,\sigma(x)",
        inplace(),
        paper="Elfwing, Uchibe, Doya. Sigmoid-weighted linear units for neural network "
        "function approximation in reinforcement learning. 2017",
        keywords=("swish",),
    ),
    activation(
        "Mish",
        "A smooth curve close to SiLU that dips slightly below zero.",
        r"y = x \tanh(\ln(1 + e^x))",
        inplace(),
        paper="Misra. Mish: a self regularized non-monotonic neural activation function. 2019",
    ),
    activation(
        "Hardswish",
        "A form of SiLU made of straight pieces, cheap on phones.",
        r"y = x\,\min(\max(x + 3, 0), 6) / 6",
        inplace(),
        paper="Howard et al. Searching for MobileNetV3. 2019",
        keywords=("mobilenet", "swish"),
    ),
)
