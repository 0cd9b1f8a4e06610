"""Mathematical functions applied to every value, and the sums that two or three tensors make."""

from collections.abc import Mapping
from math import inf, pi
from typing import Any

from blocks.checks.dims import in_range
from blocks.checks.joins import no_booleans, one_tensor, same_shape
from blocks.shared import (
    ANY,
    ANY_RANK,
    DIMS,
    DIVISOR,
    POSITIVE,
    TORCH,
    VALUES_AND_INDICES,
    dimension,
    floats,
    operand,
    operation,
)
from blocks.spec import Block, Port, Setting, Settings, Span, add

WORDS = ("function", "math")
NOT_NEGATIVE = (0.0, inf)
COPIES = {
    "detach": ("identity", "views"),
    "clone": ("identity",),
    "contiguous": ("identity", "views"),
}
"""What changes no values, with its further traits."""


def limits(given: Settings) -> Span | None:
    """What clamp leaves of all numbers."""
    low, high = given["min"], given["max"]
    if low is None and high is None:
        return None
    return (-inf if low is None else low, inf if high is None else high)


def of_power(given: Settings) -> Span | None:
    """What pow makes of all numbers: none is negative unless its exponent may be odd."""
    exponent = given["exponent"]
    return None if exponent is None or exponent % 2 == 1 else NOT_NEGATIVE


def of_each(name: str, summary: str, formula: str, *words: str, **more: Any) -> Block:
    """Declare a torch function of one number, applied to every value."""
    declared: dict[str, Any] = {"inputs": (Port("input"),), "shape_in": "any", **more}
    forward = declared.pop("forward", f"torch.{name}({{input}}{{settings}})")
    return operation(
        name,
        "arithmetic",
        summary,
        forward,
        formula,
        checks=() if name in COPIES else (no_booleans,),
        keywords=(*WORDS, *words),
        traits=frozenset({"elementwise", *COPIES.get(name, ())}),
        **declared,
    )


def of_two(
    name: str, summary: str, formula: str, *words: str, numbers: str = "other", **more: Any
) -> Block:
    """Declare a torch function of two tensors, or of one and a number."""
    ports = ("input", "exponent") if name == "pow" else ("input", "other")
    return operation(
        name,
        "arithmetic",
        summary,
        f"torch.{name}({{input}}, {{{ports[1]}}})",
        formula,
        inputs=tuple(Port(port, number=port in numbers.split()) for port in ports),
        settings=tuple(operand(port) for port in numbers.split()),
        shape_in="two tensors of the same shape, or one tensor and a number",
        checks=(same_shape, no_booleans, *((one_tensor,) if " " in numbers else ())),
        keywords=(*WORDS, *words),
        **more,
    )


def memory_format(default: str | None) -> Setting:
    """Declare the order in which values lie in memory."""
    return Setting(
        "memory_format", "choice",
        "Order of the values in memory: channels_last keeps the channels of a pixel together "
        "(images), channels_last_3d those of a voxel (videos).",
        default, choices=("contiguous_format", "channels_last", "channels_last_3d"),
        bare="torch.", optional=default is None,
    )  # fmt: skip


def contiguous(settings: Mapping[str, Any], ports: frozenset[str]) -> str:
    """Name the order only where it is another than that of the dimensions."""
    usual = settings["memory_format"] == "contiguous_format"
    return f"{{input}}.contiguous({'' if usual else 'memory_format={memory_format}'})"


def bound(name: str, about: str, start: float | None = None) -> Setting:
    """Declare a bound of clamp."""
    return Setting(name, "float", about, default=None, start=start, optional=True)


