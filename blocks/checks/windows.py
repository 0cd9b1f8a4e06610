"""Checks of kernels that slide over sequences and images: they must fit inside."""

from collections.abc import Iterator
from typing import Any

from blocks.checks.fixes import entries, set_to
from blocks.signature import Signature
from blocks.spec import Inputs, Problem, Settings


def spread(value: Any, count: int) -> tuple[Any, ...]:
    """Repeat a single size for every spatial dimension; a list of one counts as single."""
    values = entries(value)
    return values * count if len(values) == 1 else values


def collapse(values: tuple[int, ...]) -> int | tuple[int, ...]:
    """Write equal sizes as one number."""
    return values[0] if len(set(values)) == 1 else values


def times(values: tuple[Any, ...]) -> str:
    """Write sizes as 5x5."""
    return "x".join(map(str, values))


def image(signature: Signature) -> tuple[int, ...] | None:
    """Read the spatial sizes (all behind the channels) if all are known numbers."""
    sizes = tuple(d for d in signature.shape[2:] if isinstance(d, int))
    return sizes if len(sizes) == signature.rank - 2 else None


def _mismatch(kernel: tuple[int, ...], sizes: tuple[int, ...], wide: tuple[int, ...]) -> str:
    if len(sizes) == 1:
        shown = f"a kernel of {kernel[0]}"
        shown += f" (spanning {wide[0]} with dilation)" if wide != kernel else ""
        return f"has {shown} but receives a sequence of {sizes[0]}"
    shown = f"a {times(kernel)} kernel"
    shown += f" (spanning {times(wide)} with dilation)" if wide != kernel else ""
    return f"has {shown} but receives a {times(sizes)} image"


