"""How a sample is brought to the shape an Input takes."""

from math import prod

from core.data.settings import DataSettings
from core.data.source import Shape
from core.errors import DataError
from core.tasks.task import show


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
