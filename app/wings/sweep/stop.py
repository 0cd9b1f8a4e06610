"""`layerloom stop` of a sweep."""

import argparse
from pathlib import Path

from app.cli import output
from app.cli.runs import confirm
from app.wings.sweep.folder import sweep_folder

NOUN = "sweeps"


def stop(folder: Path | None, args: argparse.Namespace) -> int | None:
    """Ask the processes of a sweep to stop its trials; a second time, end them. None for a run, or
    where there is no sweep of that name. Raises Failed for one that is not running."""
    from core.wings.sweep import stopping
    from core.wings.sweep.files import under_way
    from core.worker import force

    found = None if folder else sweep_folder(args.name, args.runs)
    if found is None:
        return None
    if not under_way(found):
        raise output.Failed(f"The sweep {found.name} is not running.")
    answer = stopping.stop(found)
    words = force.ASKED if answer == "asked" else f"has stopped. {force.FORCED}"
    return confirm(found, words, args, stop=answer)
