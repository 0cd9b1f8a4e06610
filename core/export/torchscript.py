"""Export to TorchScript, by scripting the source or tracing one pass. Deprecated upstream."""

import io
import warnings
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.jit._trace import TracerWarning

from core.export.agreement import compare_outputs
from core.export.error_text import first_line
from core.export.result import CannotHold, ExportedFile
from core.export.subject import Subject

NOTE = "deprecated upstream"


def make_script(subject: Subject) -> ExportedFile:
    """Compile the source with its weights."""
    return _saved(subject, lambda: torch.jit.script(subject.fixed))


def make_trace(subject: Subject) -> ExportedFile:
    """Record one pass of two samples with the weights."""
    subject.refuse_decisions("Traced TorchScript")
    example = subject.sample(2)
    return _saved(
        subject, lambda: torch.jit.trace(subject.fixed, example, check_trace=False)
    )  # `compare` checks more than torch's own check, and on other batches


def _saved(subject: Subject, make: Callable[[], Any]) -> ExportedFile:
    try:
        with quiet_torchscript(), torch.no_grad():
            buffer = io.BytesIO()
            torch.jit.save(make(), buffer)
            content = _without_traces(buffer.getvalue())
            loaded = torch.jit.load(io.BytesIO(content))
    except Exception as error:  # its compiler has errors of its own, and raises Python's, too
        raise CannotHold(
            "TorchScript cannot hold this network",
            first_line(error),
            "Export ONNX or torch.export instead.",
        ) from error
    difference = compare_outputs(subject.module, loaded, subject.sample, subject.batches)
    return ExportedFile(content, difference, (NOTE,), run=loaded)


def _without_traces(content: bytes) -> bytes:
    """The archive without the places in files of this machine that its lines were made from."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as original, zipfile.ZipFile(buffer, "w") as archive:
        for member in original.infolist():
            if not member.filename.endswith(".debug_pkl"):
                info = zipfile.ZipInfo(member.filename)
                archive.writestr(info, original.read(member), member.compress_type)
    return buffer.getvalue()


@contextmanager
def quiet_torchscript() -> Iterator[None]:
    """Silence TorchScript's deprecation notes, and the fused attention that no trace can hold."""
    fast = torch.backends.mha.get_fastpath_enabled()
    torch.backends.mha.set_fastpath_enabled(False)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", r"`torch\.jit\.\w+` is", FutureWarning)
            warnings.filterwarnings("ignore", r"`torch\.jit\.\w+` is", DeprecationWarning)
            warnings.filterwarnings("ignore", category=TracerWarning)
            yield
    finally:
        torch.backends.mha.set_fastpath_enabled(fast)
