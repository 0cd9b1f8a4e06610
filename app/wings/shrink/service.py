"""Tries of a run for the Shrink page: start, watch and stop the process, open a result.

The process is that of `layerloom shrink`; it outlives page and server.
"""

import io
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from app.services import module_process, weights_beside
from core.common.errors import ProjectError, RunError
from core.files.safe_path import read_file
from core.project import open_project, save_project
from core.runs.files import read_end
from core.settings.init_weights import beginning_with
from core.wings.shrink import files, stopping
from core.wings.shrink.files import ShrinkProgress
from core.wings.shrink.rows import Row
from core.worker import child_process, force

LOG_BYTES = 4000
_starting: dict[Path, "child_process.Process[bytes]"] = {}


@dataclass(frozen=True)
class ShrinkView:
    """State of the tries of a run. state: idle, starting, running or stopping.

    rows: of the weights that the run has now, the network's own first. message: the error
    that the process ended with, if any.
    """

    state: str
    rows: tuple[Row, ...]
    progress: ShrinkProgress
    message: str = ""


def read_state(run: Path, weights: str) -> ShrinkView:
    """The state of the tries of a run. weights: id of its current weights."""
    state = "idle"
    if stopping.is_alive(run) or _starts(run):
        state = "running" if files.is_running(run) else "starting"
        state = "stopping" if files.stop_requested(run) else state
    rows = tuple(files.rows(run, weights))
    return ShrinkView(
        state, rows, files.read_progress(run), _error_of(run) if state == "idle" else ""
    )


def _starts(run: Path) -> bool:
    process = _starting.get(run)
    return process is not None and process.poll() is None


def _error_of(run: Path) -> str:
    """The error that the process ended with, "" for none."""
    lines = read_end(files.folder_of(run) / files.LOG, LOG_BYTES).splitlines()
    errors = [line for line in lines if line.startswith("error: ")]
    return errors[-1].removeprefix("error: ") if errors else ""


def begin(run: Path, ways: Sequence[str], epochs: int | None) -> None:
    """Start the process that makes tries or, without ways, measures the sensitivity of each block.

    Raises RunError.
    """
    if stopping.is_alive(run) or _starts(run):
        return
    try:
        files.clear_stop(run)
        command = [*command_of(run, ways, epochs), "--runs", str(run.parent)]
        _starting[run] = module_process.start_layerloom(command, files.folder_of(run) / files.LOG)
    except OSError as error:
        message = f"The process did not start: {error.strerror or error}."
        raise RunError(
            run.name, message, "Check the free disk space and the folder's permissions."
        ) from error


def command_of(run: Path, ways: Sequence[str], epochs: int | None) -> list[str]:
    """The arguments of the command that makes these tries; without ways, of the sensitivity."""
    if not ways:
        return ["shrink", run.name, "--sensitivity"]
    more = [] if epochs is None else ["--epochs", str(epochs)]
    return ["shrink", run.name, *(word for way in ways for word in ("--try", way)), *more]


def stop(run: Path) -> force.Answer:
    """Ask the process to end; its unfinished try is deleted; a second request ends it.

    Returns which of the two happened. Raises RunError.
    """
    return stopping.stop(run)


def keep_drawing(run: Path, row: Row) -> Path:
    """Save a try's drawing and its weights side by side in the workspace; the project's file.

    Raises ProjectError.
    """
    folder = files.folder_of(run) / row.name
    project = open_project(folder / row.drawing)
    path = weights_beside.free_path(project.name)
    weights = weights_beside.weights_of(path)
    weights_beside.bring(folder / row.file, weights)
    try:
        save_project(replace(beginning_with(project, weights.name), revision=""), path)
    except ProjectError:
        weights.unlink(missing_ok=True)
        raise
    return path


def content(run: Path, row: Row) -> bytes:
    """The file of a try; of a drawing, an archive of it and its weights. Raises OSError."""
    folder = files.folder_of(run) / row.name
    if not row.drawing:
        return read_file(folder / row.file)
    return _zipped([folder / row.drawing, folder / row.file])


def code_archive(run: Path, name: str) -> bytes:
    """The Python of a try with what it needs beside it, as an archive. Raises OSError."""
    folder, own = files.folder_of(run), files.folder_of(run) / files.ORIGINAL
    beside = [own / each for each in ("network.py", "network.safetensors", "samples.safetensors")]
    return _zipped([folder / name / files.LINES, *beside])


def _zipped(paths: Sequence[Path]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for path in paths:
            archive.write(path, path.name)
    return buffer.getvalue()
