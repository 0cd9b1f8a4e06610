"""Where Layerloom keeps what belongs to this user and not to a project: drafts, recent projects."""

import os
from pathlib import Path

from core.project.errors import ProjectError


def home() -> Path:
    """Name the folder: $LAYERLOOM_HOME, else layerloom in $XDG_STATE_HOME or ~/.local/state."""
    if chosen := os.environ.get("LAYERLOOM_HOME"):
        return Path(chosen)
    state = os.environ.get("XDG_STATE_HOME")
    return (Path(state) if state else Path.home() / ".local" / "state") / "layerloom"


def made(folder: Path) -> Path:
    """Create a folder for this user alone, if need be. Raises ProjectError if that fails."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        hint = "Set LAYERLOOM_HOME to a folder you may write to."
        message = f"cannot be created: {error.strerror}."
        raise ProjectError(str(folder), message, hint) from error
    return folder
