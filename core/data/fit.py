"""How a sample is brought to the shape an Input takes, and what a network must then put out."""

from math import prod

from core.data.catalogue import Shape
from core.data.errors import DataError
from core.data.settings import DataSettings

MEASURES = ("MSELoss", "L1Loss", "SmoothL1Loss", "HuberLoss")
LABELLED = ("CrossEntropyLoss", "NLLLoss", "MultiMarginLoss")
YES_OR_NO = ("BCEWithLogitsLoss", "BCELoss", "SoftMarginLoss")


def show(shape: Shape) -> str:
    """Write a shape with its batch, as everywhere else: (N, 1, 28, 28)."""
    return f"({', '.join(['N', *map(str, shape)])})" if shape else "(N,)"


def resize_to(data: DataSettings, wanted: Shape) -> tuple[int, int] | None:
    """The height and width images are resized to, or None where a reshape does.

    Raises DataError naming both shapes when the samples cannot be fitted.
    """
    has = data.source.shape
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


def _channels_last(has: Shape, wanted: Shape) -> bool:
    return len(has) == 3 and has[0] > 1 and wanted == (*has[1:], has[0]) and wanted != has


def target_of(data: DataSettings, input_shape: Shape, output: Shape) -> tuple[Shape, bool]:
    """The shape of one target, and whether it holds class numbers (int64) or floats.

    Raises DataError when the network puts out another shape than the data has targets for.
    """
    if data.target == "input":
        return _same_count(data, input_shape, output), False
    if data.target == "mask":
        return _mask(data, input_shape, output)
    count = len(data.source.classes)
    if not count:
        if prod(output) == 1:
            return output, False
        raise _wrong_output(data, "one number", "1", output)
    if output == (count,):
        return (), True
    if count == 2 and output == (1,):
        return output, False
    raise _wrong_output(data, f"a score for each of {count} classes", str(count), output)


def _same_count(data: DataSettings, shape: Shape, output: Shape) -> Shape:
    if prod(output) == prod(shape):
        return output
    raise DataError(
        f"The target is the input, {show(shape)}, but the network puts out {show(output)}.",
        "Make the last block give as many values as the Input takes.",
    )


def _mask(data: DataSettings, shape: Shape, output: Shape) -> tuple[Shape, bool]:
    if data.source.kind != "image" or data.source.shape[0] != 1:
        raise DataError(
            f"A mask marks the stroke of a grey image, which {data.source.name} has not.",
            "Use digits, MNIST or FashionMNIST, or another target.",
        )
    pixels = prod(shape)
    if prod(output) == pixels:
        return output, False
    if len(output) > 1 and output[0] == 2 and prod(output[1:]) == pixels:
        return output[1:], True
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


def losses_for(data: DataSettings, labels: bool) -> tuple[str, ...]:
    """The names of torch's losses that suit the target, the usual one first."""
    if labels:
        return LABELLED if data.target == "label" else LABELLED[:2]
    if data.target == "label" and data.source.classes:
        return YES_OR_NO[:2]
    if data.target == "mask":
        return (*YES_OR_NO[:2], *MEASURES)
    return (*MEASURES, *YES_OR_NO[:2]) if data.target == "input" else MEASURES