add(
    of_two("pow", "Raises every value to a power.", r"y = a^b", "power", "square", "exponent",
           numbers="input exponent", domain=f"{POSITIVE} for an exponent that is not whole",
           span=of_power),
    of_two("remainder", "Gives the remainder of a division, with the divisor's sign.",
           r"y = a - b \lfloor a / b \rfloor", "modulo", "mod", numbers="input other",
           domain=DIVISOR),
    of_two("fmod", "Gives the remainder of a division, with the dividend's sign.",
           r"y = a - b\,\mathrm{trunc}(a / b)", "modulo", domain=DIVISOR),
    of_two("floor_divide", "Divides and rounds down.", r"y = \lfloor a / b \rfloor",
           "integer division", "quotient", domain=DIVISOR),
    of_two("atan2", "Gives the angle of a point from its two coordinates.",
           r"y = \mathrm{atan2}(a, b)", "angle", "rotation", numbers=""),
    of_each("neg", "Changes the sign of every value.", r"y = -x", "negative", "minus",
            forward="-{input}"),
    of_each("abs", "Takes the absolute value of every value.", r"y = |x|", "absolute", "magnitude",
            span=NOT_NEGATIVE),
    of_each("sign", "Keeps only the sign of every value: -1, 0 or 1.", r"y = \mathrm{sgn}(x)",
            span=(-1.0, 1.0)),
    of_each("square", "Multiplies every value by itself.", r"y = x^2", "power", span=NOT_NEGATIVE),
    of_each("sqrt", "Takes the square root of every value.", r"y = \sqrt{x}", "root",
            domain=f"{POSITIVE} (at 0 its slope is infinite)", span=NOT_NEGATIVE),
    of_each("rsqrt", "Takes the reciprocal of the square root of every value.",
            r"y = 1 / \sqrt{x}", "root",
            domain=POSITIVE, span=NOT_NEGATIVE),
    of_each("reciprocal", "Takes the reciprocal of every value.", r"y = 1 / x", "inverse",
            domain="needs numbers that are not 0"),
    of_each("exp", "Takes e to the power of every value.", r"y = e^x", "exponential",
            domain="needs numbers below 88", span=NOT_NEGATIVE),
    of_each("expm1", "Takes e to the power of every value, minus 1, accurate near 0.",
            r"y = e^x - 1", "exponential", domain="needs numbers below 88", span=(-1.0, inf)),
    of_each("log", "Takes the natural logarithm of every value.", r"y = \ln x", "logarithm",
            domain=POSITIVE),
    of_each("log2", "Takes the logarithm to base 2 of every value.", r"y = \log_2 x", "logarithm",
            domain=POSITIVE),
    of_each("log10", "Takes the logarithm to base 10 of every value.", r"y = \log_{10} x",
            "logarithm", domain=POSITIVE),
    of_each("log1p", "Takes the logarithm of 1 plus every value, accurate near 0.",
            r"y = \ln(1 + x)", "logarithm", domain="needs numbers above -1"),
    of_each("sin", "Takes the sine of every value, an angle in radians.", r"y = \sin x",
            "wave", "position encoding", span=(-1.0, 1.0)),
    of_each("cos", "Takes the cosine of every value, an angle in radians.", r"y = \cos x",
            "wave", "position encoding", span=(-1.0, 1.0)),
    of_each("tan", "Takes the tangent of every value, an angle in radians.", r"y = \tan x"),
    of_each("atan", "Gives the angle whose tangent is the value.", r"y = \arctan x", "angle",
            span=(-pi / 2, pi / 2)),
    of_each("sinh", "Takes the hyperbolic sine of every value.", r"y = \sinh x",
            domain="needs numbers between -89 and 89"),
    of_each("cosh", "Takes the hyperbolic cosine of every value.", r"y = \cosh x",
            domain="needs numbers between -89 and 89", span=(1.0, inf)),
    of_each("erf", "Takes the error function of every value, the heart of GELU.",
            r"y = \mathrm{erf}(x)", "gaussian", span=(-1.0, 1.0)),
    of_each("floor", "Rounds every value down.", r"y = \lfloor x \rfloor", "round"),
    of_each("ceil", "Rounds every value up.", r"y = \lceil x \rceil", "round"),
    of_each("trunc", "Rounds every value towards zero.", r"y = \mathrm{trunc}(x)", "round"),
    of_each(
        "round", "Rounds every value to the nearest whole number.", r"y = \mathrm{round}(x)",
        "quantise", inputs=(floats(),),
        settings=(Setting("decimals", "int", "Number of decimal places.", default=0,
                          low=-12, high=12),),
    ),
    of_each(
        "clamp", "Limits values to a range.",
        r"y = \min(\max(x, \mathrm{min}), \mathrm{max})", "clip", "limit", "range",
        settings=(bound("min", "Lower bound; leave empty for none.", 0),
                  bound("max", "Upper bound; leave empty for none.")), span=limits),
    of_each(
        "nan_to_num", "Replaces NaN and infinite values with numbers.",
        r"y = \mathrm{nan\_to\_num}(x)", "infinity", "nan",
        settings=(bound("nan", "Value for NaN; leave empty for 0."),
                  bound("posinf", "Value for infinity; leave empty for the largest number."),
                  bound("neginf", "Value for minus infinity; leave empty for the smallest.")),
    ),
    of_each("detach", "Passes values on but no gradient back.", r"y = x", "stop gradient",
            forward="{input}.detach()",
            reference="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.detach.html"),
    of_each("clone", "Copies its input, so that in-place operations do not change the original.",
            r"y = x", "copy", settings=(memory_format(None),)),
    of_each("contiguous", "Lays values out in memory in the order of the dimensions.", r"y = x",
            "memory", "layout", "channels_last", forward=contiguous, writes=("contiguous",),
            inputs=(ANY,), settings=(memory_format("contiguous_format"),),
            reference="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.contiguous.html"),
    Block(
        "lerp",
        "arithmetic",
        "Interpolates linearly between two tensors.",
        inputs=(floats("input"), floats("end")),
        settings=(Setting("weight", "float", "Weight of the second tensor, from 0 to 1.", start=0.5,
                          positional=True),),
        forward="torch.lerp({input}, {end}, {weight})",
        shape_in="two tensors of the same shape",
        shape_out="that shape",
        formula=r"y = a + w (b - a)",
        reference=TORCH + "lerp.html",
        keywords=("interpolate", "mix", "moving average"),
    ),
)  # fmt: skip


