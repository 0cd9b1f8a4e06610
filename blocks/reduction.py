"""Operations that compute one number from many, along dimensions."""

from typing import Any

from blocks.checks.dims import distinct, in_range, keepdim_needs_dim, mixes_batch
from blocks.shared import DIMS, FN, FROM_2, TORCH, flag, floats
from blocks.spec import Block, Check, Port, Setting, add


def reduction(
    name: str, summary: str, formula: str, default: Any, *extra: Check, **more: Any
) -> Block:
    """Declare an operation that computes one number from the values along dimensions."""
    declared: dict[str, Any] = {"inputs": (Port("input", rank=FROM_2, form="(N, *)"),), **more}
    dim = Setting(
        "dim",
        "size",
        f"Dimension to run over, or a list; (2, 3) are height and width. {DIMS}",
        default=default,
        start=(2, 3),
        optional=default is None,
    )
    return Block(
        name,
        family="arithmetic",
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


add(
    reduction(
        "mean",
        "Takes the mean over dimensions: over height and width it is global average pooling.",
        r"y = \frac{1}{n}\sum_{i=1}^{n} x_i",
        None,
        inputs=(floats(rank=FROM_2, form="(N, *)"),),
        keywords=("average", "global pooling", "reduce"),
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
    Block(
        "normalize",
        family="arithmetic",
        summary="Scales vectors to length 1, to compare them by direction alone.",
        inputs=(floats(rank=FROM_2, form="(N, *)"),),
        settings=(
            Setting("p", "float", "The p of the norm; 2 is the usual length.", 2.0, low=1),
            Setting("dim", "int", f"Dimension along which a vector lies. {DIMS}", default=1),
            Setting("eps", "float", "Smallest divisor, for numerical safety.", 1e-12, low=0),
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
