"""Compilation of a network, and a run of the file by its own runtime, each in a separate process.

A compiler or a runtime that crashes ends its own process only, its memory is freed, and the file is
known to run without anything of this process.
"""

import errno
import json
import os
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from core.export.agreement import compare_outputs_on, comparison_inputs
from core.export.parity import BATCHES
from core.export.result import CannotHold, ExportError
from core.export.subject import Subject
from core.wings.native.process import operator_name
from core.worker import child_process

COMPARED_BATCHES = (*BATCHES, 64)
"""A compiler may bind a file to few samples, which shows with many."""
DISK_FULL = os.strerror(errno.ENOSPC)
SCRIPT = Path(__file__).with_name("process.py")
LINK = re.compile(r" \(https?://\S+\)\W*$")
OPERATOR_PATTERNS = tuple(
    re.compile(pattern)
    for pattern in (
        r"Missing operator: \[\d+\] (\S+)",  # ExecuTorch's log of loading, then of running
        r"failed at instruction \S+ in operator (\S+?):? ",
        r"Operator torch\._ops\.(\S+) is not in Core ATen opset",
    )
)


@dataclass(frozen=True)
class CompiledNetwork:
    """A compiled network. seconds, peak_mb: time and memory of the compilation; operators: paths of
    the modules that call an operator, by its name."""

    content: bytes
    seconds: float
    peak_mb: float
    operators: Mapping[str, Sequence[str]]

    def words(self) -> str:
        """In a line."""
        return f"compiled in {self.seconds:.0f} s with up to {self.peak_mb:,.0f} MB of memory"


class CompileError(Exception):
    """A message of a compiler or a runtime about a network.

    operator: the one it names, such as aten::avg_pool3d.out, or "". operators: as in
    CompiledNetwork.
    """

    def __init__(
        self, why: str, operator: str = "", operators: Mapping[str, Sequence[str]] | None = None
    ) -> None:
        super().__init__(why)
        self.operator, self.operators = operator, operators or {}


@contextmanager
def job_folder() -> Iterator[Path]:
    """A folder for jobs. The process of a job deletes it if this process is killed.

    Raises ExportError where there is no room.
    """
    try:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
            yield Path(name)
    except OSError as error:
        raise _no_room(error.strerror or str(error)) from error


def _no_room(why: str) -> ExportError:
    return ExportError(
        f"The folder for temporary files ({tempfile.gettempdir()}) cannot be used: {why}.",
        "Free some space there, or set TMPDIR to another folder.",
    )


def compile_program(
    form: str, subject: Subject, program: bytes, remove_paths: Callable[[bytes, Path], bytes]
) -> CompiledNetwork:
    """Compile a saved `torch.export` program. Raises CompileError.

    remove_paths: removes paths of the folder from the file.
    """
    with job_folder() as folder:
        (folder / "program.pt2").write_bytes(program)
        torch.save([list(subject.sample(2))], folder / "samples.pt")
        answer = _job(folder, "compile", form)
        content = remove_paths((folder / "network").read_bytes(), folder)
    return CompiledNetwork(content, answer["seconds"], answer["peak_mb"], answer["operators"])


def measure_difference(form: str, subject: Subject, made: CompiledNetwork) -> float | None:
    """Compare a file, run by its own runtime in another process.

    Raises CompileError and ExportError.
    """
    batches = comparison_inputs(
        subject.sample, tuple(dict.fromkeys((*COMPARED_BATCHES, *subject.batches)))
    )
    with job_folder() as folder:
        (folder / "network").write_bytes(made.content)
        torch.save([list(batch.inputs) for batch in batches], folder / "samples.pt")
        try:
            _job(folder, "run", form)
        except CompileError as error:
            error.operators = made.operators
            raise
        outputs = iter(torch.load(folder / "outputs.pt", weights_only=True))
    return compare_outputs_on(subject.module, lambda *_: next(outputs), batches)


def _job(folder: Path, do: str, form: str) -> dict[str, Any]:
    (folder / "job.json").write_text(json.dumps({"do": do, "form": form}), "utf-8")
    own = {
        "TORCHINDUCTOR_CACHE_DIR": str(folder / "cache"),
        "TMPDIR": str(folder),
        "AOT_INDUCTOR_ENABLE_LINE_TABLES": "0",
        "TORCHINDUCTOR_COMPILE_THREADS": "1",
        "OMP_NUM_THREADS": "1",
    }
    command, pipe = child_process.module(str(SCRIPT), str(folder)), child_process.PIPE
    child = child_process.start(
        command,
        cwd=folder,
        more=own,
        text=True,
        stdin=pipe,
        stdout=pipe,
        stderr=(folder / "log").open("w"),
        own_session=True,
    )
    assert child.stdout is not None
    printed = child.stdout.read().splitlines()  # its input stays open: closing it ends the job
    status = child.wait()
    for pipe in (child.stdin, child.stdout):
        if pipe:
            pipe.close()
    try:
        answer = json.loads(printed[-1])
    except (IndexError, ValueError) as error:
        killed = f"was ended by signal {-status}; memory may be short"
        why = killed if status < 0 else f"ended with status {status}"
        raise CompileError(f"its process {why}") from error
    if DISK_FULL in answer.get("error", ""):
        raise _no_room(DISK_FULL)
    if "error" in answer:
        operator = _operator_in(answer["error"] + (folder / "log").read_text("utf-8", "replace"))
        raise CompileError(answer["error"], operator, answer.get("operators"))
    return answer


def _operator_in(text: str) -> str:
    """The operator that a compiler, or the log of a runtime, names; "" where there is none."""
    found = [match for pattern in OPERATOR_PATTERNS for match in pattern.findall(text)]
    return found[0] if found else ""


def export_error(what: str, error: CompileError, hint: str) -> ExportError:
    """An error with the blocks and the operator, or with the line that gives the reason."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()] or ["no reason"]
    at = next((i for i, line in enumerate(lines) if "rror" in line), 0)
    why = " ".join(lines[at : at + 2] if lines[at].endswith(":") else lines[at : at + 1])
    why = LINK.sub("", why)[:300].removesuffix(".") + "."
    paths = [path for path in error.operators.get(operator_name(error.operator), ()) if path]
    if not error.operator:
        return CannotHold(f"{what} cannot hold this network", why, hint)
    blocks = f" of {', '.join(paths[:3])}{' and others' if paths[3:] else ''}" if paths else ""
    return ExportError(f"{what} cannot run {error.operator}{blocks}: {why}", hint)
