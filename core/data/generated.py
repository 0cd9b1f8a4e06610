"""Metadata of data without a file: texts inside every Python, and generated samples."""

from collections.abc import Mapping
from dataclasses import replace
from math import cos, pi, sin
from typing import Any

from blocks.spec import Setting
from core.data.source import Source
from core.errors import DataError
from core.project.messages import quote

PRINTED = "\n" + "".join(map(chr, range(32, 127)))
NAMED = "\0 -ABCDEFGHIJKLMNOPQRSTUVWXYZ"
DATED = "\0 ,-/0123456789abcdefghijklmnopqrstuvwxyz"
SCRIPTS = ("arabic", "cyrillic", "ethiopic", "greek", "latin", "yi")
DIGITS = tuple(str(digit) for digit in range(10))
PLANE = ("x1", "x2")
"""Columns of points."""


def _point_settings(samples: int, noise: float, classes: int = 0) -> tuple[Setting, ...]:
    many = Setting("classes", "int", "How many classes there are.", classes, low=2, high=6)
    return (
        Setting("samples", "int", "How many points are made.", samples, low=20, high=20_000,
                title="Number of points"),
        Setting("noise", "float", "Standard deviation by which each point is moved from where the "
                "formula puts it; 0: not at all.", noise, low=0.0, high=2.0, title="Noise"),
        Setting("seed", "int", "Another seed makes other points of the same kind.", 0, low=0,
                high=2**31 - 1, title="Seed of the points"),
        *((many,) if classes else ()),
    )  # fmt: skip


def _points(
    name: str, package: Any, classes: tuple[str, ...], about: str, noise: float, more: Any = None
) -> Source:
    """Points of a plane with a class each. more: fields of the Source beside the usual ones."""
    count = len(classes) if name in ("spirals", "blobs") else 0
    return Source(
        name, package, "table", "points", (2,), 500, classes,
        about=f"{about} Made by a formula, not measured.",
        columns=PLANE, made=_point_settings(500, noise, count), **(more or {}),
    )  # fmt: skip


POINTS = (
    _points(
        "moons", "scikit-learn", ("upper", "lower"),
        "Two half circles that reach into each other (make_moons).", 0.15, {"patience": 2.0},
    ),
    _points(
        "circles", "scikit-learn", ("outer", "inner"),
        "A circle inside another (make_circles).", 0.1, {"patience": 2.0},
    ),
    _points(
        "spirals", "Python", ("spiral 1", "spiral 2"),
        "Spirals wound into each other, one and a half turns each: a hard one for few units.",
        0.03, {"patience": 4.0},
    ),
    _points(
        "XOR", "Python", ("same sign", "other sign"),
        "Points of a square, told by whether x1 and x2 have the same sign: no straight line parts "
        "them.", 0.05, {"patience": 2.0},
    ),
    _points(
        "blobs", "scikit-learn", ("blob 1", "blob 2", "blob 3"),
        "Round clouds of points (make_blobs): straight lines part them.", 0.8,
    ),
)  # fmt: skip
"""Data sets of points in a plane, see `core.data.points`."""


def blob_centers(classes: int) -> list[tuple[float, float]]:
    """Where the clouds lie: on a circle of radius 3, the first above."""
    turns = [2 * pi * k / classes for k in range(classes)]
    return [(round(3 * sin(turn), 3), round(3 * cos(turn), 3)) for turn in turns]


def as_made(source: Source, given: Any) -> tuple[Source, Mapping[str, Any]]:
    """A source with what `data.made` says of it, and all its settings. Raises DataError."""
    if not source.made:
        if given is None:
            return source, {}
        raise DataError(f"data.made is of data that a formula makes, and {source.name} is none.",
                        "Remove made from the data.")  # fmt: skip
    if not isinstance(given, Mapping | None):
        raise DataError(f"data.made is {quote(given)}.", 'Write it as {"samples": 500}.')
    known = {setting.name: setting for setting in source.made}
    values = {name: setting.default for name, setting in known.items()}
    for name, value in (given or {}).items():
        if name not in known:
            raise DataError(f"data.made has no setting {name!r} for {source.name}.",
                            f"There is {', '.join(known)}.")  # fmt: skip
        values[name] = _checked(known[name], value)
    return _resized(source, values), values


def _checked(setting: Setting, value: Any) -> Any:
    """A number of the setting's kind within its bounds. Raises DataError."""
    kinds = (int, float) if setting.kind == "float" else (int,)
    low, high = setting.low or 0, setting.high or 0
    if type(value) not in kinds or not low <= value <= high:
        what = "number" if setting.kind == "float" else "whole number"
        raise DataError(f"data.made.{setting.name} is {quote(value)}.",
                        f"Use a {what} from {low:g} to {high:,.10g}.")  # fmt: skip
    return value


def _resized(source: Source, made: Mapping[str, Any]) -> Source:
    count = made.get("classes", len(source.classes))
    stem = source.classes[0].rpartition(" ")[0]
    names = tuple(f"{stem} {k}" for k in range(1, count + 1))
    classes = source.classes if count == len(source.classes) else names
    return replace(source, samples=made["samples"], classes=classes)


MADE = (
    Source(
        "python_docs",
        "Python",
        "text",
        "characters",
        (),
        120_000,
        about="The first 120,000 characters of the language reference that ships with every "
        "Python. Another version of Python has a slightly different text.",
        targets=("next", "masked"),
        alphabet=PRINTED,
        windows=True,
    ),
    Source(
        "letter_names",
        "Python",
        "text",
        "names of letters",
        (16,),
        2622,
        classes=SCRIPTS,
        about="What Unicode 3.2, which is inside every Python, calls the letters of six scripts, "
        "without the name of the script itself: MUOX, ALPHA PSILI, HEH MEEM.",
        target_name="script",
        alphabet=NAMED,
    ),
    Source(
        "dates",
        "Python",
        "text",
        "dates",
        (20,),
        4000,
        about="Days from 1950 to 2049 as people write them, and as computers do: made by rule, "
        "after a well-known exercise in translation.",
        targets=("answer",),
        alphabet=DATED,
        answer=10,
    ),
    Source(
        "waves",
        "Python",
        "series",
        "waves",
        (64,),
        1000,
        about="Each is the sum of two sines of random length and phase with a little noise: made "
        "by rule, so the best possible answer is known to be off by about 0.05.",
        targets=("next",),
        target_name="next value",
    ),
    Source(
        "digit_pairs",
        "scikit-learn",
        "image",
        "pictures of two digits",
        (1, 8, 16),
        898,
        classes=DIGITS,
        about="Two handwritten digits side by side; each digit of the data set stands in one "
        "picture only.",
        targets=("labels", "input", "mask"),
        target_name="digits in it",
    ),
    Source(
        "digit_rows",
        "scikit-learn",
        "image",
        "rows of digits",
        (1, 8, 48),
        456,
        classes=DIGITS,
        about="Three to five handwritten digits side by side with gaps of chance, to be read from "
        "left to right. Made of the data set digits, each of which stands in one row only: real "
        "handwriting, but never touching, and all of one size.",
        targets=("sequence", "input", "mask"),
        target_name="digits in their order",
        longest=5,
    ),
    *POINTS,
)
OF_DIGITS = {"digit_pairs": "two_digits", "digit_rows": "digit_rows"}
"""Data sets made of the digits of scikit-learn, and the function of `reading` that does it."""
