"""Arrays of an NPZ file, chosen by name and never unpickled; sizes are checked before reading."""

import io
import lzma
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.common.errors import DataError
from core.data.sources.bounds import check_directory, check_swollen
from core.data.sources.custom_source import CustomSource

LARGEST_BYTES = 4 << 30
MOST_ARRAYS, HEAD_BYTES = 1000, 64 << 10
NAMED = 12  # classes in a sentence
LEAST_EQUAL = 3  # samples of a class that are equal by more than chance
NOTES = "Save it with numpy.savez(file, images=images, labels=labels)."
Shape = tuple[int, ...]
BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    tokenize.TokenError,
    SyntaxError,
    EOFError,
    ValueError,
    OSError,
    RuntimeError,
    OverflowError,
    struct.error,
)
"""What zipfile and numpy raise for files that are torn, forged or encrypted."""


@dataclass(frozen=True)
class Arrays:
    """Two arrays of a file. unit: what 1 in a picture is there: 255 for bytes, else 1.

    swapped: whether channels come last and are brought to the front; added: whether a channel is
    put in. classes: values of the answers, () for numbers. every: names of all arrays.
    """

    names: tuple[str, str]
    samples: NDArray[Any]
    answers: NDArray[Any]
    classes: tuple[str, ...]
    unit: float
    swapped: bool
    added: bool
    every: tuple[str, ...] = ()


def list_arrays(path: Path, name: str) -> dict[str, tuple[Shape, np.dtype[Any]]]:
    """Shapes and types of all arrays; reads their heads only. Raises DataError."""
    check_directory(path, name, MOST_ARRAYS)
    try:
        with zipfile.ZipFile(path) as archive:
            members = [m for m in archive.infolist() if m.filename.endswith(".npy")]
            if len(members) > MOST_ARRAYS:
                raise ValueError(f"it has {len(members)} arrays, more than {MOST_ARRAYS}")
            return {m.filename[:-4]: _head(archive, m) for m in members}
    except BROKEN as error:
        raise DataError(f"{name} is not an NPZ file: {error}.", NOTES) from error


def readable_arrays(path: Path, name: str) -> dict[str, tuple[Shape, np.dtype[Any]]]:
    """The same. Raises DataError where there is none, or none but pickled objects."""
    arrays = list_arrays(path, name)
    if not any(not dtype.hasobject for _, dtype in arrays.values()):
        holds = "only pickled objects, which are never read" if arrays else "no arrays"
        raise DataError(f"{name} holds {holds}.", "Save it with numpy.savez(file, x=x, y=y).")
    return arrays


def _head(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> tuple[Shape, np.dtype[Any]]:
    """Shape and type of an array from its header, checked against its size in the archive."""
    check_swollen(member, Path(archive.filename or "").name)
    with archive.open(member) as whole:
        file = io.BytesIO(whole.read(HEAD_BYTES))  # a head may claim gigabytes of its own
    version = np.lib.format.read_magic(file)
    read = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }
    if version not in read:
        raise ValueError(f"version {version} of the format is not supported")
    shape, _, dtype = read[version](file)
    nbytes = prod(shape) * dtype.itemsize
    if min(shape, default=0) < 0 or (not dtype.hasobject and nbytes > member.file_size):
        raise ValueError(
            f"{member.filename} declares {nbytes:,} bytes but holds {member.file_size:,}"
        )
    return shape, dtype


def read_arrays(path: Path, given: CustomSource) -> Arrays:
    """Read the two arrays a project names. Raises DataError naming the array."""
    name, there = given.path, readable_arrays(path, given.path)
    if len(given.columns) > 1:
        raise DataError(f"data.columns names {len(given.columns)} arrays.", "Name one array.")
    target = given.target_column or (list(there)[-1] if there else "")
    by = given.split[1] if given.split else ""
    rest = [other for other in there if other not in (target, by)]
    chosen = given.columns[0] if given.columns else (rest[0] if rest else "")
    for array in (chosen, target):
        if array not in there:
            listed = ", ".join(there) or "none"
            raise DataError(f"{name} has no array {array!r}.", f"It has {listed}. {NOTES}")
    samples, answers = (read_array(path, name, array, *there[array]) for array in (chosen, target))
    if len(samples) != len(answers) or samples.ndim < 2 or answers.ndim != 1:
        raise DataError(
            f"{name} has {chosen} of {samples.shape} and {target} of {answers.shape}, "
            "not samples with one target each.",
            _flattened(target, answers.shape),
        )
    for array, values in ((chosen, samples), (target, answers)):
        _check_finite(f"{name}, array {array}", values)
    return replace(_arranged((chosen, target), samples, answers, name), every=tuple(there))


