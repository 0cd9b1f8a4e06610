"""Further functions of torch: inverse and special functions, statistics, and running values."""

from typing import Any

from blocks.checks.dims import distinct, in_range
from blocks.checks.joins import no_booleans, same_shape
from blocks.functions import of_each, of_two
from blocks.reduction import reduction
from blocks.shared import ANY, ANY_RANK, DIMS, TORCH, dimension, flag, floats, operation
from blocks.spec import Block, Port, Setting, add

FOUND = (Port("values", help="The values."), Port("indices", help="Their numbers."))
OF_TRUTH = "that shape, of true and false"


def running(name: str, summary: str, formula: str, *, pair: bool = True) -> Block:
    """Declare what goes along a dimension and keeps every result so far."""
    return operation(
        name, "arithmetic", summary, f"torch.{name}({{input}}{{settings}})", formula,
        outputs=FOUND if pair else (Port("output"),),
        returns="{values}, {indices}" if pair else "{output}",
        settings=(Setting("dim", "int", f"Dimension to run along. {DIMS}", start=-1),),
        inputs=(ANY,) if pair else (floats(rank=ANY_RANK, form=ANY.form),),
        checks=(in_range("dim"), no_booleans), keywords=("running", "prefix"),
    )  # fmt: skip


def spread_mean(name: str, of: str, formula: str) -> Block:
    """Declare var_mean or std_mean."""
    return Block(
        f"{of}_mean", "reduction", f"Gives {name} and mean along dimensions, in one go.",
        inputs=(floats(rank=ANY_RANK, form="(N, *)"),),
        outputs=(Port(of, help=f"The {name}."), Port("mean", help="The mean.")),
        settings=(
            Setting("dim", "size", f"Dimension to run over, or a list; nothing for all. {DIMS}",
                    default=None, start=(2, 3), optional=True),
            Setting("correction", "int", "Taken off the count: 1 for a sample, 0 for all there is.",
                    default=1, low=0),
            flag("keepdim", "Keep the dimensions with size 1.", False),
        ),
        forward=f"torch.{of}_mean({{input}}{{settings}})", returns=f"{{{of}}}, {{mean}}",
        shape_in="(N, *)", shape_out="twice (N, *) without the dimensions in dim", formula=formula,
        reference=f"{TORCH}{of}_mean.html", checks=(in_range("dim"), distinct("dim")),
        keywords=("spread", "statistics", "reduce", "normalization"),
    )  # fmt: skip


def among(name: str, summary: str, formula: str, *settings: Setting, **more: Any) -> Block:
    """Declare a reduction over one dimension with settings of its own."""
    return operation(
        name, "reduction", summary, f"torch.{name}({{input}}{{settings}})", formula,
        settings=(*settings, dimension("Dimension to run over."),
                  flag("keepdim", "Keep the dimension with size 1.", False)),
        shape_out="(N, *) without dimension dim",
        checks=(in_range("dim"), no_booleans), keywords=("reduce", "statistics"), **more,
    )  # fmt: skip


def three(name: str, summary: str, formula: str) -> Block:
    """Declare addcmul or addcdiv."""
    return Block(
        name, "arithmetic", summary,
        inputs=(floats("input"), floats("tensor1"), floats("tensor2")),
        settings=(Setting("value", "float", "Factor on what is added.", default=1),),
        forward=f"torch.{name}({{input}}, {{tensor1}}, {{tensor2}}{{settings}})",
        shape_in="three tensors of the same shape", shape_out="that shape", formula=formula,
        reference=f"{TORCH}{name}.html", checks=(same_shape,),
        keywords=("fused", "multiply", "moving average"),
    )  # fmt: skip


