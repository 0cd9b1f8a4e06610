"""Fit a sample to the shape of an Input, and derive the output shape that a network needs."""

from math import prod

from core.data.settings import DataSettings
from core.data.source import Shape
from core.errors import DataError

MEASURES = ("MSELoss", "L1Loss", "SmoothL1Loss", "HuberLoss")
LABELLED = ("CrossEntropyLoss", "NLLLoss", "MultiMarginLoss")
YES_OR_NO = ("BCEWithLogitsLoss", "BCELoss")


def show(shape: Shape) -> str:
    """Write a shape with its batch, as everywhere else: (N, 1, 28, 28)."""
    return f"({', '.join(['N', *map(str, shape)])})" if shape else "(N,)"


def resize_to(data: DataSettings, wanted: Shape) -> tuple[int, int] | None:
    """The height and width images are resized to, or None where a reshape does.

    Raises DataError naming both shapes when the samples cannot be fitted.
    """
    has = data.source.shape
    if data.source.decoded:
        return _decoded_to(data, wanted)
    if prod(has) == prod(wanted) and not _channels_last(has, wanted):
        return None
    image = len(has) == len(wanted) == 3
    if image and has[0] == wanted[0]:
        return wanted[1], wanted[2]
    shape = ", ".join(map(str, has))
    what = "images" if data.source.kind == "image" else "rows"
    raise DataError(
        f"The Input needs {show(wanted)} but receives {what} of {show(has)} from "
        f"{data.source.name}.",
        f"Set its shape to [{shape}]{', or another height and width' if image else ''}.",
    )


def _decoded_to(data: DataSettings, wanted: Shape) -> tuple[int, int]:
    """The size that pictures of any size are decoded at."""
    if len(wanted) == 3 and wanted[0] in (1, 3) and 0 < wanted[1] <= 1024 >= wanted[2] > 0:
        return wanted[1], wanted[2]
    raise DataError(
        f"The Input needs {show(wanted)} but receives pictures from {data.source.name}.",
        "Set its shape to [3, 64, 64], or [1, 64, 64] for grey: at most 1024 pixels a side.",
    )


def _channels_last(has: Shape, wanted: Shape) -> bool:
    return len(has) == 3 and has[0] > 1 and wanted == (*has[1:], has[0]) and wanted != has


def target_of(
    data: DataSettings, column: str, input_shape: Shape, output: Shape
) -> tuple[Shape, str]:
    """The shape of one target, and its kind: how outputs are compared with it.

    Kinds: classes, yes_no, regression, image, mask, mask_classes, labels, tokens, series, pair,
    sequence.
    Raises DataError when the network puts out another shape than the data has targets for.
    """
    if column == "input":
        return _same_count(data, input_shape, output), "image"
    if column == "mask":
        return _mask(data, input_shape, output)
    if column == "sequence":
        return _sequence(data, output), "sequence"
    if column in ("next", "hidden", "answer"):
        return _following(data, column, input_shape, output)
    return _answer(data, column, output)


def _answer(data: DataSettings, column: str, output: Shape) -> tuple[Shape, str]:
    """Classes, labels, a number, or how far two samples are apart."""
    count = len(data.source.classes)
    if column == "same":
        if prod(output) == 1:
            return output, "pair"
        raise _wrong_output(data, "one distance for each pair", "1", output)
    if column == "labels":
        if output == (count,):
            return output, "labels"
        raise _wrong_output(data, f"a score for each of {count} labels", str(count), output)
    if not count:
        if prod(output) == 1:
            return output, "regression"
        raise _wrong_output(data, "one number", "1", output)
    if output == (count,):
        return (), "classes"
    if count == 2 and output == (1,):
        return output, "yes_no"
    raise _wrong_output(data, f"a score for each of {count} classes", str(count), output)


