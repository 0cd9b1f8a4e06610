"""Export for ExecuTorch: the file that apps on phones and small boards load."""

import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from core.export.parity import refuse_draws
from core.export.pt2 import saved_program
from core.export.result import ExportedFile
from core.export.subject import Subject
from core.wings.native.compile_job import (
    CompileError,
    compile_program,
    export_error,
    measure_difference,
)

LARGEST_BATCH = 64
"""Memory is laid out in advance for so many samples."""
INSTEAD = "Export ONNX instead: ONNX Runtime also runs on phones."
NOTE = f"takes 1 to {LARGEST_BATCH} samples at a time"


def make_executorch(subject: Subject) -> ExportedFile:
    """Lower for XNNPACK where it can, for portable operations else; check in another process."""
    refuse_draws(subject.module, subject.sample, "a file for phones", INSTEAD)
    program = saved_program(subject, LARGEST_BATCH)
    try:
        made = compile_program("executorch", subject, program, lambda content, _: content)
        apart = measure_difference("executorch", subject, made)
    except CompileError as error:
        raise export_error("ExecuTorch", error, INSTEAD) from error
    return ExportedFile(made.content, apart, (NOTE, made.words()), run=load(made.content))


def load(content: bytes) -> Callable[..., Any]:
    """The file as a function of its inputs."""
    with _quiet():
        from executorch.runtime import Runtime  # pyright: ignore[reportMissingImports]

        method = Runtime.get().load_program(content).load_method("forward")
    assert method is not None  # it ran in the other process
    return lambda *inputs: [value.clone() for value in method.execute(inputs)]


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep what its library prints of the processor off the terminal."""
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it calls itself experimental, its readers old
            yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)
