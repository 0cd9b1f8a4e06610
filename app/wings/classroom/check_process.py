"""The process that checks one hand-in: also one that is packed in a file of a wing's."""

from pathlib import Path

from app import wing
from core.project import open_project
from core.runs.listing import list_runs
from core.wings.classroom import check_one
from core.wings.classroom.hand_in import HandIn, figures_of


def unpack(file: Path, folder: Path) -> HandIn | None:
    """Open a packed project in a folder of its own, with its newest run; None for other files."""
    for _, kind in wing.parts("file"):
        if file.name.lower().endswith(kind.ENDING):
            runs = folder / "runs"
            project = open_project(kind.opened(file, runs))
            views = list_runs(runs)
            return HandIn(project, run=figures_of(views[0]) if views else None)
    return None


if __name__ == "__main__":
    check_one.main(unpack)
