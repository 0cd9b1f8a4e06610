"""Read an ONNX file: bytes to checked values, within limits. Nothing in it is executed.

The onnx package parses and checks the file. External data may lie only inside the file's own
folder.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import ModelProto, TensorProto, helper, numpy_helper

from core.common.errors import ImportRefused, NoSource
from core.wings.importing.limits import allow
from core.wings.importing.onnx.expansion_limits import check_nodes, check_tensors
from core.wings.importing.onnx.module_names import from_metadata, from_name
from core.wings.importing.onnx.result_sizes import LARGEST as LARGEST_RESULT
from core.wings.importing.onnx.result_sizes import check_results

LIMIT = 2**31 - 1
"""Bytes of a file: what its format can hold. Further files count towards the same limit."""
Array = np.ndarray[Any, Any]

DTYPES = {TensorProto.FLOAT: "float32", TensorProto.INT64: "int64", TensorProto.BOOL: "bool"}
NEAR = {
    TensorProto.DOUBLE: "float32",
    TensorProto.FLOAT16: "float32",
    TensorProto.BFLOAT16: "float32",
    TensorProto.INT32: "int64",
    TensorProto.INT16: "int64",
    TensorProto.INT8: "int64",
    TensorProto.UINT8: "int64",
    TensorProto.UINT16: "int64",
    TensorProto.UINT32: "int64",
    TensorProto.UINT64: "int64",
}
"""What an input may hold, and what ours holds in place of other kinds of number."""


@dataclass(frozen=True)
class OnnxNode:
    """One node. scopes: the modules it is in, outermost first, as (path, class or "")."""

    op: str
    name: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: Mapping[str, Any]
    scopes: tuple[tuple[str, str], ...] = ()
    opset: int = 20

    @property
    def place(self) -> str:
        """The node's name, for people."""
        return f"{self.op} {self.name or self.outputs[0]}"

    def refuse(self, message: str, hint: str = "") -> ImportRefused:
        """The error for a node that cannot be drawn."""
        return ImportRefused(self.place, message, hint)


@dataclass(frozen=True)
class Entry:
    """A graph input. sizes: a number, a symbolic name, or None if the file states nothing.

    dtype: ours. kind: the file's, as numpy names it.
    """

    name: str
    sizes: tuple[int | str | None, ...]
    dtype: str
    kind: Any


@dataclass(frozen=True)
class OnnxFile:
    """A parsed file. constants: initializers and folded constants.

    content: its bytes, if they contain all weights. most: values that one result may have.
    """

    name: str
    nodes: tuple[OnnxNode, ...]
    inputs: tuple[Entry, ...]
    outputs: tuple[str, ...]
    constants: dict[str, Array]
    weights: frozenset[str]
    model: ModelProto
    content: bytes | None = None
    notes: list[str] = field(default_factory=lambda: [])
    most: int = LARGEST_RESULT


def read_onnx(source: Path | bytes, name: str = "") -> OnnxFile:
    """Read a file, or the bytes of one. Raises ImportRefused."""
    place = name or (source.name if isinstance(source, Path) else "the file")
    model, content = _parse(source, place)
    check_nodes(model, place)
    _checked(model, content, place)
    if model.functions:
        from onnx import inliner

        model, content = inliner.inline_local_functions(model), None
    graph = model.graph
    if graph.sparse_initializer:
        raise ImportRefused(place, "holds sparse weights, for which there is no block.")
    most = check_results(model, place)
    constants = {t.name: single_precision(numpy_helper.to_array(t)) for t in graph.initializer}
    opset = next((o.version for o in model.opset_import if o.domain in ("", "ai.onnx")), 1)
    notes: list[str] = []
    inputs = tuple(_entry(i, notes) for i in graph.input if i.name not in constants)
    nodes = tuple(_node(n, opset) for n in graph.node)
    outputs = tuple(o.name for o in graph.output)
    title = graph.name if graph.name not in ("main_graph", "graph", "torch-jit-export") else ""
    weights = frozenset(n for n, a in constants.items() if a.dtype.kind == "f")
    stem = place.rpartition(".")[0] or place
    return OnnxFile(
        _root_class(model) or title or stem,
        nodes,
        inputs,
        outputs,
        constants,
        weights,
        model,
        content,
        notes,
        most,
    )


def single_precision(found: Array) -> Array:
    """Floats as float32 and integers as int64, as the drawing computes."""
    if str(found.dtype) in ("float64", "float16", "bfloat16"):
        return found.astype(np.float32)
    small = found.dtype.kind in "iu" and str(found.dtype) in SMALL
    if str(found.dtype) == "uint64" and found.size and int(found.max()) > LARGEST:
        return found  # refused where it is read, rather than turned round
    return found.astype(np.int64) if small else found


LARGEST = 2**63 - 1
SMALL = ("int8", "int16", "int32", "uint8", "uint16", "uint32", "uint64")