def _flattened(target: str, shape: Shape) -> str:
    """What to do about answers of this shape."""
    if len(shape) != 2:
        return f"Name the two arrays in data.columns and data.target_column. {NOTES}"
    how = f"{target}.ravel()" if shape[1] == 1 else f"{target}.argmax(1), where a 1 marks the class"
    return f"Save the targets as {how}, or choose other arrays."


def _check_finite(where: str, values: NDArray[Any]) -> None:
    """Raises DataError for NaN, and for what is infinite in the 32 bits that torch is given."""
    if values.dtype.kind != "f" or not values.size:
        return
    with np.errstate(over="ignore"):
        if np.isfinite(np.array([values.min(), values.max()], np.float32)).all():
            return
        good = np.isfinite(values.astype(np.float32)).reshape(len(values), -1).all(axis=1)
    raise DataError(
        f"{where}, row {int(np.argmin(good))}, holds a value that does not fit into 32 bits.",
        "Correct it, or remove the row.",
    )


def read_array(
    path: Path, name: str, array: str, shape: Shape, dtype: np.dtype[Any]
) -> NDArray[Any]:
    """Read one array; shape, dtype: as `list_arrays` gives them. Raises DataError."""
    if dtype.kind not in "buifU":
        raise DataError(f"{name}, array {array}, holds {dtype}, not numbers or words.", NOTES)
    size = prod(shape) * dtype.itemsize
    if size > LARGEST_BYTES:
        raise DataError(
            f"{name}, array {array}, has {size / 1e9:,.1f} GB, more than {LARGEST_BYTES >> 30}.",
            "Take fewer samples.",
        )
    try:
        with np.load(path, allow_pickle=False) as file:
            found = file[array]
            return found.astype(found.dtype.newbyteorder("="), copy=False)  # torch takes no other
    except BROKEN as error:
        raise DataError(f"{name}, array {array}, is damaged: {error}.", NOTES) from error


def _arranged(
    names: tuple[str, str], samples: NDArray[Any], answers: NDArray[Any], name: str
) -> Arrays:
    classes = _classes(answers)
    if len(classes) == 1 or len(classes) > 1000:
        raise DataError(
            f"{name}, array {names[1]}, has {len(classes)} classes.",
            "Use 2 to 1000, or floats for a regression.",
        )
    unit = 255.0 if samples.dtype == np.uint8 and samples.ndim > 2 else 1.0
    last = samples.ndim == 4 and samples.shape[3] in (1, 3) and samples.shape[1] not in (1, 3)
    if samples.ndim > 4:
        raise DataError(
            f"{name}, array {names[0]}, has samples of {samples.shape[1:]}.",
            "Use rows (S, F) or pictures (S, C, H, W).",
        )
    samples = np.moveaxis(samples, 3, 1) if last else samples
    added = samples.ndim == 3
    samples = samples[:, None] if added else samples
    if classes:
        numbers = np.unique(answers)
        answers = np.searchsorted(numbers, answers)
    return Arrays(names, samples, answers, classes, unit, last, added)


def _classes(answers: NDArray[Any]) -> tuple[str, ...]:
    """Names of the classes, in order of their values; () for floats, which are numbers."""
    return () if answers.dtype.kind == "f" else tuple(map(str, np.unique(answers).tolist()))


def note_on_duplicates(samples: NDArray[Any], targets: NDArray[Any], classes: Sequence[str]) -> str:
    """A sentence where all samples (S, ...), or all of a class, have the same values; "" else.

    targets: (S,) places in `classes`; of numbers `classes` is empty.
    """
    if _equal(samples, np.arange(len(samples))):
        return " All samples have the same values."
    members = [np.flatnonzero(targets == i) for i in range(len(classes))]
    names = [
        name
        for name, rows in zip(classes, members, strict=True)
        if len(rows) >= LEAST_EQUAL and _equal(samples, rows)
    ]
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    listed = ", ".join(names[:NAMED])
    return f" All samples of {listed}{more} have the same values." if names else ""


def _equal(samples: NDArray[Any], rows: NDArray[np.intp]) -> bool:
    """Whether these samples are the same; the first that differs ends it. NaN equals NaN."""
    first = samples[rows[0]]
    floats = samples.dtype.kind == "f"
    return all(np.array_equal(samples[row], first, equal_nan=floats) for row in rows[1:])
