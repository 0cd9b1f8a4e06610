"""Checks of transposed convolutions."""

from collections.abc import Iterator

from blocks.checks.fixes import set_to
from blocks.checks.windows import collapse, image, spread, times
from blocks.signature import Signature
from blocks.spec import Inputs, Problem, Settings


def transposed_fits(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
    """Check output_padding against stride and dilation, and that an output is left."""
    count = inputs["input"].rank - 2
    stride, gaps = spread(settings["stride"], count), spread(settings["dilation"], count)
    extra = spread(settings["output_padding"], count)
    most = tuple(max(s, d) - 1 for s, d in zip(stride, gaps, strict=True))
    if any(e > m for e, m in zip(extra, most, strict=True)):
        yield Problem(
            "bad_setting",
            f"has an output_padding of {times(extra)} but needs less than the stride "
            f"{times(stride)} or the dilation {times(gaps)}.",
            "Use a smaller output_padding or a larger stride.",
            (
                set_to(output_padding=collapse(most)),
                set_to(
                    stride=collapse(
                        tuple(max(s, e + 1) for s, e in zip(stride, extra, strict=True))
                    )
                ),
            ),
        )
        return
    yield from transposed_leaves_output(settings, inputs["input"])


def transposed_leaves_output(settings: Settings, signature: Signature) -> Iterator[Problem]:
    """Check that the padding does not cut away the whole output."""
    sizes = image(signature)
    if sizes is None:
        return
    names = ("kernel_size", "stride", "padding", "dilation", "output_padding")
    columns = zip(sizes, *(spread(settings[name], len(sizes)) for name in names), strict=True)
    full = tuple((n - 1) * s + d * (k - 1) + e + 1 for n, k, s, _, d, e in columns)
    pads = spread(settings["padding"], len(sizes))
    if any(f - 2 * p < 1 for f, p in zip(full, pads, strict=True)):
        most = collapse(tuple(min(p, (f - 1) // 2) for f, p in zip(full, pads, strict=True)))
        yield Problem(
            "bad_setting",
            f"makes {times(full)} values of {times(sizes)} but has a padding of {times(pads)}, "
            "which removes that much on both sides.",
            "Use a smaller padding.",
            (set_to(padding=most),),
        )
