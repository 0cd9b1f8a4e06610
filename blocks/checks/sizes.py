"""Checks of normalisation, embedding, padding and resizing blocks, and of a static Input."""

from collections.abc import Iterator
from typing import Any

from blocks.checks.fixes import disconnect, entries, follow_wire, insert, replace_by, set_to
from blocks.signature import Batch, Signature, show
from blocks.spec import Check, Inputs, Problem, Settings


def trailing_shape(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
    """Check that a list normalized_shape equals the last sizes of the input."""
    shape, signature = settings["normalized_shape"], inputs["input"]
    if isinstance(shape, int):
        return
    sizes = entries(shape)
    last = signature.shape[-len(sizes) :] if sizes else ()
    if len(sizes) >= signature.rank or last != sizes:
        yield Problem(
            "feature_mismatch",
            f"needs last sizes {show(sizes)} (normalized_shape) but receives {signature}.",
            f"Remove normalized_shape to normalise over the last size, {signature.shape[-1]}.",
            (follow_wire("normalized_shape"),),
        )


def more_than_one_value(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
    """Check that instance normalisation sees more than one value per channel."""
    signature = inputs["input"]
    if all(size == 1 for size in signature.shape[2:]):
        yield Problem(
            "image_too_small",
            f"needs more than one value per channel but receives {signature}.",
            "Normalise before the image is pooled to one pixel, or use LayerNorm.",
            (replace_by("Identity"),),
        )


def batch_of_one(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
    """Warn that a batch of one sample has no spread to normalise by."""
    signature = inputs["input"]
    # (N, C) is what BatchNorm1d is made for, and training never takes a batch of one by itself
    if signature.rank > 2 and all(size == 1 for size in signature.shape[2:]):
        yield Problem(
            "batch_of_one",
            f"sees one value per channel of each sample in {signature}, "
            "so training needs batches of at least 2.",
            "Keep batch_size at 2 or more; LayerNorm does without a batch.",
            (replace_by("Identity"),),
        )


def one_per_channel(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
    """Check PReLU: one slope in all, or one per channel."""
    count, signature = settings["num_parameters"], inputs["input"]
    channels = signature.shape[1]
    if count != 1 and isinstance(channels, int) and count != channels:
        yield Problem(
            "channel_mismatch",
            f"has {count} slopes (num_parameters) but receives {channels} channels in {signature}.",
            f"Set num_parameters to 1 or {channels}.",
            (set_to(num_parameters=channels), set_to(num_parameters=1)),
        )


def ordered(low: str, high: str) -> Any:
    """Make the check that one setting lies below another."""

    def check(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
        if settings[low] >= settings[high]:
            yield Problem(
                "bad_setting",
                f"needs {low} below {high} but has {settings[low]} and {settings[high]}.",
                f"Set {high} above {low}.",
                (set_to(**{high: settings[low] + 1}),),
            )

    return check


def padding_index(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
    """Check that padding_idx is one of the tokens."""
    index, count = settings["padding_idx"], settings["num_embeddings"]
    if index is not None and not -count <= index < count:
        yield Problem(
            "bad_setting",
            f"needs padding_idx from {-count} to {count - 1} but has {index}, "
            f"with num_embeddings={count}.",
            "Set padding_idx to the number of the padding token.",
            (set_to(padding_idx=None), set_to(num_embeddings=max(index, -index - 1) + 1)),
        )


def bag_weights(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
    """Check EmbeddingBag's weights and the options of mode 'max'."""
    weights, mode = inputs.get("per_sample_weights"), settings["mode"]
    if weights is not None and mode != "sum":
        yield Problem(
            "bad_setting",
            f"takes per_sample_weights with mode 'sum' only but has mode {mode!r}.",
            "Set mode to 'sum'.",
            (set_to(mode="sum"),),
        )
    if weights is not None and weights.shape != inputs["input"].shape:
        yield Problem(
            "unequal_shapes",
            f"needs one weight per token, {inputs['input']}, but receives {weights} "
            "at per_sample_weights.",
            "Give the weights the shape of the tokens.",
            (disconnect("per_sample_weights"),),
        )
    for name in ("scale_grad_by_freq", "sparse"):
        if mode == "max" and settings[name]:
            yield Problem(
                "bad_setting",
                f"has mode 'max', which does not work with {name}.",
                f"Set {name} to false.",
                (set_to(**{name: False}), set_to(mode="mean")),
            )


def implicit_dim(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
    """Warn that torch guesses the dimension when none is given."""
    if settings["dim"] is None:
        yield Problem(
            "no_effect",
            "has no dim, so torch guesses one and warns.",
            "Set dim to -1, the last dimension, or to 1, the classes.",
            (set_to(dim=-1),),
        )


def flatten_first(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
    """Warn that a Linear works along the last dimension of an image only.

    Not where the channels visibly come last, as in Swin and ConvNeXt: there it is meant.
    """
    signature = inputs["input"]
    if signature.rank == 4 and isinstance(signature.shape[0], Batch) and not _last(signature):
        yield Problem(
            "missing_flatten",
            f"receives an image {signature} and acts on each row of {signature.shape[-1]} alone.",
            "Insert a flatten before it, if it should see the whole image.",
            (insert("input", "flatten", start_dim=1),),
        )


def _last(image: Signature) -> bool:
    """Whether the channels come last: a square image has its equal sizes before them."""
    _, high, wide, last = image.shape
    return high == wide != last


def counts(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
    """Check arange: steps need a second dimension, and counting needs a way to its end."""
    start, end, step = settings["start"], settings["end"], settings["step"]
    if end is None and inputs["input"].rank < 2:
        yield Problem(
            "wrong_rank",
            f"needs (N, L, *) to number its steps but receives {inputs['input']}.",
            "Set end to count to it.",
            (set_to(end=10),),
        )
    elif end is not None and (step == 0 or (end - start) * step < 0):
        yield Problem(
            "bad_setting",
            f"cannot get from {start} to {end} in steps of {step}.",
            "Set step to 1 and end above start.",
            (set_to(start=0, end=abs(end), step=1),),
        )


def another_size(settings: Settings) -> Problem | None:
    """The problem of an Input whose shape is not the one that its network holds for."""
    shape, static = tuple(settings["shape"]), settings.get("static_shape")
    if not static:
        return None
    pairs = list(zip(shape, static, strict=False))
    if len(shape) == len(static) and all(held in (None, size) for size, held in pairs):
        return None
    needed = tuple(size if held is None else held for size, held in pairs)
    needed += tuple(held or 1 for held in static[len(shape) :])
    wanted = ", ".join("any" if held is None else str(held) for held in static)
    return Problem(
        "static_shape",
        f"has the shape {shape} but the network holds for ({wanted}) only: it was imported from a "
        "model that decides by this size.",
        "Give it that shape, or import the model again with the other one.",
        (set_to(shape=needed),),
    )


RUNNING = ("running_mean", "running_var")


def statistics_given(own: str) -> Check:
    """Make the check that running values come in where the input's own are not used (`own`)."""

    def check(settings: Settings, inputs: Inputs) -> Iterator[Problem]:
        missing = [port for port in RUNNING if port not in inputs]
        alone = settings[own] and not settings["training_only"]
        if alone or not missing:
            return
        how, turn = f"{own} off", f"{own} on"
        change = {own: True}
        if settings[own]:
            how, turn, change = "training_only on", "it off", {"training_only": False}
        yield Problem(
            "unconnected",
            f"needs wires into running_mean and running_var with {how} but has none into "
            f"{' and '.join(missing)}.",
            f"Wire buffers with one number for every channel there, or turn {turn}.",
            (set_to(**change),),
        )

    return check
