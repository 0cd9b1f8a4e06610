"""Keeps the version of a project that is saved, and the one that was in the file before."""

import logging
from pathlib import Path

from core.common.errors import ProjectError
from core.wings.team import version_store
from core.wings.team.history import who

_LOG = logging.getLogger(__name__)


def note(path: Path, mine: bool) -> None:
    """Keep what is in the file now. mine: whether it was saved just now, and not by others before.

    A save does not fail because its history cannot be written: the log says so.
    """
    try:
        version_store.keep(path, who(path.parent) if mine else "", opens=mine)
    except (OSError, ProjectError) as error:
        _LOG.warning("The version of %s is not in its history. %s", path.name, error)
