"""Deletion of a run, for good or until it is restored; its name is not used again."""

import os
import re
import shutil
import time
from pathlib import Path

from core.common.errors import RunError
from core.runs import listing

ASIDE = ".deleted"
"""The folder, beside the runs, of those that can be brought back."""


def size_bytes(run_dir: Path) -> int:
    """How much disk a run takes; what vanishes meanwhile counts nothing."""
    total = 0
    for file in Path(run_dir).rglob("*"):
        try:
            total += file.lstat().st_size
        except FileNotFoundError:
            continue
    return total


def delete_run(run_dir: Path) -> None:
    """Delete a run that has ended, with all that lies in its folder. Raises RunError.

    Other runs keep what they took from it. It vanishes at once; its files follow.
    """
    run_dir = Path(run_dir)
    _refuse_alive(run_dir)
    renamed = run_dir.with_name(f".{run_dir.name}.deleted")
    try:
        if renamed.exists():
            shutil.rmtree(renamed)
        last = _is_last(run_dir)
        run_dir.rename(renamed)
        (renamed / "spec.json").unlink(missing_ok=True)  # without it, a folder is no run
        if last:
            run_dir.touch()  # the next run has the next number: others may name this one
        shutil.rmtree(renamed)
    except OSError as error:
        raise _cannot("deleted", run_dir, error) from error


def set_aside(run_dir: Path) -> Path:
    """Delete a run that has ended so that `put_back` brings it back; return where it lies.

    Raises RunError.
    """
    run_dir = Path(run_dir)
    _refuse_alive(run_dir)
    kept = run_dir.parent / ASIDE / run_dir.name
    try:
        kept.parent.mkdir(exist_ok=True)
        last = _is_last(run_dir)
        run_dir.rename(kept)
        os.utime(kept)  # from when on it is kept
        if last:
            run_dir.touch()  # as above: the next run has the next number
    except OSError as error:
        raise _cannot("deleted", run_dir, error) from error
    return kept


def put_back(kept: Path) -> Path:
    """Bring back a run that was set aside; return its folder. Raises RunError."""
    run_dir = kept.parent.parent / kept.name
    if run_dir.is_dir():
        raise RunError(kept.name, f"There is another run called {kept.name}.", "Delete it first.")
    try:
        run_dir.unlink(missing_ok=True)
        kept.rename(run_dir)
    except OSError as error:
        raise _cannot("restored", run_dir, error) from error
    return run_dir


def list_aside(runs_dir: Path, kept_days: int) -> list[Path]:
    """List runs that were set aside, the last one first; those older than that go for good."""
    found: list[tuple[float, Path]] = []
    for folder in (Path(runs_dir) / ASIDE).glob("*"):
        changed_s = folder.stat().st_mtime
        if time.time() - changed_s > kept_days * 86_400:
            shutil.rmtree(folder, ignore_errors=True)
        elif (folder / "spec.json").is_file():
            found.append((changed_s, folder))
    return [folder for _, folder in sorted(found, reverse=True)]


def _refuse_alive(run_dir: Path) -> None:
    name = run_dir.name
    if listing.view_run(run_dir).state in listing.ALIVE or listing.alive(run_dir):
        raise RunError(name, f"{name} has not ended.", "Stop it first.")


def _cannot(done: str, run_dir: Path, error: OSError) -> RunError:
    message = f"{run_dir.name} cannot be {done}: {error.strerror}."
    return RunError(run_dir.name, message, "Check the write permissions of the runs folder.")


def _is_last(run_dir: Path) -> bool:
    """Whether no other run of the same name has a higher number."""
    stem, _, number = run_dir.name.rpartition("-")
    if not number.isdigit():
        return False
    others = [
        re.fullmatch(rf"{re.escape(stem)}-(\d{{3,9}})", p.name) for p in run_dir.parent.iterdir()
    ]
    return all(int(other[1]) <= int(number) for other in others if other)
