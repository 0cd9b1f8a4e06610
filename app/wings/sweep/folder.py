"""The folder of a sweep, as the command line names it."""

from pathlib import Path


def sweep_folder(name: str, runs: Path) -> Path | None:
    """The folder of a sweep, by its name in `runs` or by its path; None if there is none."""
    from core.wings.sweep.files import ASKED, SWEEPS

    for folder in (runs / SWEEPS / name, Path(name)):
        if (folder / ASKED).is_file():
            return folder.resolve()
    return None
