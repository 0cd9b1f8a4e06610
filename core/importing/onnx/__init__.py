"""ONNX files as projects: a file is read, rebuilt of torch's layers and functions, and recorded.

`open_onnx(path)` gives a live module that runs the file's operations with its weights; importing
that module draws it like any other. `against_file` holds the drawing against the file itself, run
by onnxruntime.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from torch import Tensor

from core.importing.errors import ImportRefused
from core.importing.onnx.constants import fold_constants
from core.importing.onnx.fuse import fuse
from core.importing.onnx.module import Root, build_module
from core.importing.onnx.read import Entry, OnnxFile, read_onnx
from core.importing.trials import samples

__all__ = ["OnnxSource", "open_onnx"]

Shape = tuple[int, ...]


@dataclass(frozen=True)
class OnnxSource:
    """A file as a live module. shapes: of one sample per input. batch: fixed in the file, or None.

    notes: what is otherwise than the file says, for people.
    """

    module: Root
    name: str
    shapes: tuple[Shape, ...]
    dtypes: tuple[str, ...]
    batch: int | None
    file: OnnxFile
    notes: tuple[str, ...] = ()


def open_onnx(
    source: Path | bytes, shapes: Sequence[Shape] = (), name: str = "",
    first: Sequence[Tensor] = (),
) -> OnnxSource:  # fmt: skip
    """Read a file and build its module. shapes: of one sample, where the file leaves sizes open.

    first: what to run it on first, instead of numbers of our own. Raises ImportRefused.
    """
    file = fuse(fold_constants(read_onnx(source, name)))
    given = tuple(shapes) or tuple(_shape(entry) for entry in file.inputs)
    if len(given) != len(file.inputs) or not given:
        raise ImportRefused(
            file.name, f"takes {len(file.inputs)} inputs, but {len(given)} shapes are given.",
            "Give one --input for each." if file.inputs else "",
        )  # fmt: skip
    batch = _batch(file)
    dtypes = tuple(entry.dtype for entry in file.inputs)
    module = build_module(file, first or samples(given, dtypes, batch or 2))
    notes = [*file.notes]
    if batch is not None:
        notes.append(f"the file is made for {batch} at a time, the drawing for any number")
    return OnnxSource(module, file.name, given, dtypes, batch, file, tuple(notes))


def _shape(entry: Entry) -> Shape:
    """The sizes of one sample, if the file says them."""
    if not entry.sizes:
        raise ImportRefused(
            entry.name, "has no batch: its first size would be the number of samples."
        )
    sizes = entry.sizes[1:]
    if not all(isinstance(n, int) for n in sizes):
        said = ", ".join(str(n or "?") for n in entry.sizes)
        raise ImportRefused(
            entry.name, f"is ({said}): the file leaves sizes of a sample open.",
            "Say them with --input, such as --input 3,224,224.",
        )  # fmt: skip
    return tuple(n for n in sizes if isinstance(n, int))


def _batch(file: OnnxFile) -> int | None:
    fixed = {e.sizes[0] for e in file.inputs if e.sizes and isinstance(e.sizes[0], int)}
    if len(fixed) > 1:
        said = " and ".join(str(n) for n in sorted(fixed))
        raise ImportRefused(file.name, f"has inputs of {said} samples: they share no batch.")
    return int(next(iter(fixed))) if fixed else None
