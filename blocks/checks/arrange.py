"""Checks of new sizes: what reshape, unflatten, select and narrow need."""

from collections.abc import Iterator
from math import prod

from blocks.checks.dims import shown
from blocks.checks.fixes import set_to
from blocks.signature import Batch, Dim, Signature
from blocks.spec import Check, Inputs, Problem, Settings


def unflattens(name: str) -> Check:
    """Make the check that the new sizes multiply to the old one."""

    def check(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
        signature, dim, sizes = inputs["input"], settings["dim"], settings[name]
        if not -signature.rank <= dim < signature.rank:
            return
        size = signature.shape[dim]
        if size is None or fills(size, sizes):
            return
        fitting = refit(size, sizes) if isinstance(size, int) else (-1, 1)
        yield Problem(
            "bad_setting",
            f"needs sizes that multiply to {size} but has {name}={shown(sizes)}, "
            f"for dimension {dim} of {signature}.",
            f"Set {name} to sizes whose product is {size}; one of them may be -1.",
            (set_to(**{name: fitting}),),
        )

    return check


def fills(size: Dim, sizes: tuple[int, ...]) -> bool:
    """Whether sizes, at most one of them -1, multiply to a size (for every batch)."""
    if not sizes or sizes.count(-1) > 1 or any(s < -1 or s == 0 for s in sizes):
        return False
    known = prod(s for s in sizes if s != -1)
    if isinstance(size, Batch):
        return -1 in sizes and size.times % known == 0 and size.plus % known == 0
    return size is None or (size % known == 0 if -1 in sizes else size == known)


def refit(size: int, sizes: tuple[int, ...]) -> tuple[int, ...]:
    """Keep the sizes behind the first where they divide, and let the first follow."""
    rest = prod(s for s in sizes[1:] if s > 0)
    valid = len(sizes) > 1 and all(s > 0 for s in sizes[1:]) and size % rest == 0
    return (size // rest, *sizes[1:]) if valid else (size, 1)


def elements(signature: Signature) -> Dim:
    """Multiply all sizes; None when that is not of the form a*N + b."""
    total = prod(d for d in signature.shape if isinstance(d, int))
    batches = [d for d in signature.shape if isinstance(d, Batch)]
    if None in signature.shape or len(batches) > 1:
        return None
    return Batch(batches[0].times * total, batches[0].plus * total) if batches else total


def reshapes(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
    """Check that reshape keeps the number of values, for every batch."""
    signature, shape = inputs["input"], settings["shape"]
    total = elements(signature)
    if total is None or fills(total, shape):
        return
    row = prod(d for d in signature.shape[1:] if isinstance(d, int))
    rest = prod(shape[1:]) if len(shape) > 1 and all(s > 0 for s in shape[1:]) else 0
    if isinstance(total, Batch) and shape and shape[0] > 0 and rest and row % rest == 0:
        message = f"fixes the batch at {shape[0]} (shape={shown(shape)}) but receives {signature}."
        hint, fitting = "Start shape with -1, the batch.", (-1, *shape[1:])
    else:
        message = f"needs as many values as {signature} has but has shape={shown(shape)}."
        hint, fitting = f"Each sample has {row} values; start shape with -1, the batch.", (-1, row)
    if not isinstance(total, Batch):
        fitting = (total,)
    yield Problem("bad_setting", message, hint, (set_to(shape=fitting),))


def selects(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
    """Check that the index exists."""
    signature, dim, index = inputs["input"], settings["dim"], settings["index"]
    if not -signature.rank <= dim < signature.rank:
        return
    size = signature.shape[dim]
    if isinstance(size, int) and not -size <= index < size:
        yield Problem(
            "bad_setting",
            f"takes number {index} of dimension {dim} but receives only {size} there, "
            f"in {signature}.",
            f"Set index from 0 to {size - 1}; -1 is the last.",
            (set_to(index=-1),),
        )
    elif isinstance(size, Batch):
        yield batch_taken(f"takes number {index}", dim, signature)


def narrows(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
    """Check that the slice lies inside the dimension."""
    signature, dim = inputs["input"], settings["dim"]
    start, length = settings["start"], settings["length"]
    if not -signature.rank <= dim < signature.rank:
        return
    size = signature.shape[dim]
    if isinstance(size, Batch):
        yield batch_taken(f"takes {length} from {start} on", dim, signature)
    elif isinstance(size, int) and not slice_fits(size, start, length):
        begin = min(max(start, 0), size - 1)
        yield Problem(
            "bad_setting",
            f"takes {length} values from {start} on but receives only {size} "
            f"in dimension {dim} of {signature}.",
            f"Set start and length so that start + length is at most {size}.",
            (set_to(start=begin, length=min(length, size - begin)),),
        )


def slice_fits(size: int, start: int, length: int) -> bool:
    """Whether a run of entries lies inside a dimension; a negative start counts from its end."""
    first = start + size if start < 0 else start
    return first >= 0 and first + length <= size


def batch_taken(what: str, dim: int, signature: Signature) -> Problem:
    """Say that a block picks samples out of the batch, which may have any size."""
    return Problem(
        "batch_dim",
        f"{what} of the batch, dimension {dim} of {signature}, whose size is not fixed.",
        "Use dimension 1 or higher; dimension 0 holds the samples.",
        (set_to(dim=1 if dim != 1 else 0),),
    )


def cuts_batch(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
    """Check that the number of pieces and their sizes are the same for every batch."""
    signature, dim = inputs["input"], settings["dim"]
    if not -signature.rank <= dim < signature.rank:
        return
    size = signature.shape[dim]
    count = settings.get("chunks", settings.get("indices_or_sections"))
    even = isinstance(size, Batch) and isinstance(count, int)
    if isinstance(size, Batch) and not (even and not (size.times % count or size.plus % count)):
        yield batch_taken("takes pieces", dim, signature)