def running(name: str, summary: str, formula: str, *, pair: bool = True) -> Block:
    """Declare what goes along a dimension and keeps every result so far."""
    return operation(
        name, "arithmetic", summary, f"torch.{name}({{input}}{{settings}})", formula,
        outputs=VALUES_AND_INDICES if pair else (Port("output"),),
        returns="{values}, {indices}" if pair else "{output}",
        settings=(Setting("dim", "int", f"Dimension to run along. {DIMS}", start=-1),),
        inputs=(ANY,) if pair else (floats(rank=ANY_RANK, form=ANY.form),),
        checks=(in_range("dim"), no_booleans), keywords=("running", "prefix"),
    )  # fmt: skip


def three(name: str, summary: str, formula: str) -> Block:
    """Declare addcmul or addcdiv."""
    return Block(
        name, "arithmetic", summary,
        inputs=(floats("input"), floats("tensor1"), floats("tensor2")),
        settings=(Setting("value", "float", "Factor on the added values.", default=1),),
        forward=f"torch.{name}({{input}}, {{tensor1}}, {{tensor2}}{{settings}})",
        shape_in="three tensors of the same shape", shape_out="that shape", formula=formula,
        reference=f"{TORCH}{name}.html", checks=(same_shape,),
        keywords=("fused", "multiply", "moving average"),
    )  # fmt: skip


