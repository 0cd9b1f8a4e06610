"""The versions of a file between which git has a merge conflict, from its index."""

import contextlib
from pathlib import Path

from core.files.strict import MAX_BYTES
from core.worker import child_process, git


def stages_of(path: Path) -> dict[int, bytes]:
    """The versions of a file that git has not merged: 1 the base, 2 ours, 3 theirs.

    {} for a file without a conflict, outside of a repository, or where there is no git.
    """
    if not git.in_repository(path):
        return {}
    with contextlib.suppress(OSError, child_process.TimeoutExpired):
        listed = git.read(path.parent, "ls-files", "-u", "-z", "--", path.name)
        names = dict(filter(None, map(_stage, listed.split(b"\0"))))
        found = {stage: git.blob(path.parent, name, MAX_BYTES) for stage, name in names.items()}
        blobs = {stage: content for stage, content in found.items() if content is not None}
        if len(blobs) == len(names):
            return blobs
    return {}


def _stage(line: bytes) -> tuple[int, str] | None:
    """The stage and object of a line "MODE OBJECT STAGE<tab>PATH"."""
    words = line.partition(b"\t")[0].decode("ascii", "replace").split()
    return (int(words[2]), words[1]) if len(words) == 3 and words[2].isdecimal() else None
