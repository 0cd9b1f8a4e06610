"""A first look at a data set: pictures or rows. Runs in a worker process; imports no Streamlit."""

# torch declares the types of some functions in part only.
# pyright: reportUnknownMemberType=false

from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from core.data import SOURCES, Source
from core.data.builtin.generated import OF_DIGITS, as_made

PICTURES, ROWS = 30, 6
MOST_POINTS = 2000
"""So many samples are drawn as points; of more, the first."""


@dataclass(frozen=True)
class Points:
    """Samples of two columns. kinds: the class of each; ranges: of the plane, both equally long."""

    columns: tuple[str, str]
    ranges: tuple[tuple[float, float], tuple[float, float]]
    xs: tuple[float, ...]
    ys: tuple[float, ...]
    kinds: tuple[int, ...]
    validates: tuple[bool, ...]
    classes: tuple[str, ...]


@dataclass(frozen=True)
class Preview:
    """What to show of a data set: one picture (PNG) of many samples, or rows of a table.

    points: in place of a picture where samples are points of a plane.
    """

    picture: bytes = b""
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Any, ...], ...] = ()
    points: Points | None = None


def preview(name: str, made: Any = None) -> Preview:
    """Return samples of the data set `name`, two or more of every class where there are classes.

    made: how a formula makes them, as a project says it.
    Raises DataError when it is not on this machine.
    """
    source = SOURCES[name]
    if source.package == "torchvision":
        from core.data.builtin.vision import read_vision

        images, labels, _ = read_vision(name)
        return Preview(_picture(images[:600].numpy(), labels[:600].numpy()))
    if source.made:
        from core.data import load

        data = {"source": name, "normalize": False} | ({"made": made} if made else {})
        source, _ = as_made(source, made)
        loaded = load(data, source.shape, usual_output(source))
        shown = _table(loaded.inputs.numpy(), np.asarray(loaded.labels), source)
        return replace(shown, points=points_of(loaded))
    if source.package == "Python" or name in OF_DIGITS:
        return _generated(source)
    from core.data.builtin.embedded import read_embedded

    samples, targets = read_embedded(name)
    if source.kind == "image":
        return Preview(_picture(samples / 16 * 255, targets))
    return _table(samples, targets, source)


def points_of(loaded: Any) -> Points | None:
    """The samples of a data set as it is read, not normalised; None where they are no points."""
    source = loaded.info.origin
    if source.kind != "table" or source.shape != (2,) or loaded.labels is None:
        return None
    from core.data.batches.points import ranges

    names = source.columns or ("x1", "x2")
    xs, ys = loaded.inputs[:MOST_POINTS].T.tolist()
    apart = set(loaded.validation_indices.tolist())
    validates = tuple(k in apart for k in range(len(xs)))
    kinds = tuple(loaded.labels[:MOST_POINTS].tolist())
    return Points(
        (names[0], names[1]),
        ranges(loaded.inputs),
        tuple(xs),
        tuple(ys),
        kinds,
        validates,
        tuple(source.classes),
    )


def usual_output(source: Source) -> tuple[int, ...]:
    """The output of a network for the default target of a data set with classes or one number."""
    if source.longest:
        return source.shape[-1], len(source.classes) + 1
    return (len(source.classes) or source.ahead or 1,)


def _generated(source: Source) -> Preview:
    """Pieces of a text, values of a series, or pictures made of others."""
    from core.data import load

    if source.kind == "image":
        data = load({"source": source.name}, source.shape, usual_output(source))
        return Preview(_picture(data.inputs.numpy() * 255, np.arange(len(data.inputs)) % 6))
    if source.kind == "series":
        output = usual_output(source) if source.ahead else source.shape
        data = load({"source": source.name, "normalize": False}, source.shape, output)
        inputs = data.inputs[..., 0] if source.ahead else data.inputs  # of windows the first column
        values = cast("list[list[float]]", inputs[:ROWS, :8].tolist())
        rows = [tuple(f"{v:.2f}" for v in row) for row in values]
        return Preview(b"", tuple(f"value {n}" for n in range(1, 9)), tuple(rows))
    return _text(source)


def _text(source: Source) -> Preview:
    from core.data.batches import reading

    def words(row: Any) -> str:
        return "".join(source.alphabet[token] for token in row.tolist()).replace("\0", "")

    if source.windows:
        text = reading.python_docs(source.samples, source.alphabet)
        pieces = [words(text[start : start + 96]) for start in range(4000, 4000 + 96 * ROWS, 96)]
        return Preview(b"", ("text",), tuple((piece.replace("\n", " ⏎ "),) for piece in pieces))
    if source.answer:
        rows = reading.dates(ROWS, source.alphabet)
        length = sum(source.shape)
        cells = [(words(row[:length]), words(row[length:])) for row in rows]
        return Preview(b"", ("written by people", "written by computers"), tuple(cells))
    names, labels = reading.letter_names(list(source.classes), 16, source.alphabet)
    chosen = each_class(labels.numpy(), ROWS * 2)
    cells = [(words(names[i]), source.classes[int(labels[i])]) for i in chosen]
    return Preview(b"", ("name", source.target_name), tuple(cells))


def _picture(images: Any, labels: Any) -> bytes:
    from core.insight.images import grid, png, transparent_gaps

    chosen = each_class(labels, PICTURES)
    pixels = np.moveaxis(np.asarray(images)[chosen], 1, -1).round().clip(0, 255).astype(np.uint8)
    if pixels.shape[-1] == 1:
        pixels = pixels.repeat(3, axis=-1)
    columns = 5 if pixels.shape[2] > 2 * pixels.shape[1] else 10
    whole = grid(pixels, columns=columns, gap=1)
    return png(transparent_gaps(whole, pixels.shape[1:3], columns, 1, len(pixels)))


def each_class(labels: Any, count: int) -> list[int]:
    """Return indices that go round the classes, each time with the next sample of the class."""
    groups = [np.flatnonzero(labels == label) for label in np.unique(labels)]
    rounds = [int(group[turn]) for turn in range(count) for group in groups if turn < len(group)]
    return rounds[:count]


def _table(samples: Any, targets: Any, source: Source) -> Preview:
    classes = source.classes
    chosen = each_class(targets, ROWS) if classes else list(range(ROWS))
    names = source.columns or tuple(f"x{number}" for number in range(1, samples.shape[1] + 1))
    columns = (source.target_name, *names)
    answers = [classes[int(targets[i])] if classes else float(targets[i]) for i in chosen]
    rows = zip(answers, chosen, strict=True)
    return Preview(b"", columns, tuple((answer, *map(float, samples[i])) for answer, i in rows))
