"""Checks that one number divides another: groups, heads, pixel shuffling."""

from collections.abc import Iterator

from blocks.checks.fixes import disconnect, insert, set_to
from blocks.signature import Batch
from blocks.spec import Check, Inputs, Problem, Settings


def divisors(number: int) -> list[int]:
    """List what divides a number, smallest first (numbers beyond 65536 up to 1024 only)."""
    limit = number if number <= 65536 else 1024
    return [d for d in range(1, limit + 1) if number % d == 0]


def closest(target: int, candidates: list[int]) -> int:
    """Choose the candidate next to a number."""
    return min(candidates, key=lambda c: (abs(c - target), c))


def next_multiple(number: int, of: int) -> int:
    """Round up to a multiple."""
    return -(-number // of) * of


def groups_divide(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
    """Check that groups divides the channels going in and those coming out."""
    groups, into, out = settings["groups"], settings["in_channels"], settings["out_channels"]
    shared = [d for d in divisors(into) if out % d == 0]
    if into % groups:
        yield Problem(
            "groups_divide",
            f"splits its channels into {groups} groups but receives {into} channels, "
            f"which {groups} does not divide.",
            f"Set groups to a number that divides {into} and {out}.",
            (set_to(groups=closest(groups, shared)),),
        )
    elif out % groups:
        yield Problem(
            "groups_divide",
            f"splits its filters into {groups} groups but has out_channels={out}, "
            f"which {groups} does not divide.",
            f"Set out_channels to a multiple of {groups}.",
            (
                set_to(out_channels=next_multiple(out, groups)),
                set_to(groups=closest(groups, shared)),
            ),
        )


def normalised_groups_divide(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
    """Check that GroupNorm's groups divide the channels."""
    groups = settings["num_groups"]
    channels = settings.get("num_channels", inputs["input"].shape[1])
    if isinstance(channels, int) and channels % groups:
        yield Problem(
            "groups_divide",
            f"splits its channels into {groups} groups (num_groups) but receives {channels} "
            f"channels, which {groups} does not divide.",
            f"Set num_groups to a number that divides {channels}.",
            (set_to(num_groups=closest(groups, divisors(channels))),),
        )


def heads_divide(width: str, heads: str, port: str = "") -> Check:
    """Make the check that the number of heads divides the width of the embedding.

    port: where a Linear may be inserted to widen it, "" for nowhere.
    """

    def check(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
        total, count = settings[width], settings[heads]
        if total % count:
            fitting = closest(count, divisors(total))
            wider = next_multiple(total, count)
            widen = (insert(port, "Linear", out_features=wider),) if port else ()
            yield Problem(
                "heads_divide",
                f"splits {total} features ({width}) among {count} heads, "
                f"but {count} does not divide {total}.",
                f"Set {heads} to a number that divides {total}, such as {fitting}.",
                (set_to(**{heads: fitting}), *widen),
            )

    return check


def shuffled_channels_divide(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
    """Check that PixelShuffle finds upscale_factor squared channels for each pixel."""
    factor, channels = settings["upscale_factor"], inputs["input"].shape[1]
    if isinstance(channels, int) and channels % factor**2:
        fitting = [f for f in range(1, 65) if channels % f**2 == 0]
        wanted = next_multiple(channels, factor**2)
        yield Problem(
            "groups_divide",
            f"needs a multiple of {factor**2} channels (upscale_factor {factor} squared) "
            f"but receives {channels}.",
            f"Give it {wanted} channels, or set upscale_factor to {closest(factor, fitting)}.",
            (
                insert("input", "Conv2d", out_channels=wanted, kernel_size=1),
                set_to(upscale_factor=closest(factor, fitting)),
            ),
        )


def unshuffled_sides_divide(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
    """Check that PixelUnshuffle's factor divides both sides of the image."""
    factor, sides = settings["downscale_factor"], inputs["input"].shape[2:]
    known = [side for side in sides if isinstance(side, int)]
    if any(side % factor for side in known):
        fitting = [f for f in range(1, 65) if all(side % f == 0 for side in known)]
        yield Problem(
            "groups_divide",
            f"needs sides that {factor} (downscale_factor) divides "
            f"but receives a {known[0]}x{known[-1]} image.",
            f"Set downscale_factor to {closest(factor, fitting)}, or resize the image.",
            (set_to(downscale_factor=closest(factor, fitting)),),
        )


def halves(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
    """Check that GLU can cut its dimension into two equal halves."""
    signature, dim = inputs["input"], settings["dim"]
    if not -signature.rank <= dim < signature.rank:
        return
    size = signature.shape[dim]
    if isinstance(size, Batch):
        yield Problem(
            "batch_dim",
            f"halves dimension {dim}, which is the batch, in {signature}.",
            "Halve another dimension; -1 is the last.",
            (set_to(dim=1 if dim % signature.rank == 0 else 0), disconnect("input")),
        )
    elif isinstance(size, int) and size % 2:
        even = [d for d in range(1, signature.rank) if _even(signature.shape[d])]
        last = dim in (-1, signature.rank - 1)
        widen = (insert("input", "Linear", out_features=next_multiple(size, 2)),) if last else ()
        yield Problem(
            "groups_divide",
            f"halves dimension {dim} but receives {size} there, an odd number, in {signature}.",
            "Give it an even number of values.",
            (
                *widen,
                *(set_to(dim=d) for d in even[:1]),
                insert("input", "narrow", dim=dim, start=0, length=size - 1)
                if size > 1
                else disconnect("input"),
            ),
        )


def _even(size: object) -> bool:
    return isinstance(size, int) and size % 2 == 0
