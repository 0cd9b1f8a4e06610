"""The decision boundary and the units of a block as `layerloom look` have them."""

from typing import TYPE_CHECKING, Any

from core.common.network_ref import NetworkRef
from core.insight.look.view import LookRequest, LookResult, View

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from core.insight.one_sample.plane import Region, Seen

PICTURE_PX = 640
HUES = (
    (104, 100, 217),
    (207, 113, 31),
    (37, 148, 103),
    (212, 71, 127),
    (36, 137, 194),
    (156, 125, 23),
)
"""Colours of classes, as on the pages."""


def boundary(ref: NetworkRef, request: LookRequest) -> LookResult:
    """What the network answers over the plane of its two columns; of a block, each of its units.

    Raises DataError where samples are not two numbers, NoSuch for a block that is none or puts out
    nothing of each point.
    """
    from core.insight.attribution.subject import NoSuch
    from core.insight.network_cache import opened
    from core.insight.one_sample.plane import SIDE, accuracy, seen

    names = list(opened(ref).report.nodes)
    if request.block and request.block not in names:
        raise NoSuch(
            f"There is no block called {request.block}.", f"There are: {', '.join(names)}."
        )
    forward = seen(ref, [request.block] if request.block else [])
    grid = forward.grid
    document: dict[str, Any] = {
        "columns": list(grid.columns),
        "ranges": [list(grid.across), list(grid.up)],
        "side": SIDE,
        "accuracy": accuracy(ref),
    }
    over = " and ".join(
        f"{name} from {low:.3g} to {high:.3g}"
        for name, (low, high) in zip(grid.columns, (grid.across, grid.up), strict=True)
    )
    first = f"{SIDE} x {SIDE} points, {over}."
    if request.block:
        return _units(forward, request.block, document, first)
    if forward.region is None:
        raise NoSuch("The network predicts neither classes nor one number.", "Name a --block.")
    return _region(forward.region, document, first)


def _region(region: "Region", document: dict[str, Any], first: str) -> LookResult:
    right = [
        f"Accuracy on {part} samples: {share:.1%}." for part, share in document["accuracy"].items()
    ]
    if region.numbers is not None:
        ends = [float(region.numbers.min()), float(region.numbers.max())]
        lines = (first, f"The prediction goes from {ends[0]:.4g} to {ends[1]:.4g}.")
        numbers = region.numbers.numpy()
        return LookResult(
            {**document, "lowest": ends[0], "highest": ends[1]},
            lines,
            {"predictions": numbers},
            _painted(numbers[None]),
        )
    assert region.classes is not None
    assert region.shares is not None
    predicted, shares = region.classes.numpy(), region.shares.numpy()
    areas = {name: float((predicted == k).mean()) for k, name in enumerate(region.names)}
    lines = (first, *(f"{name}: {area:.1%} of the plane" for name, area in areas.items()), *right)
    arrays = {"classes": predicted, "probabilities": shares}
    return LookResult({**document, "areas": areas}, lines, arrays, _coloured(predicted, shares))


def _units(forward: "Seen", block: str, document: dict[str, Any], first: str) -> LookResult:
    from core.insight.attribution.subject import NoSuch

    if block not in forward.units:
        raise NoSuch(f"{block} has no output for each point of the plane.", "Name another block.")
    units = forward.units[block].numpy()
    rows = [
        {
            "unit": k,
            "lowest": float(u.min()),
            "highest": float(u.max()),
            "above_zero": float((u > 0).mean()),
        }
        for k, u in enumerate(units)
    ]
    lines = [
        f"{block}[{row['unit']}]: lowest {row['lowest']:.4g}, highest {row['highest']:.4g}, above "
        f"0 on {row['above_zero']:.1%} of the plane"
        for row in rows
    ]
    return LookResult(
        {**document, "block": block, "units": rows},
        (first, *lines),
        {block: units},
        _painted(units),
    )


def _painted(units: "NDArray[Any]") -> bytes:
    from core.insight.images import paint, png

    signed = bool(units.min() < 0)
    return png(paint(units, signed=signed, together=True, width_px=PICTURE_PX))


def _coloured(predicted: "NDArray[Any]", shares: "NDArray[Any]") -> bytes:
    """The class by colour, the paler the less sure."""
    import numpy as np

    from core.insight.images import arrange, enlarge, png
    from core.insight.one_sample.plane import SIDE

    hues = np.array(HUES)[predicted % len(HUES)]
    sure = np.take_along_axis(shares, predicted[None], axis=0)[0]
    even = 1 / len(shares)
    strength = 0.15 + 0.75 * np.clip((sure - even) / (1 - even), 0, 1)[..., None]
    pixels = np.rint(255 - strength * (255 - hues)).astype(np.uint8)
    return png(arrange(enlarge(pixels, PICTURE_PX // SIDE)[None]))


VIEWS = (
    View(
        "boundary",
        "decision boundary over two columns; with --block, the activation of each unit",
        boundary,
        sample=False,
        order=40,
    ),
)