def _parse(source: Path | bytes, place: str) -> tuple[ModelProto, bytes | None]:
    if isinstance(source, Path) and not source.is_file():
        raise NoSource(place, "does not exist.", "Give the path of an ONNX file.")
    size = source.stat().st_size if isinstance(source, Path) else len(source)
    if size > LIMIT:
        raise ImportRefused(
            place, f"has {size} bytes, more than the {LIMIT} an ONNX file may have."
        )
    content = source.read_bytes() if isinstance(source, Path) else source
    try:
        model = onnx.load_model_from_string(content)
    except Exception as error:  # protobuf's DecodeError is not in its public interface
        raise NoSource(place, "is not an ONNX file.", "Choose a file NAME.onnx.") from error
    if not model.graph.node and not model.graph.output:
        raise NoSource(place, "is not an ONNX file.", "Choose a file NAME.onnx.")
    check_tensors(model, place)
    further = _further_files(model, source.parent if isinstance(source, Path) else None, place)
    return model, None if further else content


def _further_files(model: ModelProto, folder: Path | None, place: str) -> int:
    """Read external data beside the file, none from anywhere else; returns its bytes."""
    from onnx.external_data_helper import load_external_data_for_tensor

    total = 0
    for tensor in model.graph.initializer:
        if tensor.data_location != TensorProto.EXTERNAL:
            continue
        named = {e.key: e.value for e in tensor.external_data}.get("location", "")
        if folder is None:
            raise ImportRefused(
                place,
                f"has its weights in another file, {named!r}.",
                "Import it with `layerloom import` from its folder, or save it as one file.",
            )
        path = (folder / named).resolve()
        if path.is_file() and path.stat().st_nlink > 1:
            raise ImportRefused(
                place,
                f"keeps its weights in {named!r}, a file with {path.stat().st_nlink} names "
                "(hard links), which may be one of another folder.",
                "Put a copy of it beside the file.",
            )
        if not path.is_relative_to(folder.resolve()) or not path.is_file():
            raise ImportRefused(
                place,
                f"looks for its weights in {named!r}, which is not in its folder.",
                "Put the file with the weights beside it.",
            )
        total += _length(tensor, path)
        if total > LIMIT:
            raise ImportRefused(place, f"has more than {LIMIT} bytes of weights.")
        allow(_length(tensor, path))
        try:
            load_external_data_for_tensor(tensor, str(folder))
        except (onnx.checker.ValidationError, ValueError, OSError) as error:
            raise ImportRefused(
                place, f"cannot be read with its weights: {_first(error)}"
            ) from error
        tensor.data_location = TensorProto.DEFAULT
        del tensor.external_data[:]
    return total


def _length(tensor: TensorProto, path: Path) -> int:
    """Bytes that a tensor takes of its external file: as stated, or all."""
    length = {e.key: e.value for e in tensor.external_data}.get("length", "")
    return int(length) if length.isdecimal() and int(length) else path.stat().st_size


def _checked(model: ModelProto, content: bytes | None, place: str) -> None:
    try:
        if content is not None:  # the model would be written into bytes once more
            onnx.checker.check_model(content)
        elif model.ByteSize() < LIMIT:
            onnx.checker.check_model(model)
    except (onnx.checker.ValidationError, ValueError) as error:
        raise ImportRefused(place, f"is not a valid ONNX file: {_first(error)}") from error


def _first(error: BaseException) -> str:
    return (str(error).strip().splitlines() or ["it is not valid"])[0][:200]


def _entry(info: Any, notes: list[str]) -> Entry:
    kind = info.type.tensor_type
    if not info.type.HasField("tensor_type"):
        raise ImportRefused(info.name, "is an input that is not a tensor, such as a sequence.")
    ours = {**DTYPES, **NEAR}.get(kind.elem_type)
    if ours is None:
        dtype = TensorProto.DataType.Name(kind.elem_type).lower()
        raise ImportRefused(
            info.name, f"is an input of {dtype}, but a network takes float32, int64 or bool."
        )
    if kind.elem_type in NEAR:
        known = TensorProto.DataType.Name(kind.elem_type).lower()
        notes.append(f"{info.name} holds {known} in the file and {ours} here")
    sizes = (_size(d) for d in kind.shape.dim)
    kind_of = helper.tensor_dtype_to_np_dtype(kind.elem_type)
    return Entry(info.name, tuple(sizes), ours, kind_of)


def _size(dim: Any) -> int | str | None:
    return int(dim.dim_value) if dim.HasField("dim_value") else (dim.dim_param or None)


def _node(node: Any, opset: int) -> OnnxNode:
    domain = node.domain
    op = node.op_type if domain in ("", "ai.onnx") else f"{domain}.{node.op_type}"
    attributes = {a.name: _plain(helper.get_attribute_value(a)) for a in node.attribute}
    return OnnxNode(
        op, node.name, tuple(node.input), tuple(node.output), attributes, scopes_of(node), opset
    )


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, TensorProto):
        return numpy_helper.to_array(value)
    if isinstance(value, (list, tuple)) or type(value).__name__.startswith("Repeated"):
        return [_plain(v) for v in value]
    return value


def scopes_of(node: Any) -> tuple[tuple[str, str], ...]:
    """The modules a node is in: from torch's metadata, else from a name with slashes."""
    props = {p.key: p.value for p in node.metadata_props}
    named = props.get("pkg.torch.onnx.name_scopes")
    if named is not None:
        return from_metadata(named, props.get("pkg.torch.onnx.class_hierarchy", "[]"))
    return from_name(node.name)


def _root_class(model: ModelProto) -> str:
    for node in model.graph.node[:50]:
        found = next((kind for path, kind in scopes_of(node) if not path), "")
        if found:
            return found.rpartition(".")[2]
    return ""
