"""Borders around sequences, images and volumes: what they hold, and how wide they are."""

from dataclasses import replace

from blocks.checks.resize import border_possible, padding_possible
from blocks.shared import ANY, FN, FROM_2, NN, SPACE, THING, spatial, wholes
from blocks.spec import Block, Setting, add

SIDES = {
    1: "left, right",
    2: "left, right, top, bottom",
    3: "left, right, top, bottom, front, back",
}
WHAT = {
    "Zero": "zeros",
    "Constant": "one number",
    "Reflection": "the values inside it, mirrored",
    "Replication": "the nearest value",
    "Circular": "the values of the opposite side",
}


def border(kind: str, dims: int) -> Block:
    """Declare one of torch's padding layers."""
    name = f"{kind}Pad{dims}d"
    width = Setting(
        "padding",
        "size",
        f"Width of the border, or a list: {SIDES[dims]}.",
        start=1,
        length=2 * dims,
        positional=True,
    )
    value = Setting("value", "float", "The number in the border.", start=0, positional=True)
    return Block(
        name,
        family="padding",
        summary=f"Adds a border to {'an' if dims == 2 else 'a'} {THING[dims]}: {WHAT[kind]}.",
        inputs=(spatial(dims),),
        settings=(width, value) if kind == "Constant" else (width,),
        init=f"nn.{name}",
        shape_in=f"(N, C, {SPACE[dims]})",
        shape_out=f"(N, C, {SPACE[dims]}) with larger sides",
        formula=r"W' = W + \mathrm{left} + \mathrm{right}",
        reference=f"{NN}{name}.html",
        checks=(border_possible(kind),),
        keywords=("border", "margin", "pad", kind.lower()),
    )


add(
    Block(
        "pad",
        family="padding",
        summary="Adds a border to the last dimensions.",
        inputs=(replace(ANY, rank=FROM_2, form="(N, *)"), wholes("pad")),
        settings=(
            Setting(
                "pad",
                "dims",
                "Pairs (before, after), the last dimension first: left, right, top, bottom. "
                "Negative numbers crop.",
                start=(1, 1, 1, 1),
                unit="pixels",
                positional=True,
            ),
            Setting(
                "mode",
                "choice",
                "Values of the border: one value, the mirrored border, the nearest value, "
                "or the opposite side.",
                default="constant",
                choices=("constant", "reflect", "replicate", "circular"),
            ),
            Setting(
                "value",
                "float",
                "Value of a constant border; leave empty for 0.",
                default=None,
                optional=True,
                choices=("inf", "-inf"),
            ),
        ),
        forward="F.pad({input}, {pad}{settings})",
        shape_in="(N, *)",
        shape_out="(N, *) with larger last sizes",
        formula=r"W' = W + \mathrm{left} + \mathrm{right}",
        reference=FN + "pad.html",
        checks=(padding_possible,),
        keywords=("border", "margin", "crop"),
    ),
    *(border(kind, dims) for kind in WHAT for dims in (1, 2, 3)),
)
