"""Operations that compute one number from many, along dimensions."""

from dataclasses import replace
from typing import Any

from blocks.checks.dims import distinct, in_range, keepdim_needs_dim, mixes_batch
from blocks.checks.joins import no_booleans
from blocks.shared import (
    ANY_RANK,
    DIMS,
    FN,
    TORCH,
    VALUES_AND_INDICES,
    dimension,
    flag,
    floats,
    operation,
)
from blocks.spec import Block, Check, Port, Setting, add


def reduction(
    name: str, summary: str, formula: str, default: Any, *extra: Check, **more: Any
) -> Block:
    """Declare an operation that computes one number from the values along dimensions."""
    declared: dict[str, Any] = {"inputs": (Port("input", rank=ANY_RANK, form="(N, *)"),), **more}
    dim = Setting(
        "dim",
        "size",
        f"Dimension to reduce, or a list; (2, 3) are height and width. {DIMS}",
        default=default,
        start=(2, 3),
        optional=default is None,
    )
    return Block(
        name,
        family="reduction",
        summary=summary,
        settings=(dim, flag("keepdim", "Keep the dimensions with size 1.", False)),
        forward=f"torch.{name}({{input}}{{settings}})",
        shape_in="(N, *)",
        shape_out="(N, *) without the dimensions in dim",
        formula=formula,
        reference=f"{TORCH}{name}.html",
        checks=(in_range("dim"), distinct("dim"), keepdim_needs_dim),
        warnings=(mixes_batch("dim", "runs over", space=True),),
        **declared,
    )


ORDERED = ("median", "argmax", "argmin")  # torch orders numbers here, no masks


def single(name: str, summary: str, formula: str, *words: str, pair: bool = False) -> Block:
    """Declare a reduction over one dimension, with or without the indices of its results."""
    both = (Port("values", help="The values."), Port("indices", help="Their indices."))
    dim = (
        Setting("dim", "int", f"Dimension to reduce. {DIMS}", start=-1)
        if pair
        else Setting(
            "dim",
            "int",
            f"Dimension to reduce; leave empty for all. {DIMS}",
            default=None,
            start=-1,
            optional=True,
        )
    )
    return operation(
        name,
        "reduction",
        summary,
        f"torch.{name}({{input}}{{settings}})",
        formula,
        outputs=both if pair else (Port("output"),),
        returns="{values}, {indices}" if pair else "{output}",
        settings=(dim, flag("keepdim", "Keep the dimension with size 1.", False)),
        shape_out="(N, *) without dimension dim",
        checks=(in_range("dim"), no_booleans) if name in ORDERED else (in_range("dim"),),
        keywords=("reduce", *words),
    )


def spread(name: str, summary: str, formula: str) -> Block:
    """Declare var or std."""
    block = reduction(
        name,
        summary,
        formula,
        None,
        inputs=(floats(rank=ANY_RANK, form="(N, *)"),),
        keywords=("spread", "statistics", "reduce"),
    )
    correction = Setting(
        "correction",
        "int",
        "Subtracted from the count: 1 for a sample, 0 for a whole population.",
        default=1,
        low=0,
    )
    return replace(block, settings=(block.settings[0], correction, block.settings[1]))


