"""Import ONNX files: a file is read, rebuilt as a live torch module, and traced like any other.

`open_onnx(path)` gives a module that runs the file's operations with its weights. `file_verdicts`
(check.py) compares the drawing with the file itself, run by onnxruntime.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from torch import Tensor

from core.common.errors import ImportRefused
from core.wings.importing.limits import reading_limit
from core.wings.importing.onnx.constant_folding import fold_constants
from core.wings.importing.onnx.fusion import fuse
from core.wings.importing.onnx.module import Root, build_module
from core.wings.importing.onnx.reader import Entry, OnnxFile, read_onnx
from core.wings.importing.tracing.model_call import InputSpec
from core.wings.importing.tracing.sample_inputs import samples

__all__ = ["OnnxSource", "open_onnx", "with_bounds"]

Shape = tuple[int, ...]


@dataclass(frozen=True)
class OnnxSource:
    """A file as a live module. shapes: of one sample per input. batch: fixed in the file, or None.

    notes: what differs from the file, for people.
    """

    module: Root
    name: str
    shapes: tuple[Shape, ...]
    dtypes: tuple[str, ...]
    batch: int | None
    file: OnnxFile
    notes: tuple[str, ...] = ()


def open_onnx(
    source: Path | bytes,
    shapes: Sequence[Shape] = (),
    name: str = "",
    first: Sequence[Tensor] = (),
) -> OnnxSource:
    """Read a file and build its module. shapes: of one sample, where the file leaves sizes open.

    first: inputs of the first run, instead of random ones. Raises ImportRefused.
    """
    place = name or (source.name if isinstance(source, Path) else "the file")
    content = source if isinstance(source, bytes) else b""
    size = source.stat().st_size if isinstance(source, Path) and source.is_file() else len(content)
    with reading_limit(place, size):
        return _opened(source, shapes, name, first)


def _opened(
    source: Path | bytes, shapes: Sequence[Shape], name: str, first: Sequence[Tensor]
) -> OnnxSource:
    file = fuse(fold_constants(read_onnx(source, name)))
    given = tuple(shapes) or tuple(_shape(entry) for entry in file.inputs)
    if len(given) != len(file.inputs) or not given:
        raise ImportRefused(
            file.name,
            f"takes {len(file.inputs)} inputs, but {len(given)} shapes are given.",
            "Give one --input for each." if file.inputs else "",
        )
    batch = _batch(file)
    dtypes = tuple(entry.dtype for entry in file.inputs)
    module = build_module(file, first or samples(given, dtypes, batch or 2))
    notes = [*file.notes]
    if batch is not None:
        notes.append(f"the file is made for {batch} at a time, the drawing for any number")
    return OnnxSource(module, file.name, given, dtypes, batch, file, tuple(notes))


def with_bounds(source: OnnxSource, spec: InputSpec) -> OnnxSource:
    """A source with the user's bounds of its integer inputs. Raises ImportRefused if a dtype
    differs from the file's."""
    kinds = list(source.dtypes)
    for index, (one, dtype) in enumerate(zip(spec.inputs, source.dtypes, strict=False)):
        if one.dtype not in (dtype, "float32"):
            raise ImportRefused(
                source.name, f"has an input of {dtype}, but {one} is given.", "Leave the dtype out."
            )
        if one.bound and "int" in dtype:
            kinds[index] = f"{dtype}<{one.bound}"
    return replace(source, dtypes=tuple(kinds))


def _shape(entry: Entry) -> Shape:
    """The shape of one sample, if the file states it."""
    if not entry.sizes:
        raise ImportRefused(
            entry.name, "has no batch: its first size would be the number of samples."
        )
    sizes = entry.sizes[1:]
    if not all(isinstance(n, int) for n in sizes):
        shape = ", ".join(str(n or "?") for n in entry.sizes)
        raise ImportRefused(
            entry.name,
            f"is ({shape}): the sample size is not fixed in the file.",
            "Set them with --input, such as --input 3,224,224.",
        )
    return tuple(n for n in sizes if isinstance(n, int))


def _batch(file: OnnxFile) -> int | None:
    fixed = {e.sizes[0] for e in file.inputs if e.sizes and isinstance(e.sizes[0], int)}
    if len(fixed) > 1:
        batches = " and ".join(str(n) for n in sorted(fixed))
        raise ImportRefused(
            file.name, f"has inputs of {batches} samples: they need the same batch size."
        )
    return int(next(iter(fixed))) if fixed else None
