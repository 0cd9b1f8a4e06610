"""Checks of matrix products and bilinear layers."""

from collections.abc import Iterator

from blocks.checks.fixes import disconnect, insert, same_as
from blocks.checks.joins import differ
from blocks.signature import Signature
from blocks.spec import Inputs, Problem, Settings


def multipliable(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
    """Check matmul: the last size of input is the last but one of other."""
    a, b = inputs["input"], inputs["other"]
    yield from _inner(a, b, "other")
    outer = a.rank == b.rank or min(a.rank, b.rank) <= 2
    pairs = zip(a.shape[:-2], b.shape[:-2], strict=False)
    if not outer or any(differ(x, y) and 1 not in (x, y) for x, y in pairs):
        yield Problem(
            "unequal_shapes",
            f"needs equal sizes in front of the last two but receives {a} and {b}.",
            "Give both wires the same leading dimensions.",
            (disconnect("other"),),
        )


def batch_multipliable(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
    """Check bmm: equal batches, and the last size of input is the middle size of mat2."""
    a, b = inputs["input"], inputs["mat2"]
    yield from _inner(a, b, "mat2")
    if differ(a.shape[0], b.shape[0]):
        yield Problem(
            "unequal_shapes",
            f"needs equal first sizes but receives {a} and {b}.",
            "Give both wires the same first dimension.",
            (disconnect("mat2"),),
        )


def _inner(a: Signature, b: Signature, port: str) -> Iterator[Problem]:
    columns = b.shape[-2:][0]
    if not differ(a.shape[-1], columns):
        return
    turn = insert(port, "transpose", dim0=-2, dim1=-1)
    turns = (turn,) if b.rank > 1 and a.shape[-1] == b.shape[-1] else ()
    wide = isinstance(columns, int) and a.rank > 1
    project = (insert("input", "Linear", out_features=columns),) if wide else ()
    yield Problem(
        "unequal_shapes",
        f"multiplies rows of {a.shape[-1]} with columns of {columns}: {a} and {b}.",
        f"Swap the last two dimensions of {port}."
        if turns
        else f"The last size of input must be the last but one of {port}.",
        (*turns, *project, disconnect(port)),
    )


def leading_sizes(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
    """Check Bilinear: all sizes but the last are equal."""
    a, b = inputs["input1"], inputs["input2"]
    if a.rank != b.rank or any(differ(x, y) for x, y in zip(a.shape[:-1], b.shape, strict=False)):
        yield Problem(
            "unequal_shapes",
            f"needs two inputs that differ in their last size only but receives {a} and {b}.",
            "Bring both wires to the same leading sizes.",
            (same_as("input2", "input1"), disconnect("input2")),
        )
