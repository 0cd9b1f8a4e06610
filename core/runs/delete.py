"""Deleting a run for good: its folder goes, its name is not given to another run."""

import re
import shutil
from pathlib import Path

from core.errors import RunError
from core.runs import listing


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
    name = run_dir.name
    if listing.view_run(run_dir).state in listing.ALIVE or listing.alive(run_dir):
        raise RunError(name, f"{name} has not ended.", "Stop it first.")
    renamed = run_dir.with_name(f".{name}.deleted")
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
        message = f"{name} cannot be deleted: {error.strerror}."
        raise RunError(name, message, "See who may write in the folder of runs.") from error


def _is_last(run_dir: Path) -> bool:
    """Whether no other run of the same name has a higher number."""
    stem, _, number = run_dir.name.rpartition("-")
    if not number.isdigit():
        return False
    others = [
        re.fullmatch(rf"{re.escape(stem)}-(\d{{3,9}})", p.name) for p in run_dir.parent.iterdir()
    ]
    return all(int(other[1]) <= int(number) for other in others if other)
