"""What derivatives beyond a backward pass cannot take, as sentences about a drawing."""

from math import prod

from blocks import has, of_family
from core.tasks.registry import kind_of
from core.wings.cards.drawing import Drawing

MOST = 100_000
"""Numbers that a Jacobian may have to be shown."""


def without_vmap(drawing: Drawing) -> str:
    """Why samples cannot be taken one by one under vmap, "" where they can."""
    for part in drawing.parts.values():
        if has(part.block, "in_place"):
            return f"vmap cannot go through {part.path}: torch's {part.block} works in place there."
    return without_ctc(drawing)


def without_ctc(drawing: Drawing) -> str:
    """Why the loss of a text of unknown length cannot be taken apart, "" for other losses."""
    info = drawing.info
    if info and any(kind_of(term.kind).reads_lengths for term in info.terms):
        return "CTCLoss reads lengths that differ from sample to sample, which vmap cannot follow."
    return ""


def without_jacobian(drawing: Drawing) -> str:
    """Why there is no Jacobian of outputs to inputs, or why it is too large to show."""
    if not drawing.dtype.startswith("float"):
        return f"There is no derivative with respect to inputs of {drawing.dtype}."
    size = prod(drawing.input_shape or ()) * prod(drawing.output_shape or ())
    if size > MOST:
        return f"The Jacobian would have {size:,} numbers; the most is {MOST:,}."
    return without_vmap(drawing)


def without_second(drawing: Drawing) -> str:
    """Why the loss cannot be differentiated twice, or by forward mode; "" where it can."""
    for part in drawing.parts.values():
        if of_family(part.block, "recurrent"):
            return f"{part.path} is {part.block}, whose fast kernels only go back once."
    return without_ctc(drawing)