def _sequence(data: DataSettings, output: Shape) -> Shape:
    """Scores for a blank and every class at each step, of which CTC aligns the sequence to some."""
    longest, wanted = data.source.longest, len(data.source.classes) + 1
    least = 2 * longest - 1  # a blank between any two, should they be the same
    if len(output) == 2 and output[0] >= least and output[1] == wanted:
        return (longest,)
    raise DataError(
        f"{data.source.name} needs scores for a blank and {wanted - 1} classes at {least} steps or "
        f"more, (N, {least}, {wanted}) at least, but the network puts out {show(output)}.",
        f"Set out_features of the last Linear to {wanted}, and let steps come before scores.",
    )


def _following(data: DataSettings, column: str, shape: Shape, output: Shape) -> tuple[Shape, str]:
    """Scores for every character of a text, or the next values of a series."""
    length = data.source.answer if column == "answer" else shape[0]
    if data.source.kind == "series":
        if prod(output) in (1, prod(shape)):
            return output, "series"
        wants = f"the next value, (N, 1), or one after each of {length}, {show(shape)}"
    else:
        tokens = len(data.source.alphabet)
        if output == (length, tokens):
            return (length,), "tokens"
        wants = f"a score for each of {tokens} characters at {length} places, "
        wants += show((length, tokens))
    raise DataError(
        f"{data.source.name} needs {wants}, but the network puts out {show(output)}.",
        "Set out_features of the last Linear, and keep the length of the sequence.",
    )


def _same_count(data: DataSettings, shape: Shape, output: Shape) -> Shape:
    if prod(output) == prod(shape):
        return output
    raise DataError(
        f"The target is the input, {show(shape)}, but the network puts out {show(output)}.",
        "Make the last block give as many values as the Input takes.",
    )


def _mask(data: DataSettings, shape: Shape, output: Shape) -> tuple[Shape, str]:
    if data.source.kind != "image" or data.source.shape[0] != 1:
        raise DataError(
            f"A mask marks the stroke of a grey image, which {data.source.name} has not.",
            "Use digits, MNIST or FashionMNIST, or another target.",
        )
    pixels = prod(shape)
    if prod(output) == pixels:
        return output, "mask"
    if len(output) > 1 and output[0] == 2 and prod(output[1:]) == pixels:
        return output[1:], "mask_classes"
    raise DataError(
        f"A mask of {show(shape)} needs {pixels} values or two scores for each, but the network "
        f"puts out {show(output)}.",
        "Make the last block give one channel of the image's height and width.",
    )


def _wrong_output(data: DataSettings, needs: str, size: str, output: Shape) -> DataError:
    return DataError(
        f"{data.source.name} needs {needs}, (N, {size}), but the network puts out {show(output)}.",
        f"Set out_features of the last Linear to {size}.",
    )


LOSSES_OF: dict[str, tuple[str, ...]] = {
    "classes": LABELLED,
    "yes_no": YES_OR_NO,
    "regression": (*MEASURES, "PoissonNLLLoss", "GaussianNLLLoss"),
    "series": (*MEASURES, "GaussianNLLLoss"),
    "image": (*MEASURES, *YES_OR_NO),
    "mask": (*YES_OR_NO, *MEASURES),
    "mask_classes": LABELLED[:2],
    "labels": (*YES_OR_NO, "MultiLabelSoftMarginLoss"),
    "tokens": LABELLED[:2],
    "pair": ("HingeEmbeddingLoss",),
    "sequence": ("CTCLoss",),
    "cosine": ("CosineEmbeddingLoss",),
    "triplet": ("TripletMarginLoss",),
    "judged": (*YES_OR_NO, "MSELoss"),
    "itself": ("mean",),
}
"""The names of torch's losses that suit each kind of target, the usual one first."""
OUTPUTS = {"CosineEmbeddingLoss": 2, "TripletMarginLoss": 3, "GaussianNLLLoss": 2}
"""How many Outputs a loss reads, where that is not one: vectors, or a mean and its variance."""
