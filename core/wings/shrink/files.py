"""The folder RUN/shrink: a folder for each try, and the log of the process.

Each try is made in a temporary folder, which takes the place of an older one in one step: NAME/
holds try.json (its row), lines.py and the result. `original` is the network as it is, with
what all lines need beside them: network.py, network.safetensors, samples.safetensors.
"""

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.files.safe_path import read_file
from core.runs import full_disk
from core.runs.files import is_locked, read_json, write_bytes, write_json
from core.wings.shrink.rows import Row, read_row

FOLDER, ROW, LINES, ORIGINAL = "shrink", "try.json", "lines.py", "original"
LOCK, STOP, PROGRESS, LOG = "shrink.lock", "stop", "progress.json", "shrink.log"
SENSITIVITY = "sensitivity.json"
MAKING = ".making-"


@dataclass(frozen=True)
class ShrinkProgress:
    """Progress of a process: the try, its number, the number of tries, and the current step."""

    name: str = ""
    at: int = 0
    of: int = 0
    doing: str = ""


def folder_of(run: Path) -> Path:
    """The folder of the tries of a run."""
    return run / FOLDER


def unwritable(run: Path, error: OSError) -> tuple[str, str]:
    """What to say, and to do, where nothing can be written for a run."""
    folder = folder_of(run)
    message = f"{folder} cannot be written: {error.strerror}."
    return message, full_disk.advice(error, folder, "Choose a run in a folder that takes files.")


def rows(run: Path, weights: str = "") -> list[Row]:
    """The rows of a run, the original first, then the tries in order of time.

    weights: id of the run's current weights; rows of others are left out. "" for all.
    """
    found: list[tuple[float, Row]] = []
    for path in folder_of(run).glob(f"[!.]*/{ROW}"):
        row = read_row(read_json(path))
        if row and (not weights or row.weights == weights):
            found.append((path.stat().st_mtime, row))
    found.sort(key=lambda each: (each[1].name != ORIGINAL, each[0]))
    return [row for _, row in found]


@contextmanager
def new_try_folder(run: Path, name: str) -> Iterator[Path]:
    """A temporary folder for a try; on success it replaces the folder of that try, else it is
    deleted."""
    folder = folder_of(run)
    temporary = folder / f"{MAKING}{os.getpid()}-{name}"
    shutil.rmtree(temporary, ignore_errors=True)
    temporary.mkdir(parents=True)
    try:
        yield temporary
        shutil.rmtree(folder / name, ignore_errors=True)
        temporary.replace(folder / name)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def delete_unfinished(run: Path) -> None:
    """Delete folders of tries that were interrupted."""
    for path in folder_of(run).glob(f"{MAKING}*"):
        shutil.rmtree(path, ignore_errors=True)


def write_try(folder: Path, row: Row, lines: str, files: Mapping[str, bytes]) -> None:
    """Write a try into its folder, the row last."""
    for name, content in files.items():
        write_bytes(folder / name, content, durable=False)
    if lines:
        write_bytes(folder / LINES, lines.encode(), durable=False)
    write_json(folder / ROW, row.json())


def delete_try(run: Path, name: str) -> None:
    """Delete a try."""
    if "/" not in name and not name.startswith("."):
        shutil.rmtree(folder_of(run) / name, ignore_errors=True)


def read_lines(run: Path, name: str) -> str:
    """The Python of a try, "" where there is none."""
    try:
        return read_file(folder_of(run) / name / LINES).decode("utf-8", "replace")
    except OSError:
        return ""


def is_running(run: Path) -> bool:
    """Whether a process makes tries of a run now."""
    return is_locked(folder_of(run) / LOCK)


def write_progress(run: Path, progress: ShrinkProgress) -> None:
    """Write the progress of a process."""
    write_json(folder_of(run) / PROGRESS, vars(progress))


def read_progress(run: Path) -> ShrinkProgress:
    """The progress of the process."""
    known: dict[str, Any] = read_json(folder_of(run) / PROGRESS)
    fields = {k: v for k, v in known.items() if k in ShrinkProgress.__dataclass_fields__}
    return ShrinkProgress(**fields)


def read_sensitivity_file(run: Path, weights: str) -> dict[str, Any]:
    """The measured sensitivity of the blocks of a run; {} if there is none for these weights."""
    kept = read_json(folder_of(run) / SENSITIVITY)
    return kept if kept.get("weights") == weights else {}


def request_stop(run: Path) -> None:
    """Ask the process to end; its unfinished try is deleted. Raises OSError."""
    (folder_of(run) / STOP).touch()


def stop_requested(run: Path) -> bool:
    """Whether a stop of the process was requested."""
    return (folder_of(run) / STOP).exists()


def clear_stop(run: Path) -> None:
    """Make the folder and delete an earlier request to stop."""
    folder_of(run).mkdir(exist_ok=True)
    (folder_of(run) / STOP).unlink(missing_ok=True)
