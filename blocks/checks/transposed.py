"""Checks of transposed convolutions."""

from collections.abc import Iterator

from blocks.checks.divide import closest, divisors
from blocks.checks.fixes import disconnect, set_to
from blocks.checks.joins import differ
from blocks.checks.windows import collapse, image, spread, times
from blocks.signature import Dim, Signature, show_dim
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


def filters_fit(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
    """Check filters that come in on a wire: one for every channel, in equal groups."""
    image_, weight, groups = inputs["input"], inputs["weight"], settings["groups"]
    filters, kernel = weight.shape[0], weight.shape[2:]
    if differ(filters, image_.shape[1]):
        yield Problem(
            "channel_mismatch",
            f"has filters {weight} for {filters} channels but receives {image_}.",
            "Give weight as many filters in its first dimension as the input has channels.",
            (disconnect("weight"),),
        )
    elif isinstance(filters, int) and filters % groups:
        yield Problem(
            "groups_divide",
            f"splits {filters} channels into {groups} groups, which do not divide them.",
            f"Set groups to a number that divides {filters}.",
            (set_to(groups=closest(groups, divisors(filters))),),
        )
    elif all(isinstance(side, int) for side in kernel):
        yield from transposed_fits({**settings, "kernel_size": kernel}, inputs)
    made = weight.shape[1] * groups if isinstance(weight.shape[1], int) else None
    yield from _bias(made, inputs)


def bias_fits(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
    """Check the bias of a convolution whose filters come in on a wire: one number for each."""
    yield from _bias(inputs["weight"].shape[0], inputs)


def _bias(made: Dim, inputs: Inputs) -> Iterator[Problem]:
    bias = inputs.get("bias")
    if bias is not None and bias.shape != (made,):
        yield Problem(
            "unequal_shapes",
            f"makes {show_dim(made)} channels but receives a bias of {bias}.",
            "Give the bias one number for every channel that comes out.",
            (disconnect("bias"),),
        )