add(
    of_each("asin", "Gives the angle whose sine is the value.", r"y = \arcsin x", "angle"),
    of_each("acos", "Gives the angle whose cosine is the value.", r"y = \arccos x", "angle"),
    of_each("asinh", "Gives the number whose hyperbolic sine is the value.",
            r"y = \mathrm{arsinh}\,x", "hyperbolic"),
    of_each("acosh", "Gives the number whose hyperbolic cosine is the value.",
            r"y = \mathrm{arcosh}\,x", "hyperbolic"),
    of_each("atanh", "Gives the number whose hyperbolic tangent is the value.",
            r"y = \mathrm{artanh}\,x", "hyperbolic"),
    of_each("exp2", "Takes 2 to the power of every value.", r"y = 2^x", "exponential"),
    of_each("erfc", "Takes 1 less the error function of every value.",
            r"y = 1 - \mathrm{erf}(x)", "gaussian"),
    of_each("erfinv", "Gives the number whose error function is the value.",
            r"y = \mathrm{erf}^{-1}(x)", "gaussian", "quantile"),
    of_each("sinc", "Divides the sine of every value times pi by value times pi.",
            r"y = \frac{\sin \pi x}{\pi x}", "filter", "wave"),
    of_each("lgamma", "Takes the logarithm of the gamma function of every value.",
            r"y = \ln |\Gamma(x)|", "factorial", "likelihood"),
    of_each("digamma", "Takes the slope of the logarithm of the gamma function.",
            r"y = \Gamma'(x) / \Gamma(x)", "likelihood"),
    of_each("frac", "Keeps what stands behind the decimal point of every value.",
            r"y = x - \mathrm{trunc}(x)", "fraction", inputs=(floats(),)),
    of_each("logit", "Gives the score whose sigmoid is the value.", r"y = \ln\frac{x}{1 - x}",
            "odds", "probability", inputs=(floats(),),
            settings=(Setting("eps", "float", "Keep values this far from 0 and 1; nothing for no "
                              "bounds.", default=None, low=0, high=0.5, optional=True),)),
    of_two("hypot", "Gives the length of the longest side of a right triangle.",
           r"y = \sqrt{a^2 + b^2}", "length", numbers=""),
    of_two("logaddexp", "Adds two numbers given by their logarithms.", r"y = \ln(e^a + e^b)",
           "log probability", numbers=""),
    of_two("xlogy", "Multiplies by a logarithm; 0 times anything is 0.", r"y = a \ln b",
           "entropy", numbers="input other"),
    of_two("fmax", "Keeps the larger of two values; a value that is no number loses.",
           r"y = \max(a, b)", "larger", "nan", numbers=""),
    of_two("fmin", "Keeps the smaller of two values; a value that is no number loses.",
           r"y = \min(a, b)", "smaller", "nan", numbers=""),
    of_two("copysign", "Gives values the signs of others.", r"y = |a|\,\mathrm{sgn}(b)", "sign",
           "magnitude", numbers="other"),
    three("addcmul", "Adds the product of two tensors to a third.", r"y = x + v\,a b"),
    three("addcdiv", "Adds the quotient of two tensors to a third.", r"y = x + v\,\frac{a}{b}"),
    running("cummax", "Keeps the largest value so far along a dimension, and its number.",
            r"y_i = \max_{j \le i} x_j"),
    running("cummin", "Keeps the smallest value so far along a dimension, and its number.",
            r"y_i = \min_{j \le i} x_j"),
    running("logcumsumexp", "Adds up exponentials so far and takes the logarithm, safely.",
            r"y_i = \ln \sum_{j \le i} e^{x_j}", pair=False),
    operation(
        "diff", "arithmetic", "Gives the differences of neighbouring values along a dimension.",
        "torch.diff({input}{settings})", r"y_i = x_{i + 1} - x_i",
        settings=(Setting("n", "int", "How many times to do it.", default=1, low=0),
                  dimension("Dimension to run along.")),
        shape_out="one entry less in dimension dim", checks=(in_range("dim"),),
        keywords=("derivative", "slope", "finite differences"),
    ),
    spread_mean("variance", "var", r"y = \left(\mathrm{Var}[x], \bar{x}\right)"),
    spread_mean("standard deviation", "std", r"y = \left(\sqrt{\mathrm{Var}[x]}, \bar{x}\right)"),
    reduction("nansum", "Adds up values along dimensions; what is no number counts as 0.",
              r"y = \sum_i [x_i \ne \mathrm{NaN}]\,x_i", None, no_booleans,
              keywords=("sum", "missing")),
    reduction("nanmean", "Takes the mean of the values along dimensions that are numbers.",
              r"y = \frac{1}{n}\sum_i x_i", None, inputs=(floats(rank=ANY_RANK, form="(N, *)"),),
              keywords=("average", "missing")),
    operation(
        "quantile", "reduction",
        "Gives the value below which a share of the values of a dimension lies.",
        "torch.quantile({input}, {q}{settings})", r"y = Q_q(x)",
        inputs=(floats(rank=ANY_RANK, form="(N, *)"),),
        settings=(Setting("q", "float", "The share, from 0 to 1; 0.5 is the median.", start=0.5,
                          low=0, high=1, positional=True),
                  Setting("dim", "int", f"Dimension to run over; nothing for all. {DIMS}",
                          default=None, start=-1, optional=True),
                  flag("keepdim", "Keep the dimension with size 1.", False),
                  Setting("interpolation", "choice", "What to give between two values.",
                          default="linear",
                          choices=("linear", "lower", "higher", "midpoint", "nearest"))),
        shape_out="(N, *) without dimension dim", checks=(in_range("dim"),),
        keywords=("median", "percentile", "statistics", "reduce"),
    ),
    among("kthvalue", "Gives the k-th smallest value of a dimension, and its number.",
          r"y = x_{(k)}",
          Setting("k", "int", "Which one: 1 is the smallest.", start=1, low=1, positional=True),
          outputs=FOUND, returns="{values}, {indices}"),
    among("mode", "Gives the value that occurs most often along a dimension, and its number.",
          r"y = \mathrm{mode}_i x_i", outputs=FOUND, returns="{values}, {indices}"),
    operation(
        "aminmax", "reduction", "Gives the smallest and the largest value along a dimension.",
        "torch.aminmax({input}{settings})", r"y = (\min_i x_i, \max_i x_i)",
        outputs=(Port("min", help="The smallest."), Port("max", help="The largest.")),
        returns="{min}, {max}",
        settings=(Setting("dim", "int", f"Dimension to run over; nothing for all. {DIMS}",
                          default=None, start=-1, optional=True),
                  flag("keepdim", "Keep the dimension with size 1.", False)),
        shape_out="twice (N, *) without dimension dim", checks=(in_range("dim"),),
        keywords=("range", "reduce", "quantise"),
    ),
    operation(
        "count_nonzero", "reduction", "Counts the values along dimensions that are not 0.",
        "torch.count_nonzero({input}{settings})", r"y = \sum_i [x_i \ne 0]",
        settings=(Setting("dim", "size", f"Dimension to run over, or a list; nothing for all. "
                          f"{DIMS}", default=None, start=-1, optional=True),),
        shape_out="(N, *) without the dimensions in dim", checks=(in_range("dim"), distinct("dim")),
        keywords=("sparsity", "reduce"),
    ),
    operation(
        "trace", "reduction", "Adds up the diagonal of a matrix.", "torch.trace({input})",
        r"y = \sum_i x_{ii}", inputs=(Port("input", rank=(2,), form="(L, S)"),),
        shape_in="(L, S)", shape_out="one number",
        checks=(no_booleans,), keywords=("diagonal", "matrix", "sum"),
    ),
    operation("isfinite", "comparison", "Says where a value is a number and finite.",
              "torch.isfinite({input})", r"y = [|x| < \infty]", inputs=(Port("input"),),
              shape_in="any", shape_out=OF_TRUTH, keywords=("mask", "nan", "infinity")),
    operation("isinf", "comparison", "Says where a value is infinite.",
              "torch.isinf({input})", r"y = [|x| = \infty]", inputs=(Port("input"),),
              shape_in="any", shape_out=OF_TRUTH, keywords=("mask", "infinity")),
    operation(
        "bucketize", "indexing", "Gives the number of the interval that every value lies in.",
        "torch.bucketize({input}, {boundaries}{settings})", r"b_{y - 1} < x \le b_y",
        inputs=(Port("input"), Port("boundaries", rank=(1,), form="(K,)",
                                    help="Ends of the intervals, in order.")),
        settings=(flag("out_int32", "Give smaller integers.", False),
                  flag("right", "Let an interval hold its left end, not its right one.", False)),
        checks=(no_booleans,), shape_out="that shape, of integers",
        keywords=("histogram", "intervals", "quantise", "binning"),
    ),
)  # fmt: skip
