"""Export as a model repository for Triton: the network as ONNX, and its configuration."""

import json
from collections.abc import Sequence
from importlib.resources import files
from string import Template
from typing import Any

import torch
from torch import Tensor

from core.common.escaping import c_string, one_line
from core.export.archive import zip_bytes
from core.export.interface import interface_of
from core.export.onnx import make_onnx
from core.export.parity import draws, run_seeded, tensors
from core.export.result import ExportedFile, ExportError
from core.export.subject import Subject
from core.wings.serve.server.folder import MOST, readme_words, words_of

KINDS = {1: "TYPE_FP32", 6: "TYPE_INT32", 7: "TYPE_INT64", 9: "TYPE_BOOL"}
"""Triton's word for ONNX's types."""
DATATYPES = {torch.float32: "FP32", torch.int64: "INT64", torch.bool: "BOOL"}
WAIT_US = 2000


def make_triton(subject: Subject) -> ExportedFile:
    """Write the repository. Raises ExportError for what has no batch to share."""
    import onnx

    made = make_onnx(subject)
    graph = onnx.load_from_string(made.content).graph
    interface = interface_of(subject)
    named = words_of(subject, interface)
    labels = {spec.name: spec.classes for spec in interface.outputs if spec.classes}
    text = files("core.wings.serve.server").joinpath("triton.md").read_text("utf-8")
    model = f"models/{named['name']}"
    known = {_vocabulary(i.name): list(i.vocabulary) for i in interface.inputs if i.vocabulary}
    named["inputs"] += "".join(f"\n- `{model}/{n}`: the tokens by their numbers." for n in known)
    written = {
        "README.md": Template(text).substitute(readme_words(named)).encode(),
        f"{model}/config.pbtxt": _config(named["name"], graph, list(labels)).encode(),
        **{f"{model}/{_labels(n)}": label_lines(c) for n, c in labels.items()},
        **{f"{model}/{name}": _json(tokens) for name, tokens in known.items()},
        f"{model}/1/model.onnx": made.content,
        **_sample(subject),
    }
    content = zip_bytes({f"{named['name']}_triton/{k}": v for k, v in written.items()})
    return ExportedFile(content, made.max_difference, made.notes, run=made.run)


def _labels(output: str) -> str:
    return f"{output}_labels.txt"


def _vocabulary(name: str) -> str:
    return f"{name}_vocabulary.json"


def label_lines(words: Sequence[str]) -> bytes:
    """One line for each class: what ends a line in a name is written as a space."""
    return "".join(f"{one_line(word)}\n" for word in words).encode()


def _config(name: str, graph: Any, labelled: Sequence[str]) -> str:
    """The model's configuration, in protobuf's text form."""
    ends = [
        *(_end("input", value) for value in graph.input),
        *(_end("output", value, value.name in labelled) for value in graph.output),
    ]
    return "\n".join(
        [
            f"name: {c_string(name)}",
            'backend: "onnxruntime"',
            f"max_batch_size: {MOST}",
            *ends,
            f"dynamic_batching {{ max_queue_delay_microseconds: {WAIT_US} }}",
            "",
        ]
    )


def _end(side: str, value: Any, labelled: bool = False) -> str:
    """An input or an output, its shape without the batch."""
    found = value.type.tensor_type
    dims = list(found.shape.dim)
    if not dims or not dims[0].dim_param:
        raise ExportError(
            f"{value.name} has no batch dimension, so requests cannot share a batch.",
            "Leave this Output out, or export ONNX.",
        )
    if found.elem_type not in KINDS:
        raise ExportError(f"{value.name} has a dtype that Triton does not support.", "Export ONNX.")
    sizes = [each.dim_value or -1 for each in dims[1:]]
    shape = f"dims: [ {', '.join(map(str, sizes or [1]))} ]"
    lines = [f"name: {c_string(value.name)}", f"data_type: {KINDS[found.elem_type]}", shape]
    lines += [] if sizes else ["reshape { shape: [ ] }"]
    lines += [f"label_filename: {c_string(_labels(value.name))}"] if labelled else []
    return "\n".join([f"{side} [", "  {", *(f"    {line}" for line in lines), "  }", "]"])


def _sample(subject: Subject) -> dict[str, bytes]:
    """A Triton request with one sample, and its response if it is deterministic."""
    inputs = subject.sample(1)
    with torch.no_grad():
        outputs = [value.float() for value in tensors(run_seeded(subject.module, inputs))]
    asked = {"inputs": [_tensor(n, v) for n, v in zip(subject.inputs, inputs, strict=True)]}
    response = {"outputs": [_tensor(n, v) for n, v in zip(subject.outputs, outputs, strict=True)]}
    random = draws(subject.module, subject.sample)
    return {"request.json": _json(asked)} | ({} if random else {"answer.json": _json(response)})


def _tensor(name: str, value: Tensor) -> dict[str, Any]:
    kind, shape = DATATYPES[value.dtype], list(value.shape)
    return {"name": name, "shape": shape, "datatype": kind, "data": value.flatten().tolist()}


def _json(value: Any) -> bytes:
    return (json.dumps(value) + "\n").encode()
