"""Checks of settings that name dimensions or sizes: in range, fitting, and not the batch."""

from collections.abc import Iterator
from typing import Any

from blocks.checks.fixes import entries, replace_by, set_to
from blocks.signature import Batch, Signature, show
from blocks.spec import Check, Inputs, Problem, Settings


def listed(value: Any) -> tuple[int, ...]:
    """Read one dimension or a list of them; leave empty for None."""
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


def keeps_batch(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
    """Check that squeeze cannot swallow a batch of one sample."""
    signature = inputs["input"]
    dims = listed(settings["dim"]) or tuple(range(signature.rank))
    inside = [d for d in dims if -signature.rank <= d < signature.rank]
    if any(isinstance(signature.shape[d], Batch) for d in inside):
        ones = tuple(d for d in range(signature.rank) if signature.shape[d] == 1)
        drop = set_to(dim=ones[0] if len(ones) == 1 else ones) if ones else replace_by("Identity")
        yield Problem(
            "batch_dim",
            f"would drop the batch of {signature} whenever it holds a single sample.",
            "Name the dimension to drop.",
            (drop,),
        )


def mixes_batch(name: str, what: str, space: bool = False) -> Check:
    """Make the warning that an operation runs over the samples of a batch.

    space: offer all dimensions behind the channels instead of one.
    """

    def check(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
        signature = inputs["input"]
        over = listed(settings[name]) or range(signature.rank)
        rest = tuple(d for d, s in enumerate(signature.shape) if not isinstance(s, Batch))
        if any(isinstance(signature.shape[d], Batch) for d in over) and rest:
            wanted = (rest[1:] or rest) if space else rest[-1]
            yield Problem(
                "batch_mixed",
                f"{what} the batch of {signature}, so samples influence each other.",
                "Leave the batch out.",
                (set_to(**{name: wanted}),),
            )

    return check


def keepdim_needs_dim(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
    """Check that keepdim comes with the dimensions to keep."""
    if settings["keepdim"] and settings["dim"] is None:
        every = tuple(range(1, inputs["input"].rank))
        yield Problem(
            "bad_setting",
            "has keepdim but no dim, which torch does not allow.",
            "Name the dimensions in dim, or set keepdim to false.",
            (set_to(dim=every), set_to(keepdim=False)),
        )


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
        fixes = (set_to(dim=ones[0]),) if ones else (replace_by("Identity"),)
        yield Problem(
            "no_effect",
            f"drops nothing: dimension {shown(settings['dim'])} of {signature} is not 1.",
            "Name a dimension of size 1, or remove the block.",
            fixes,
        )
