"""Where a run trains, on the command line: options that a wing adds, none without it."""

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app import wing
from app.cli import output
from core.common.errors import RunError
from core.settings.launcher import Launcher
from core.worker.launchers import check_launcher, where

if TYPE_CHECKING:
    from core.project import Project


def declare(command: Any) -> None:
    """Add the options of a command that starts runs."""
    command.set_defaults(launcher=None, nproc=None)
    for _, part in wing.parts("launcher"):
        part.declare(command)


def declare_again(command: Any) -> None:
    """Add the options of one that lets a run go on."""
    for _, part in wing.parts("launcher"):
        part.declare_again(command)


def read(args: argparse.Namespace) -> Launcher | None:
    """The launcher that the options name, None where they name none. Raises UsageError."""
    return next((part.read(args) for _, part in wing.parts("launcher")), None)


def moved(args: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """What the options say of where a run goes on, as `core.worker.launch.resume` takes it.

    Raises UsageError.
    """
    return next((part.moved(args, folder) for _, part in wing.parts("launcher")), {})


def check(launcher: Launcher | None, training: Mapping[str, Any]) -> None:
    """Refuse what cannot train, before anything is written; note the choice of the user.

    Raises UsageError.
    """
    if launcher is None:
        return
    from core.worker.launcher_trust import trust

    try:
        check_launcher(launcher, training)
        trust(launcher)
    except RunError as error:
        raise output.UsageError(error.message, error.hint) from None


def say_parts(
    launcher: Launcher | None,
    folder: Path,
    training: Mapping[str, Any],
    project: "Project",
    source: str | None,
) -> None:
    """Say before a run starts how processes share its steps, and what differs from one.

    training: settings of the run. source: the text of the project's network.
    """
    for _, part in wing.parts("launcher"):
        part.say_parts(launcher, folder, training, project, source)


def words(launcher: Launcher | None) -> str:
    """What a line on a new run adds: by which launcher it trains; "" for one process here."""
    place = where(launcher.as_spec()) if launcher else ""
    return f" ({place})" if place else ""
