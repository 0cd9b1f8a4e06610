"""The commands `layerloom merge`, `layerloom git-setup` and `layerloom git-diff`."""

from typing import Any

from app.wings.merge import command, git

AFTER = "compare"


def declare(commands: Any) -> None:
    """Add the three commands."""
    command.declare(commands)
    git.declare(commands)
