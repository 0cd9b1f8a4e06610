"""The versions of a file between which git has a merge conflict, from its index.

Git is only asked to read: nothing that a repository configures is run or fetched by it.
"""

import contextlib
from pathlib import Path

from core.project.strict import MAX_BYTES
from core.worker import child_process

READ_S = 10.0
_ENVIRONMENT = {"GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0"}
_HARMLESS = (
    "--no-pager",
    "--literal-pathspecs",
    *("-c", "core.fsmonitor="),
    *("-c", "core.hooksPath=/dev/null"),
    *("-c", "protocol.allow=never"),
)
"""Options that override what a repository may have git run: its file monitor, hooks, transports."""


def stages_of(path: Path) -> dict[int, bytes]:
    """The versions of a file that git has not merged: 1 the base, 2 ours, 3 theirs.

    {} for a file without a conflict, outside of a repository, or where there is no git.
    """
    if not any((folder / ".git").exists() for folder in path.parents):
        return {}
    with contextlib.suppress(OSError, child_process.TimeoutExpired):
        listed = _git(path.parent, "ls-files", "-u", "-z", "--", path.name)
        blobs = dict(filter(None, map(_stage, listed.split(b"\0"))))
        if blobs and all(_is_small(path.parent, blob) for blob in blobs.values()):
            return {
                stage: _git(path.parent, "cat-file", "blob", blob) for stage, blob in blobs.items()
            }
    return {}


def _git(folder: Path, *words: str) -> bytes:
    command = ["git", "-C", str(folder), *_HARMLESS, *words]
    return child_process.run(command, more=_ENVIRONMENT, timeout_s=READ_S).stdout


def _stage(line: bytes) -> tuple[int, str] | None:
    """The stage and object of a line "MODE OBJECT STAGE<tab>PATH"."""
    words = line.partition(b"\t")[0].decode("ascii", "replace").split()
    return (int(words[2]), words[1]) if len(words) == 3 and words[2].isdecimal() else None


def _is_small(folder: Path, blob: str) -> bool:
    size = _git(folder, "cat-file", "-s", blob).strip()
    return size.isdigit() and int(size) <= MAX_BYTES