add(
    reduction(
        "mean",
        "Takes the mean over dimensions: over height and width it is global average pooling.",
        r"y = \frac{1}{n}\sum_{i=1}^{n} x_i",
        None,
        inputs=(floats(rank=ANY_RANK, form="(N, *)"),),
        keywords=("average", "global pooling", "reduce"),
        traits=frozenset({"averages"}),
    ),
    reduction(
        "sum",
        "Adds up the values along dimensions.",
        r"y = \sum_{i=1}^{n} x_i",
        None,
        keywords=("total", "add", "reduce"),
    ),
    reduction(
        "amax",
        "Keeps the largest value along dimensions.",
        r"y = \max_i x_i",
        (),
        keywords=("maximum", "max", "global pooling", "reduce"),
    ),
    reduction(
        "amin",
        "Keeps the smallest value along dimensions.",
        r"y = \min_i x_i",
        (),
        keywords=("minimum", "min", "reduce"),
    ),
    spread(
        "var",
        "Calculates the variance of values along dimensions.",
        r"y = \frac{1}{n - 1}\sum_i (x_i - \bar{x})^2",
    ),
    spread(
        "std",
        "Calculates the standard deviation of values along dimensions.",
        r"y = \sqrt{\mathrm{Var}[x]}",
    ),
    single("prod", "Multiplies the values along a dimension.", r"y = \prod_i x_i", "product"),
    single(
        "argmax",
        "Gives the index of the largest value: the predicted class.",
        r"y = \arg\max_i x_i",
        "class",
        "prediction",
        "largest",
    ),
    single(
        "argmin",
        "Gives the index of the smallest value.",
        r"y = \arg\min_i x_i",
        "nearest",
        "smallest",
    ),
    single(
        "max",
        "Gives the largest value along a dimension, and its index.",
        r"y = \max_i x_i",
        "largest",
        pair=True,
    ),
    single(
        "min",
        "Gives the smallest value along a dimension, and its index.",
        r"y = \min_i x_i",
        "smallest",
        pair=True,
    ),
    single(
        "median",
        "Gives the median along a dimension, and its index.",
        r"y = \mathrm{median}_i x_i",
        "middle",
        "robust",
        pair=True,
    ),
    operation(
        "logsumexp",
        "reduction",
        "Takes the logarithm of the sum of exponentials, numerically stable.",
        "torch.logsumexp({input}{settings})",
        r"y = \ln \sum_i e^{x_i}",
        settings=(
            Setting("dim", "size", f"Dimension to reduce, or a list. {DIMS}", start=-1),
            flag("keepdim", "Keep the dimensions with size 1.", False),
        ),
        shape_out="(N, *) without the dimensions in dim",
        checks=(in_range("dim"),),
        keywords=("softmax", "reduce", "log"),
    ),
    operation(
        "vector_norm",
        "reduction",
        "Measures the length of vectors.",
        "torch.linalg.vector_norm({input}{settings})",
        r"y = \lVert x \rVert_p",
        inputs=(floats(),),
        settings=(
            Setting(
                "ord",
                "float",
                "Order p of the norm; 2 is the Euclidean length.",
                default=2,
                choices=("inf", "-inf"),
            ),
            Setting(
                "dim",
                "size",
                f"Dimension to reduce, or a list; leave empty for all. {DIMS}",
                default=None,
                start=-1,
                optional=True,
            ),
            flag("keepdim", "Keep the dimensions with size 1.", False),
        ),
        shape_out="(N, *) without the dimensions in dim",
        reference="https://docs.pytorch.org/docs/stable/generated/torch.linalg.vector_norm.html",
        keywords=("norm", "length", "magnitude", "reduce"),
    ),
    Block(
        "normalize",
        family="reduction",
        summary="Scales vectors to length 1, to compare them by direction alone.",
        inputs=(floats(rank=ANY_RANK, form="(N, *)"),),
        settings=(
            Setting("p", "float", "Order p of the norm; 2 is the Euclidean length.", 2.0, low=1),
            Setting("dim", "int", f"Dimension along which a vector lies. {DIMS}", default=1),
            Setting("eps", "float", "Smallest denominator, for numerical stability.", 1e-12, low=0),
        ),
        forward="F.normalize({input}{settings})",
        shape_in="(N, *)",
        shape_out="the same",
        formula=r"y = \frac{x}{\max(\lVert x \rVert_p, \epsilon)}",
        reference=FN + "normalize.html",
        checks=(in_range("dim"),),
        warnings=(mixes_batch("dim", "runs along"),),
        keywords=("unit length", "cosine", "l2 norm"),
    ),
)


def spread_mean(name: str, of: str, formula: str) -> Block:
    """Declare var_mean or std_mean."""
    return Block(
        f"{of}_mean",
        "reduction",
        f"Gives {name} and mean along dimensions at once.",
        inputs=(floats(rank=ANY_RANK, form="(N, *)"),),
        outputs=(Port(of, help=f"The {name}."), Port("mean", help="The mean.")),
        settings=(
            Setting(
                "dim",
                "size",
                f"Dimension to reduce, or a list; leave empty for all. {DIMS}",
                default=None,
                start=(2, 3),
                optional=True,
            ),
            Setting(
                "correction",
                "int",
                "Subtracted from the count: 1 for a sample, 0 for a whole population.",
                default=1,
                low=0,
            ),
            flag("keepdim", "Keep the dimensions with size 1.", False),
        ),
        forward=f"torch.{of}_mean({{input}}{{settings}})",
        returns=f"{{{of}}}, {{mean}}",
        shape_in="(N, *)",
        shape_out="twice (N, *) without the dimensions in dim",
        formula=formula,
        reference=f"{TORCH}{of}_mean.html",
        checks=(in_range("dim"), distinct("dim")),
        keywords=("spread", "statistics", "reduce", "normalization"),
    )


