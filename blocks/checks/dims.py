"""Checks of settings that name dimensions or sizes: in range, fitting, and not the batch."""

from collections.abc import Iterator
from math import prod
from typing import Any

from blocks.checks.fixes import entries, set_to
from blocks.signature import Batch, Dim, Signature, show
from blocks.spec import Check, Inputs, Problem, Settings


def listed(value: Any) -> tuple[int, ...]:
    """Read one dimension or a list of them; nothing for None."""
    if value is None:
        return ()
    return entries(value)


def in_range(*names: str, port: str = "input", extra: int = 0) -> Check:
    """Make the check that dimensions exist. extra: how many more than the input has."""

    def check(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
        signature = first_of(inputs[port])
        rank = signature.rank + extra
        for name in names:
            value = settings[name]
            if all(-rank <= dim < rank for dim in listed(value)):
                continue
            fitting = tuple(min(max(dim, -rank), rank - 1) for dim in listed(value))
            fitting = tuple(sorted(set(fitting))) if isinstance(value, tuple) else fitting[0]
            yield Problem(
                "dim_range",
                f"needs {name} from {-rank} to {rank - 1} but has {shown(value)}, "
                f"for an input of {signature}.",
                f"Dimensions count from 0 (the batch) to {rank - 1}; -1 is the last.",
                (set_to(**{name: fitting}),),
            )

    return check


def first_of(value: Any) -> Signature:
    """Read the signature of a port; of a list port, that of its first wire."""
    return value if isinstance(value, Signature) else value[0]


def shown(value: Any) -> str:
    """Write one dimension or a list of them."""
    return str(value) if isinstance(value, int) else show(entries(value))


def distinct(name: str) -> Check:
    """Make the check that no dimension is named twice."""

    def check(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
        rank = inputs["input"].rank
        dims = listed(settings[name])
        if all(-rank <= d < rank for d in dims) and len({d % rank for d in dims}) < len(dims):
            once = tuple(sorted({d % rank for d in dims}))
            yield Problem(
                "bad_setting",
                f"names a dimension twice in {name}={shown(dims)}.",
                "Name every dimension once.",
                (set_to(**{name: once}),),
            )

    return check


def permutes(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
    """Check that permute names every dimension exactly once."""
    signature, dims = inputs["input"], settings["dims"]
    rank = signature.rank
    if sorted(d % rank if -rank <= d < rank else d for d in dims) != list(range(rank)):
        swapped = (0, *range(2, rank), 1) if rank > 1 else (0,)
        yield Problem(
            "bad_setting",
            f"needs each of the {rank} dimensions of {signature} once but has dims={shown(dims)}.",
            f"Write the dimensions 0 to {rank - 1} in their new order; 0 is the batch.",
            (set_to(dims=swapped),),
        )


def flattens(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
    """Check that flatten ends behind its start."""
    rank = inputs["input"].rank
    start, end = settings["start_dim"], settings["end_dim"]
    if -rank <= start < rank and -rank <= end < rank and start % rank > end % rank:
        yield Problem(
            "bad_setting",
            f"starts at dimension {start % rank} but ends at {end % rank}, which comes before it.",
            "Set end_dim to -1, the last dimension.",
            (set_to(end_dim=-1),),
        )


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
        said = f"fixes the batch at {shape[0]} (shape={shown(shape)}) but receives {signature}."
        hint, fitting = "Start shape with -1, the batch.", (-1, *shape[1:])
    else:
        said = f"needs as many values as {signature} has but has shape={shown(shape)}."
        hint, fitting = f"Each sample has {row} values; start shape with -1, the batch.", (-1, row)
    if not isinstance(total, Batch):
        fitting = (total,)
    yield Problem("bad_setting", said, hint, (set_to(shape=fitting),))


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


def keeps_batch(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
    """Check that squeeze cannot swallow a batch of one sample."""
    signature = inputs["input"]
    dims = listed(settings["dim"]) or tuple(range(signature.rank))
    inside = [d for d in dims if -signature.rank <= d < signature.rank]
    if any(isinstance(signature.shape[d], Batch) for d in inside):
        ones = [d for d in range(1, signature.rank) if signature.shape[d] == 1]
        dim = ones[0] if len(ones) == 1 else tuple(ones) or 1
        yield Problem(
            "batch_dim",
            f"would drop the batch of {signature} whenever it holds a single sample.",
            "Name the dimension to drop.",
            (set_to(dim=dim),),
        )


def mixes_batch(name: str, what: str, start: Any = 1) -> Check:
    """Make the warning that an operation runs over the samples of a batch."""

    def check(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
        signature = inputs["input"]
        dims = listed(settings[name])
        over = [d for d in dims or range(signature.rank) if -signature.rank <= d < signature.rank]
        if any(isinstance(signature.shape[d], Batch) for d in over):
            rest = tuple(range(2, signature.rank)) if start == "space" else start
            yield Problem(
                "batch_mixed",
                f"{what} the batch of {signature}, so samples influence each other.",
                "Leave dimension 0 out.",
                (set_to(**{name: rest or 1}),),
            )

    return check


def joins_batch(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
    """Warn when flatten swallows the batch."""
    signature = inputs["input"]
    start, end = (settings[name] % signature.rank for name in ("start_dim", "end_dim"))
    if start == 0 and end > 0 and isinstance(signature.shape[0], Batch):
        yield Problem(
            "batch_mixed",
            f"joins the batch of {signature} with its other dimensions.",
            "Set start_dim to 1 to keep the samples apart.",
            (set_to(start_dim=1),),
        )


def not_one(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
    """Warn that squeeze drops sizes of 1 only."""
    signature = inputs["input"]
    if all(signature.shape[d] != 1 for d in listed(settings["dim"])):
        ones = [d for d in range(1, signature.rank) if signature.shape[d] == 1]
        fixes = (set_to(dim=ones[0]),) if ones else (set_to(dim=1),)
        yield Problem(
            "no_effect",
            f"drops nothing: dimension {shown(settings['dim'])} of {signature} is not 1.",
            "Name a dimension of size 1, or remove the block.",
            fixes,
        )
