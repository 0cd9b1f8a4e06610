"""Checks of blocks that pad or resize."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from blocks.checks.fixes import entries, insert, set_to
from blocks.signature import Signature
from blocks.spec import Check, Inputs, Problem, Settings

MODE_RANKS: dict[str, tuple[int, ...]] = {
    "linear": (3,),
    "bilinear": (4,),
    "bicubic": (4,),
    "trilinear": (5,),
}


BLENDING = {3: "linear", 4: "bilinear", 5: "trilinear"}


def padding_possible(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
    """Check pad: pairs of sizes for the last dimensions, and what the mode allows."""
    given, mode, signature = settings["pad"], settings["mode"], inputs["input"]
    pad = _without_batch(given, mode, signature)
    if len(pad) % 2 or len(pad) // 2 >= signature.rank:
        most = 2 * (signature.rank - 1)
        yield Problem(
            "bad_setting",
            f"needs pad as pairs (before, after) for up to {signature.rank - 1} dimensions "
            f"of {signature} but has {len(given)} numbers.",
            "The first pair is for the last dimension, such as (left, right, top, bottom).",
            (set_to(pad=(*pad, 0)[: min(most, len(pad) + len(pad) % 2)]),),
        )
        return
    yield from _pairs(pad, mode, settings["value"], signature)


def _without_batch(pad: tuple[int, ...], mode: str, signature: Signature) -> tuple[int, ...]:
    """The pairs without one that leaves the batch as it is, which a constant border takes, too."""
    last = 2 * (signature.rank - 1)
    return pad[:last] if mode == "constant" and pad[last:] == (0, 0) else pad


MODES = {"Reflection": "reflect", "Replication": "replicate", "Circular": "circular"}


def border_possible(kind: str) -> Check:
    """Make the check of a padding layer: what it cuts off must leave something, and a mirrored or
    circular border is no wider than the input."""

    def check(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
        value, signature = settings["padding"], inputs["input"]
        sides = 2 * (signature.rank - 2)
        pad = (value,) * sides if isinstance(value, int) else entries(value)
        found = list(_leaves_something(pad, "padding", signature))
        yield from found
        for problem in () if found else _border(pad, MODES.get(kind, ""), signature):
            fits = tuple(min(p, _most(kind, signature, i)) for i, p in enumerate(pad))
            yield replace(problem, fixes=(set_to(padding=fits),), hint="Use a smaller padding.")

    return check


def _most(kind: str, signature: Signature, index: int) -> int:
    size = signature.shape[-1 - index // 2]
    return (size - (kind == "Reflection")) if isinstance(size, int) else 0


def _pairs(
    pad: tuple[int, ...], mode: str, value: float | None, signature: Any
) -> Iterator[Problem]:
    behind = 2 * (signature.rank - 2)  # the batch may stand for channels: one pair more
    possible = [count for count in (behind, behind + 2) if count in (2, 4, 6)]
    if mode != "constant" and len(pad) not in possible:
        counts = " or ".join(map(str, possible))
        needed = f"needs {counts} numbers in pad for {signature}, but has {len(pad)}."
        yield Problem(
            "bad_setting",
            f"has mode {mode!r}, which "
            f"{needed if counts else f'takes 5 dimensions at most but receives {signature}.'}",
            "Give one pair for every dimension behind the channels, or use mode 'constant'.",
            (set_to(mode="constant"),),
        )
        return
    if mode != "constant" and value:
        yield Problem(
            "bad_setting",
            f"has mode {mode!r}, which takes no value but has {value}.",
            "Remove value, or use mode 'constant'.",
            (set_to(value=None), set_to(mode="constant")),
        )
    if mode != "constant" and not signature.floating:
        yield Problem(
            "needs_floats",
            f"has mode {mode!r}, which needs float32 but receives {signature.dtype}.",
            "Use mode 'constant', or turn the values into float32 first.",
            (set_to(mode="constant"), insert("input", "to", dtype="float32")),
        )
    problems = list(_leaves_something(pad, "pad", signature))
    yield from problems or _border(pad, mode, signature)


def _leaves_something(pad: tuple[int, ...], name: str, signature: Any) -> Iterator[Problem]:
    for index in range(len(pad) // 2):
        size = signature.shape[-1 - index]
        cut = -min(pad[2 * index], 0) - min(pad[2 * index + 1], 0)
        if isinstance(size, int) and cut >= size:
            yield Problem(
                "bad_setting",
                f"cuts {cut} values off dimension "
                f"{signature.rank - 1 - index} of {signature}, which holds {size}.",
                "Cut off less.",
                (set_to(**{name: tuple(max(p, 0) for p in pad)}),),
            )


def _border(pad: tuple[int, ...], mode: str, signature: Any) -> Iterator[Problem]:
    spare = {"reflect": -1, "circular": 0}.get(mode)
    for index, amount in enumerate(pad):
        size = signature.shape[-1 - index // 2]
        if spare is not None and isinstance(size, int) and amount > size + spare:
            yield Problem(
                "image_too_small",
                f"has mode {mode!r}, which allows at most {size + spare} values of padding "
                f"for a size of {size} but has {amount}.",
                "Use a smaller padding, or mode 'constant'.",
                (set_to(mode="constant"),),
            )


def resizable(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
    """Check interpolate and Upsample: one target, and a mode for this number of dimensions."""
    size, factor, mode = settings["size"], settings["scale_factor"], settings["mode"]
    signature = inputs["input"]
    if (size is None) == (factor is None):
        has = "both" if size is not None else "neither"
        yield Problem(
            "bad_setting",
            f"needs either size or scale_factor but has {has}.",
            "Set one of the two.",
            (set_to(scale_factor=2, size=None),),
        )
    ranks = MODE_RANKS.get(mode, (3, 4, 5))
    if signature.rank not in ranks:
        yield Problem(
            "wrong_rank",
            f"has mode {mode!r}, which needs {ranks[0]} dimensions but receives {signature}.",
            "Choose a mode for this kind of input.",
            (set_to(mode="nearest"), set_to(mode=BLENDING[signature.rank])),
        )
    yield from _resize_options(settings, signature)


def upsampled(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
    """Check UpsamplingNearest2d and UpsamplingBilinear2d: one target that leaves something."""
    size, factor = settings["size"], settings["scale_factor"]
    if (size is None) == (factor is None):
        has = "both" if size is not None else "neither"
        yield Problem(
            "bad_setting",
            f"needs either size or scale_factor but has {has}.",
            "Set one of the two.",
            (set_to(scale_factor=2, size=None),),
        )
    elif factor is not None:
        yield from _scaled(factor, inputs["input"])


def _resize_options(settings: Settings, signature: Any) -> Iterator[Problem]:
    mode, size = settings["mode"], settings["size"]
    smooth = mode in MODE_RANKS
    if settings["align_corners"] is not None and not smooth:
        yield Problem(
            "bad_setting",
            f"has align_corners, which mode {mode!r} does not know.",
            "Remove align_corners, or choose a mode such as bilinear.",
            (set_to(align_corners=None), set_to(mode="bilinear")),
        )
    if settings.get("antialias") and mode not in ("bilinear", "bicubic"):
        yield Problem(
            "bad_setting",
            f"has antialias, which mode {mode!r} does not know.",
            "Set antialias to false, or choose mode bilinear or bicubic.",
            (set_to(antialias=False), set_to(mode="bilinear")),
        )
    if size is not None and not isinstance(size, int) and len(size) != signature.rank - 2:
        yield Problem(
            "bad_setting",
            f"needs {signature.rank - 2} numbers in size but has {len(size)} for {signature}.",
            "Give one size for every dimension behind the channels.",
            (set_to(size=size[0] if size else 1),),
        )
    if settings["recompute_scale_factor"] and size is not None:
        yield Problem(
            "bad_setting",
            "has recompute_scale_factor, which needs scale_factor but has size.",
            "Set recompute_scale_factor to false.",
            (set_to(recompute_scale_factor=None),),
        )
    factor = settings["scale_factor"]
    yield from _scaled(factor, signature) if factor is not None else ()


def _scaled(factor: float | Sequence[float], signature: Any) -> Iterator[Problem]:
    """Check that there is a factor for each side, and that it leaves something."""
    sides = signature.shape[2:]
    factors = [factor] * len(sides) if isinstance(factor, int | float) else [*factor]
    if len(factors) != len(sides):
        yield Problem(
            "bad_setting",
            f"needs {len(sides)} numbers in scale_factor but has {len(factors)} for {signature}.",
            "Give one factor for every dimension behind the channels.",
            (set_to(scale_factor=factors[0]),),
        )
        return
    pairs = [(d, f) for d, f in zip(sides, factors, strict=True) if isinstance(d, int)]
    vanishing = [each for each in pairs if int(each[0] * each[1]) < 1]
    if vanishing:
        side, by = min(vanishing)
        yield Problem(
            "bad_setting",
            f"scales by {by:g} but receives a size of {side}, which leaves nothing.",
            "Use a larger scale_factor.",
            (set_to(scale_factor=1),),
        )
