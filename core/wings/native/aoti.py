"""Export as an AOTInductor package: compiled machine code, loaded without any source."""

import io
import logging
import re
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import _inductor

from core.export.parity import refuse_draws
from core.export.pt2 import make_pt2
from core.export.result import ExportedFile
from core.export.subject import Subject
from core.wings.native.compile_job import (
    CompileError,
    compile_program,
    export_error,
    measure_difference,
)

INSTEAD = "Export torch.export or ONNX instead."
NOTE = f"runs with torch {torch.__version__.split('+')[0]} on processors like this one"


def make_aoti(subject: Subject) -> ExportedFile:
    """Compile the checked torch.export program; check the package in another process."""
    refuse_draws(subject.module, subject.sample, "a compiled file", INSTEAD)
    program = make_pt2(subject)
    try:
        made = compile_program("aoti", subject, program.content, without_paths)
        apart = measure_difference("aoti", subject, made)
    except CompileError as error:
        raise export_error("AOTInductor", error, INSTEAD) from error
    return ExportedFile(made.content, apart, (NOTE, made.words()), run=load(made.content))


def load(content: bytes) -> Callable[..., Any]:
    """The package as a function of its inputs."""
    logging.getLogger("torch.utils.cpp_extension").setLevel(logging.ERROR)  # looks for CUDA
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "network.pt2")
        path.write_bytes(content)
        return _inductor.aoti_load_package(str(path))


def without_paths(content: bytes, folder: Path) -> bytes:
    """The package without its C++ source, whose comments name folders of this machine, and with
    these names blanked in the machine code, where they stand for compilers and for debuggers."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as original, zipfile.ZipFile(buffer, "w") as archive:
        for member in original.infolist():
            if member.filename.endswith((".cpp", ".h")):
                continue
            data = original.read(member)
            if member.filename.endswith(".so"):
                data = _blanked(data, folder)
            archive.writestr(zipfile.ZipInfo(member.filename), data)
    return buffer.getvalue()


def _blanked(code: bytes, folder: Path) -> bytes:
    packages = Path(torch.__file__).parents[1]
    for place in {str(folder), str(folder.resolve()), str(packages), str(packages.resolve())}:
        found = re.compile(re.escape(place.encode()) + rb"[^\0]*")
        code = found.sub(lambda match: b"." * len(match.group()), code)
    return code