add(
    of_each("asin", "Gives the angle whose sine is the value.", r"y = \arcsin x", "angle",
            domain="needs numbers from -1 to 1"),
    of_each("acos", "Gives the angle whose cosine is the value.", r"y = \arccos x", "angle",
            domain="needs numbers from -1 to 1"),
    of_each("asinh", "Gives the number whose hyperbolic sine is the value.",
            r"y = \mathrm{arsinh}\,x", "hyperbolic"),
    of_each("acosh", "Gives the number whose hyperbolic cosine is the value.",
            r"y = \mathrm{arcosh}\,x", "hyperbolic", domain="needs numbers from 1 up",
            span=NOT_NEGATIVE),
    of_each("atanh", "Gives the number whose hyperbolic tangent is the value.",
            r"y = \mathrm{artanh}\,x", "hyperbolic", domain="needs numbers between -1 and 1"),
    of_each("exp2", "Takes 2 to the power of every value.", r"y = 2^x", "exponential",
            domain="needs numbers below 128", span=NOT_NEGATIVE),
    of_each("erfc", "Takes 1 minus the error function of every value.",
            r"y = 1 - \mathrm{erf}(x)", "gaussian", span=(0.0, 2.0)),
    of_each("erfinv", "Gives the number whose error function is the value.",
            r"y = \mathrm{erf}^{-1}(x)", "gaussian", "quantile",
            domain="needs numbers between -1 and 1"),
    of_each("sinc", "Takes the normalised sinc of every value.",
            r"y = \frac{\sin \pi x}{\pi x}", "filter", "wave"),
    of_each("lgamma", "Takes the logarithm of the gamma function of every value.",
            r"y = \ln |\Gamma(x)|", "factorial", "likelihood",
            domain="needs numbers that are not 0 or negative whole numbers"),
    of_each("digamma", "Takes the derivative of the logarithm of the gamma function.",
            r"y = \Gamma'(x) / \Gamma(x)", "likelihood",
            domain="needs numbers that are not 0 or negative whole numbers"),
    of_each("frac", "Keeps the fractional part of every value.",
            r"y = x - \mathrm{trunc}(x)", "fraction", inputs=(floats(),), span=(-1.0, 1.0)),
    of_each("logit", "Gives the logit whose sigmoid is the value.", r"y = \ln\frac{x}{1 - x}",
            "odds", "probability", inputs=(floats(),),
            settings=(Setting("eps", "float", "Keep values this far from 0 and 1; leave empty for "
                                              "no "
                              "bounds.", default=None, low=0, high=0.5, optional=True),),
            domain="needs numbers between 0 and 1"),
    of_two("hypot", "Gives the length of the hypotenuse of a right triangle.",
           r"y = \sqrt{a^2 + b^2}", "length", numbers=""),
    of_two("logaddexp", "Adds two numbers given by their logarithms.", r"y = \ln(e^a + e^b)",
           "log probability", numbers=""),
    of_two("xlogy", "Multiplies by a logarithm; 0 times anything is 0.", r"y = a \ln b",
           "entropy", numbers="input other"),
    of_two("fmax", "Keeps the larger of two values; NaN is ignored.",
           r"y = \max(a, b)", "larger", "nan", numbers=""),
    of_two("fmin", "Keeps the smaller of two values; NaN is ignored.",
           r"y = \min(a, b)", "smaller", "nan", numbers=""),
    of_two("copysign", "Gives values the signs of others.", r"y = |a|\,\mathrm{sgn}(b)", "sign",
           "magnitude", numbers="other"),
    three("addcmul", "Adds the product of two tensors to a third.", r"y = x + v\,a b"),
    three("addcdiv", "Adds the quotient of two tensors to a third.", r"y = x + v\,\frac{a}{b}"),
    running("cummax", "Keeps the largest value so far along a dimension, and its index.",
            r"y_i = \max_{j \le i} x_j"),
    running("cummin", "Keeps the smallest value so far along a dimension, and its index.",
            r"y_i = \min_{j \le i} x_j"),
    running("logcumsumexp", "Takes the logarithm of the cumulative sum of exponentials, "
                            "numerically stable.",
            r"y_i = \ln \sum_{j \le i} e^{x_j}", pair=False),
    operation(
        "diff", "arithmetic", "Gives the differences of neighbouring values along a dimension.",
        "torch.diff({input}{settings})", r"y_i = x_{i + 1} - x_i",
        settings=(Setting("n", "int", "Number of repetitions.", default=1, low=0),
                  dimension("Dimension to run along.")),
        shape_out="one entry less in dimension dim", checks=(in_range("dim"),),
        keywords=("derivative", "slope", "finite differences"),
    ),
)  # fmt: skip
