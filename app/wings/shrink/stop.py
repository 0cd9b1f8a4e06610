"""`layerloom stop` of a run that is being compressed."""

import argparse
from pathlib import Path

from app.cli.runs import confirm

NOUN = "shrink"


def stop(folder: Path | None, args: argparse.Namespace) -> int | None:
    """Ask the process that makes tries of a run to end; a second time, end it. None where there
    is none."""
    from core.wings.shrink import stopping
    from core.worker import force

    if folder is None or not stopping.is_alive(folder):
        return None
    answer = stopping.stop(folder)
    if answer == "asked":
        return confirm(
            folder, f"is still being compressed. That {force.FINISHED_STAY}", args, stop=answer
        )
    return confirm(folder, f"is not compressed any more. {force.FORCED}", args, stop=answer)
