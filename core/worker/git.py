"""git, asked to read only: nothing that a repository configures is run or fetched by it.

Only commands that read objects and the index: those for people (`git log`, `git diff`) run programs
that a repository names, as to show signatures or pictures.
"""

from pathlib import Path

from core.worker import child_process

READ_S = 10.0
_ENVIRONMENT = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_TERMINAL_PROMPT": "0",
}
_HARMLESS = (
    "--no-pager",
    "--literal-pathspecs",
    *("-c", "core.fsmonitor="),
    *("-c", "core.hooksPath=/dev/null"),
    *("-c", "protocol.allow=never"),
)
"""Options that override what a repository may have git run: its file monitor, hooks, transports."""


def in_repository(path: Path) -> bool:
    """Whether a file lies in a folder that git may know."""
    return any((folder / ".git").exists() for folder in path.parents)


def read(folder: Path, *words: str) -> bytes:
    """What git answers in a folder, b"" where it refuses. Raises OSError, TimeoutExpired."""
    command = ["git", "-C", str(folder), *_HARMLESS, *words]
    return child_process.run(command, more=_ENVIRONMENT, timeout_s=READ_S).stdout


def blob(folder: Path, name: str, largest: int) -> bytes | None:
    """An object of a repository; None where there is none, or it is larger than so many bytes.

    name: in letters and digits, or HEAD:./file. Raises OSError, TimeoutExpired.
    """
    size = read(folder, "cat-file", "-s", name).strip()
    if not size.isdigit() or int(size) > largest:
        return None
    return read(folder, "cat-file", "blob", name)
