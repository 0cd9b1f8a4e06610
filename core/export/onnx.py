"""Export to ONNX with a free batch dimension, checked in onnxruntime against the eager model."""

import contextlib
import io
import json
import logging
import os
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from core.export.agreement import FileFails, OutputsDiffer, compare_outputs
from core.export.error_text import first_line
from core.export.interface import interface_of, preprocessing
from core.export.onnx_draws import DrawRecorder, without_draws
from core.export.parity import draws
from core.export.pt2 import free_batch
from core.export.result import CannotHold, ExportedFile, ExportError
from core.export.subject import Subject
from core.export.torchscript import quiet_torchscript

_KNOWN = (
    ("The tensor attributes? self", UserWarning),
    ("# The axis name: N will not be used", UserWarning),
    ("Exporting a model to ONNX with a batch_size", UserWarning),
    ("The .grad attribute of a Tensor that is not a leaf", UserWarning),
    ("_check_is_size will be removed", FutureWarning),
    ("You are using the legacy", DeprecationWarning),
    ("The feature will be removed", DeprecationWarning),
    (r"`isinstance\(treespec, LeafSpec\)` is deprecated", FutureWarning),  # torch 2.11
)
"""What the exporters say about their own insides."""
KEPT = ("namespace", "pkg.torch.onnx.name_scopes", "pkg.torch.onnx.class_hierarchy")
"""Metadata of each node: its modules, for viewers and imports."""
FALLBACK = "written by torch's older exporter, because the current one failed on this network"


def make_onnx(subject: Subject) -> ExportedFile:
    """Export by torch.export, else by tracing, and run the result in onnxruntime."""
    _needs_packages()
    drawn = draws(subject.module, subject.sample)
    notes: tuple[str, ...] = ()
    try:
        content = _by_export(subject)
        difference = _checked(subject, content, drawn)
    except Exception as refusal:
        # torch's exporter raises many kinds of errors; whatever it was, the older one may manage
        subject.refuse_decisions("ONNX")
        try:
            content = _by_trace(subject)
            difference = _checked(subject, content, drawn)
        except Exception as error:
            by_size = subject.size_branches and not drawn
            wrong = (OutputsDiffer, FileFails) if by_size else OutputsDiffer
            if found := next((each for each in (error, refusal) if isinstance(each, wrong)), None):
                raise found from error
            raise _refused(refusal, drawn) from error
        notes = (*notes, FALLBACK)
    return ExportedFile(
        _described(content, subject), difference, notes, run=None if drawn else session(content)
    )


def _described(content: bytes, subject: Subject) -> bytes:
    """Add the metadata: title, run, classes, and how its inputs are prepared."""
    import onnx

    if subject.opened is None:
        return content
    model = onnx.load_from_string(content)
    interface = interface_of(subject)
    classes = next((spec.classes for spec in interface.outputs if spec.classes), ())
    metadata = {
        "title": subject.opened.project.name,
        "run": subject.opened.run.name if subject.opened.run else "",
        "classes": json.dumps(classes) if classes else "",
        "preprocessing": json.dumps({i.name: preprocessing(i) for i in interface.inputs}),
        "interface": json.dumps(interface.json()),
    }
    onnx.helper.set_model_props(model, {key: value for key, value in metadata.items() if value})
    return model.SerializeToString()


def _refused(refusal: Exception, drawn: bool) -> CannotHold:
    if isinstance(refusal, FileFails) and isinstance(refusal.__cause__, Exception):
        refusal = refusal.__cause__
    if drawn:
        return CannotHold(
            "The network draws random numbers in its forward pass in a way that an ONNX file "
            "cannot repeat",
            first_line(refusal),
            "Draw them with randn_like or rand_like, or feed the noise through an Input.",
        )
    return CannotHold(
        "ONNX cannot hold this network",
        first_line(refusal),
        "Export torch.export or the Python source instead.",
    )


def _needs_packages() -> None:
    for name in ("onnx", "onnxscript", "onnxruntime"):
        try:
            __import__(name)
        except ImportError as error:
            raise ExportError(
                f"ONNX needs the package {name}, which is not installed.",
                f"Install it: pip install {name}",
            ) from error


def _by_export(subject: Subject) -> bytes:
    with _quiet():
        program = torch.onnx.export(
            subject.fixed,
            subject.sample(2),
            dynamo=True,
            external_data=False,
            input_names=list(subject.inputs),
            output_names=list(subject.outputs),
            dynamic_shapes=free_batch(subject),
            verbose=False,
        )
    if program is None:
        raise RuntimeError("torch.onnx.export returned nothing")
    model = program.model_proto
    for part in (model.graph, *model.functions):
        _without_traces(part)
    return model.SerializeToString()


def _without_traces(part: Any) -> None:
    """Take away where each node was made: lines and folders of this machine, half of the bytes."""
    for node in part.node:
        properties = [prop for prop in node.metadata_props if prop.key in KEPT]
        del node.metadata_props[:]
        node.metadata_props.extend(properties)
        node.doc_string = ""
        for attribute in node.attribute:
            for inner in (attribute.g, *attribute.graphs):
                _without_traces(inner)


def _by_trace(subject: Subject) -> bytes:
    names = [*subject.inputs, *subject.outputs]
    with tempfile.TemporaryDirectory() as folder, _quiet(), quiet_torchscript(), torch.no_grad():
        path = Path(folder, "network.onnx")
        torch.onnx.export(
            subject.fixed,
            subject.sample(2),
            path,
            dynamo=False,
            input_names=list(subject.inputs),
            output_names=list(subject.outputs),
            dynamic_axes={name: {0: "N"} for name in names},
            verbose=False,
        )
        return path.read_bytes()


@contextlib.contextmanager
def _no_dumps() -> Iterator[None]:
    """Keep the graph that torch's C++ prints of a refused network off standard output, where an
    answer of --json stands by itself."""
    sys.stdout.flush()
    kept, nowhere = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 1)
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)
        os.close(nowhere)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keep the exporter's progress lines and notes about its own insides off the terminal."""
    log = logging.getLogger("torch.onnx")
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings(), _no_dumps(), contextlib.redirect_stdout(io.StringIO()):
            for words, category in _KNOWN:
                warnings.filterwarnings("ignore", words, category)
            yield
    finally:
        log.setLevel(level)


def _checked(subject: Subject, content: bytes, drawn: bool) -> float | None:
    import onnx

    onnx.checker.check_model(onnx.load_from_string(content), full_check=True)
    model_bytes, names = without_draws(content)
    run = session(model_bytes)
    if not names:
        if drawn:
            raise RuntimeError("its random numbers became constants")
        return compare_outputs(subject.module, run, subject.sample, subject.batches)
    caught = DrawRecorder()

    def ours(*inputs: Tensor) -> Any:
        caught.found.clear()
        with caught:
            return subject.module(*inputs)

    return compare_outputs(
        ours, lambda *inputs: run(*inputs, *caught.found), subject.sample, subject.batches
    )


def session(content: bytes) -> Callable[..., list[Tensor]]:
    """A file as a function of its inputs, on one thread."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    names = [i.name for i in session.get_inputs()]

    def run(*inputs: Tensor) -> list[Tensor]:
        feed: dict[str, Any] = {n: t.numpy() for n, t in zip(names, inputs, strict=True)}
        return [torch.from_numpy(value) for value in session.run(None, feed)]

    return run
