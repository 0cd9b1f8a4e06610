"""What one account may use on a server that sets limits: bytes of files, runs at a time.

Whoever starts the workbench of an account sets the variables; without them nothing is limited. All
files of the account count: those of the workspace, its drafts and its history, its hand-ins.
"""

import os
from collections.abc import Iterator
from pathlib import Path

from core.common import wing
from core.files.home import home
from core.runs.listing import running

BYTES, RUNS = "LAYERLOOM_QUOTA", "LAYERLOOM_MOST_RUNS"


def refusal(runs_dir: Path, workspace: Path) -> tuple[str, str]:
    """Why an account may start no further run, and what to do; "" and "" where it may."""
    most = _limit(RUNS)
    if most is not None and (count := running(runs_dir)) >= most:
        words = f"You have {count} runs that train or wait, and {most} are allowed."
        return words, "Stop one, or wait until one has ended."
    return files_refusal(workspace)


def files_refusal(workspace: Path, more: int = 0) -> tuple[str, str]:
    """Why an account may add no file of `more` bytes, and what to do; "" and "" where it may."""
    quota = _limit(BYTES)
    if quota is None or (used := _used(workspace) + more) < quota:
        return "", ""
    words = f"Your files would have {used / 1e6:,.0f} MB, and {quota / 1e6:,.0f} MB are allowed."
    return words, "Delete runs or files that you no longer need."


def _used(workspace: Path) -> int:
    folders = workspace, home()
    elsewhere = [file for _, part in wing.parts("account_files") for file in part.files()]
    return sum(map(bytes_in, folders)) + sum(map(_bytes_of, elsewhere))


def _bytes_of(file: Path) -> int:
    try:
        return file.stat().st_blocks * 512
    except OSError:  # gone meanwhile
        return 0


def bytes_in(folder: Path) -> int:
    """Bytes of the files in a folder and below it, as they lie on the disk; links count nothing."""
    return sum(_sizes(str(folder)))


def _sizes(folder: str) -> Iterator[int]:
    try:
        entries = [*os.scandir(folder)]
    except OSError:  # gone meanwhile
        return
    for entry in entries:
        try:
            if entry.is_dir(follow_symlinks=False):
                yield from _sizes(entry.path)
            elif entry.is_file(follow_symlinks=False):
                yield entry.stat(follow_symlinks=False).st_blocks * 512
        except OSError:
            continue


def _limit(name: str) -> int | None:
    text = os.environ.get(name, "")
    return int(text) if text.isdecimal() else None