def among(name: str, summary: str, formula: str, *settings: Setting, **more: Any) -> Block:
    """Declare a reduction over one dimension with settings of its own."""
    return operation(
        name,
        "reduction",
        summary,
        f"torch.{name}({{input}}{{settings}})",
        formula,
        settings=(
            *settings,
            dimension("Dimension to reduce."),
            flag("keepdim", "Keep the dimension with size 1.", False),
        ),
        shape_out="(N, *) without dimension dim",
        checks=(in_range("dim"), no_booleans),
        keywords=("reduce", "statistics"),
        **more,
    )


add(
    spread_mean("variance", "var", r"y = \left(\mathrm{Var}[x], \bar{x}\right)"),
    spread_mean("standard deviation", "std", r"y = \left(\sqrt{\mathrm{Var}[x]}, \bar{x}\right)"),
    reduction(
        "nansum",
        "Adds up values along dimensions; NaN counts as 0.",
        r"y = \sum_i [x_i \ne \mathrm{NaN}]\,x_i",
        None,
        no_booleans,
        keywords=("sum", "missing"),
    ),
    reduction(
        "nanmean",
        "Takes the mean of values along dimensions, ignoring NaN.",
        r"y = \frac{1}{n}\sum_i x_i",
        None,
        inputs=(floats(rank=ANY_RANK, form="(N, *)"),),
        keywords=("average", "missing"),
    ),
    operation(
        "quantile",
        "reduction",
        "Gives a quantile: the value that a share of a dimension lies below.",
        "torch.quantile({input}, {q}{settings})",
        r"y = Q_q(x)",
        inputs=(floats(rank=ANY_RANK, form="(N, *)"),),
        settings=(
            Setting(
                "q",
                "float",
                "The share, from 0 to 1; 0.5 is the median.",
                start=0.5,
                low=0,
                high=1,
                positional=True,
            ),
            Setting(
                "dim",
                "int",
                f"Dimension to reduce; leave empty for all. {DIMS}",
                default=None,
                start=-1,
                optional=True,
            ),
            flag("keepdim", "Keep the dimension with size 1.", False),
            Setting(
                "interpolation",
                "choice",
                "How to interpolate between two values.",
                default="linear",
                choices=("linear", "lower", "higher", "midpoint", "nearest"),
            ),
        ),
        shape_out="(N, *) without dimension dim",
        checks=(in_range("dim"),),
        keywords=("median", "percentile", "statistics", "reduce"),
    ),
    among(
        "kthvalue",
        "Gives the k-th smallest value of a dimension, and its index.",
        r"y = x_{(k)}",
        Setting("k", "int", "Which one: 1 is the smallest.", start=1, low=1, positional=True),
        outputs=VALUES_AND_INDICES,
        returns="{values}, {indices}",
    ),
    among(
        "mode",
        "Gives the value that occurs most often along a dimension, and its index.",
        r"y = \mathrm{mode}_i x_i",
        outputs=VALUES_AND_INDICES,
        returns="{values}, {indices}",
    ),
    operation(
        "aminmax",
        "reduction",
        "Gives the smallest and the largest value along a dimension.",
        "torch.aminmax({input}{settings})",
        r"y = (\min_i x_i, \max_i x_i)",
        outputs=(Port("min", help="The smallest."), Port("max", help="The largest.")),
        returns="{min}, {max}",
        settings=(
            Setting(
                "dim",
                "int",
                f"Dimension to reduce; leave empty for all. {DIMS}",
                default=None,
                start=-1,
                optional=True,
            ),
            flag("keepdim", "Keep the dimension with size 1.", False),
        ),
        shape_out="twice (N, *) without dimension dim",
        checks=(in_range("dim"),),
        keywords=("range", "reduce", "quantise"),
    ),
    operation(
        "count_nonzero",
        "reduction",
        "Counts the non-zero values along dimensions.",
        "torch.count_nonzero({input}{settings})",
        r"y = \sum_i [x_i \ne 0]",
        settings=(
            Setting(
                "dim",
                "size",
                f"Dimension to reduce, or a list; leave empty for all. {DIMS}",
                default=None,
                start=-1,
                optional=True,
            ),
        ),
        shape_out="(N, *) without the dimensions in dim",
        checks=(in_range("dim"), distinct("dim")),
        keywords=("sparsity", "reduce"),
    ),
    operation(
        "trace",
        "reduction",
        "Adds up the diagonal of a matrix.",
        "torch.trace({input})",
        r"y = \sum_i x_{ii}",
        inputs=(Port("input", rank=(2,), form="(L, S)"),),
        shape_in="(L, S)",
        shape_out="one number",
        checks=(no_booleans,),
        keywords=("diagonal", "matrix", "sum"),
    ),
)
