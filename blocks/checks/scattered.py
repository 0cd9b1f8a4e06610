"""Checks of functions that write values to places given by number."""

from collections.abc import Iterator

from blocks.checks.fixes import disconnect, set_to
from blocks.checks.joins import differ
from blocks.spec import Inputs, Problem, Settings


def one_value(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
    """Check that scatter has something to write: a wire, or a number."""
    if "src" in inputs or settings["value"] is not None:
        return
    yield Problem(
        "unconnected",
        "needs a wire into src, or a number for value, but has neither.",
        "Set value to the number that is written, or draw a wire into src.",
        (set_to(value=1.0),),
    )


def entry_for_each(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
    """Check that there are as many entries as numbers, and of the sizes of the input."""
    signature, index, source = inputs["input"], inputs["index"], inputs["source"]
    dim = settings["dim"] % signature.rank if signature.rank else 0
    wanted = (*signature.shape[:dim], index.shape[0], *signature.shape[dim + 1 :])
    fits = source.rank == len(wanted) and not any(
        differ(a, b) for a, b in zip(source.shape, wanted, strict=True)
    )
    if fits and source.dtype == signature.dtype:
        return
    kind = "" if source.dtype == signature.dtype else f" of {signature.dtype}"
    yield Problem(
        "unequal_shapes",
        f"needs a source like its input with {index.shape[0]} entries in dimension {dim}{kind} "
        f"but receives {source}.",
        "Give the source the sizes of the input, and one entry for every number of index.",
        (disconnect("source"),),
    )
