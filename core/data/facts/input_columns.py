"""The column that each Input of a network receives, fitted to its shape."""

from dataclasses import dataclass
from math import prod

from core.common.errors import DataError
from core.data.facts.settings import DataSettings, listed
from core.data.sources.io_spec import End, Many
from core.data.sources.source import Shape
from core.data.sources.text_settings import LONGEST
from core.tasks.registry import target_of
from core.tasks.task import show

TOKENS = "int64"


@dataclass(frozen=True)
class Feed:
    """One Input and what it receives.

    column: `input`, `noise` (drawn again for every batch) or another column of the data. picks:
    places of the columns of a table, none for all. resize: height and width of images.
    """

    node: str
    column: str
    shape: Shape
    picks: tuple[int, ...] = ()
    resize: tuple[int, int] | None = None

    @property
    def noise(self) -> bool:
        return self.column == "noise"


def feeds(data: DataSettings, inputs: Many) -> tuple[Feed, ...]:
    """Bind every Input to a column. Raises DataError naming the Input."""
    names = [end.name for end in inputs]
    for name in data.inputs:
        if name not in names:
            raise DataError(
                f"data.inputs names {name}, which is not an Input.", f"Name {listed(tuple(names))}."
            )
    natural = target_of(data.target, data.source).inputs
    left = [column for column in natural if column not in data.inputs.values()]
    result: list[Feed] = []
    for end in inputs:
        given = data.inputs.get(end.name)
        if given is None and not left:
            raise _too_many(data, names, natural)
        result.append(_feed(data, end, left.pop(0) if given is None else given, natural))
    if left and not data.inputs:
        raise DataError(
            f"The target {data.target} gives {len(natural)} inputs ({', '.join(natural)}) but the "
            f"network has {len(names)} Input ({', '.join(names)}).",
            "Add an Input for each, or choose another target.",
        )
    return tuple(result)


def _too_many(data: DataSettings, names: list[str], natural: tuple[str, ...]) -> DataError:
    return DataError(
        f"Training needs one Input for each of {', '.join(natural)} but the network has "
        f"{len(names)} ({', '.join(names)}).",
        'Keep as many, or set in data.inputs what each receives, such as {"'
        + f'{names[-1]}": "noise"'
        + "}.",
    )


def _feed(
    data: DataSettings, end: End, given: str | tuple[str, ...], natural: tuple[str, ...]
) -> Feed:
    if given == "noise":
        _typed(end, "float32", "normal noise")
        return Feed(end.name, "noise", end.shape)
    if isinstance(given, tuple):
        return _picked(data, end, given)
    if given not in natural:
        raise DataError(
            f"{end.name} cannot receive {given}: {data.source.name} has no such column.",
            f"Choose {listed((*natural, 'noise'))}.",
        )
    text = data.source.kind == "text"
    _typed(end, TOKENS if text else "float32", data.source.name)
    if data.source.ahead:
        return Feed(end.name, given, _window(data, end))
    if text or data.source.kind == "series":
        return Feed(end.name, given, _sequence(data, end, given))
    return Feed(end.name, given, end.shape, resize=resize_to(data, end.shape))


def _typed(end: End, dtype: str, what: str) -> None:
    if end.dtype != dtype:
        raise DataError(
            f"{end.name} needs {end.dtype} but receives {dtype} from the data ({what}).",
            f"Set the dtype of {end.name} to {dtype}.",
        )


def _sequence(data: DataSettings, end: End, column: str) -> Shape:
    """Check that a text or a series fits; its length is the Input's where it may be."""
    source, length = data.source, prod(end.shape)
    wanted = source.answer if column == "before" else sum(source.shape)
    plain = len(end.shape) == 1 or (source.kind == "series" and end.shape == (length, 1))
    fixed = source.answer or (source.classes and not source.cut_by)
    most = LONGEST if source.cut_by else wanted or 512
    good = length == wanted if fixed else length <= most
    if plain and length and good:
        return end.shape
    size = f"{wanted}" if fixed else f"1 to {most}"
    raise DataError(
        f"{end.name} needs {show(end.shape)} but receives sequences of {size} from {source.name}.",
        f"Set its shape to [{wanted or 64}].",
    )


def _window(data: DataSettings, end: End) -> Shape:
    """Check that a window fits: its rows one after the other, or all its numbers in a line."""
    (rows, columns), source = data.source.shape, data.source
    plain = ((rows, columns), (rows * columns,))
    alone = ((rows,), (1, rows)) if columns == 1 else ()
    if end.shape in (*plain, *alone):
        return end.shape
    raise DataError(
        f"{end.name} needs {show(end.shape)} but receives {rows:,} rows of {columns} "
        f"column{'s' * (columns != 1)} from {source.name}, {show(source.shape)}.",
        f"Set its shape to [{rows}, {columns}].",
    )


def _picked(data: DataSettings, end: End, names: tuple[str, ...]) -> Feed:
    known = () if data.source.ahead else data.source.columns  # a window is read whole
    if not known:
        raise DataError(
            f"{data.source.name} has no named columns for {end.name}.",
            f"Use {listed(('input', 'noise'))}, or a table such as iris or diabetes.",
        )
    for name in names:
        if name not in known:
            raise DataError(
                f"{data.source.name} has no column {name!r}.", f"Choose {listed(known)}."
            )
    if prod(end.shape) != len(names):
        raise DataError(
            f"{end.name} needs {show(end.shape)} but data.inputs gives it {len(names)} columns.",
            f"Set its shape to [{len(names)}], or name {prod(end.shape)} columns.",
        )
    _typed(end, "float32", data.source.name)
    return Feed(end.name, "input", end.shape, tuple(known.index(name) for name in names))


def resize_to(data: DataSettings, needed: Shape) -> tuple[int, int] | None:
    """The height and width images are resized to, or None where a reshape does.

    Raises DataError naming both shapes when the samples cannot be fitted.
    """
    has = data.source.shape
    if data.source.decoded:
        return _decoded_to(data, needed)
    if prod(has) == prod(needed) and not _channels_last(has, needed):
        return None
    image = len(has) == len(needed) == 3
    if image and has[0] == needed[0]:
        return needed[1], needed[2]
    shape = ", ".join(map(str, has))
    what = "images" if data.source.kind == "image" else "rows"
    what = data.source.things if data.source.heard else what
    raise DataError(
        f"The Input needs {show(needed)} but receives {what} of {show(has)} from "
        f"{data.source.name}.",
        f"Set its shape to [{shape}]{', or another height and width' if image else ''}.",
    )


def _decoded_to(data: DataSettings, needed: Shape) -> tuple[int, int]:
    """The size that pictures of any size are decoded at."""
    if len(needed) == 3 and needed[0] in (1, 3) and 0 < needed[1] <= 1024 >= needed[2] > 0:
        return needed[1], needed[2]
    raise DataError(
        f"The Input needs {show(needed)} but receives pictures from {data.source.name}.",
        "Set its shape to [3, 64, 64], or [1, 64, 64] for grey: at most 1024 pixels a side.",
    )


def _channels_last(has: Shape, needed: Shape) -> bool:
    return len(has) == 3 and has[0] > 1 and needed == (*has[1:], has[0]) and needed != has