def too_small(
    settings: Settings, sizes: tuple[int, ...], pads: tuple[int, ...], most: tuple[int, ...]
) -> Problem:
    """Say that a kernel does not fit, with the kernel or padding that would.

    most: the largest padding allowed on each side.
    """
    count = len(sizes)
    kernel = spread(settings["kernel_size"], count)
    gaps = spread(settings.get("dilation", 1), count)
    wide = tuple((k - 1) * d + 1 for k, d in zip(kernel, gaps, strict=True))
    room = zip(sizes, pads, kernel, gaps, strict=True)
    small = collapse(tuple(min(k, (s + 2 * p - 1) // d + 1) for s, p, k, d in room))
    needed = tuple(max(p, -((s - w) // 2)) for s, p, w in zip(sizes, pads, wide, strict=True))
    fixes = [set_to(kernel_size=small)]
    if all(n <= m for n, m in zip(needed, most, strict=True)):
        fixes.append(set_to(padding=collapse(needed)))
    if wide != kernel and all(k <= s + 2 * p for k, s, p in zip(kernel, sizes, pads, strict=True)):
        fixes.append(set_to(dilation=1))
    padded = tuple(s + 2 * p for s, p in zip(sizes, pads, strict=True))
    note = f" ({times(padded)} with padding)" if any(pads) else ""
    shown = small if isinstance(small, int) else times(small)
    limit = f"Set kernel_size to {shown}" + (" or less" if isinstance(small, int) else "")
    return Problem(
        "image_too_small",
        f"{_mismatch(kernel, sizes, wide)}{note}.",
        limit + (", or enlarge the padding." if len(fixes) > 1 else "."),
        tuple(fixes),
    )


def convolution_fits(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
    """Check that the kernel fits the padded input, and that the padding is possible."""
    sizes = image(inputs["input"])
    if sizes is None:
        return
    count, padding = len(sizes), settings["padding"]
    kernel, gaps = spread(settings["kernel_size"], count), spread(settings["dilation"], count)
    wide = tuple((k - 1) * d + 1 for k, d in zip(kernel, gaps, strict=True))
    if padding == "same":
        yield from same_needs_stride_1(settings, count)
        yield from border_fits(settings, sizes, tuple(w // 2 for w in wide))
        return
    pads = (0,) * count if padding == "valid" else spread(padding, count)
    if any(s + 2 * p < w for s, p, w in zip(sizes, pads, wide, strict=True)):
        yield too_small(settings, sizes, pads, border_limit(settings, sizes))
    else:
        yield from border_fits(settings, sizes, pads)


def same_needs_stride_1(settings: Settings, count: int) -> Iterator[Problem]:
    """Check that padding='same' is not combined with a stride."""
    stride = spread(settings["stride"], count)
    if any(s != 1 for s in stride):
        kernel = spread(settings["kernel_size"], count)
        gaps = spread(settings["dilation"], count)
        half = tuple((k - 1) * d // 2 for k, d in zip(kernel, gaps, strict=True))
        yield Problem(
            "bad_setting",
            f"has padding 'same', which needs a stride of 1 but receives {times(stride)}.",
            "Set stride to 1, or give the padding as a number.",
            (set_to(stride=1), set_to(padding=collapse(half))),
        )


def border_limit(settings: Settings, sizes: tuple[int, ...]) -> tuple[int, ...]:
    """Give the largest padding that padding_mode allows on each side."""
    mode = settings.get("padding_mode", "zeros")
    if mode == "reflect":
        return tuple(s - 1 for s in sizes)
    return sizes if mode == "circular" else (2**31,) * len(sizes)


def border_fits(
    settings: Settings, sizes: tuple[int, ...], pads: tuple[int, ...]
) -> Iterator[Problem]:
    """Check that a reflected or circular border is not wider than the input."""
    most = border_limit(settings, sizes)
    if all(p <= m for p, m in zip(pads, most, strict=True)):
        return
    mode = settings["padding_mode"]
    allowed = collapse(tuple(min(p, m) for p, m in zip(pads, most, strict=True)))
    less = () if settings["padding"] == "same" else (set_to(padding=allowed),)
    yield Problem(
        "image_too_small",
        f"has padding_mode {mode!r}, which allows a padding of at most {times(most)} "
        f"for a {times(sizes)} input but receives {times(pads)}.",
        "Use a smaller padding, or padding_mode 'zeros'.",
        (*less, set_to(padding_mode="zeros")),
    )


def pooling_fits(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
    """Check that at least one window fits, and that the padding is at most half a kernel."""
    sizes = image(inputs["input"])
    if sizes is None:
        return
    count = len(sizes)
    kernel = spread(settings["kernel_size"], count)
    pads = spread(settings.get("padding", 0), count)
    half = tuple(k // 2 for k in kernel)
    if any(p > h for p, h in zip(pads, half, strict=True)):
        yield padding_too_wide(kernel, pads, half)
    elif any(n < 1 for n in windows(settings, sizes, pads)):
        limit = half if "padding" in settings else (-1,) * count
        yield too_small(settings, sizes, pads, limit)


def windows(settings: Settings, sizes: tuple[int, ...], pads: tuple[int, ...]) -> Iterator[int]:
    """Count the pooling windows along each dimension, as torch does with ceil_mode."""
    count = len(sizes)
    kernel = spread(settings["kernel_size"], count)
    stride = spread(settings["stride"] or settings["kernel_size"], count)
    gaps = spread(settings.get("dilation", 1), count)
    for size, pad, k, step, gap in zip(sizes, pads, kernel, stride, gaps, strict=True):
        spare = size + 2 * pad - gap * (k - 1) - 1
        number = (spare + (step - 1 if settings["ceil_mode"] else 0)) // step + 1
        outside = settings["ceil_mode"] and (number - 1) * step >= size + pad
        yield number - outside


def padding_too_wide(
    kernel: tuple[int, ...], pads: tuple[int, ...], half: tuple[int, ...]
) -> Problem:
    """Say that a pooling window could lie in the padding alone."""
    fitting = collapse(tuple(min(p, h) for p, h in zip(pads, half, strict=True)))
    larger = collapse(tuple(max(k, 2 * p) for k, p in zip(kernel, pads, strict=True)))
    return Problem(
        "bad_setting",
        f"has a padding of {times(pads)} but allows at most half the kernel, {times(half)}.",
        "Use a smaller padding or a larger kernel_size.",
        (set_to(padding=fitting), set_to(kernel_size=larger)),
    )
