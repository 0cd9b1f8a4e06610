"""Where data sets are on this machine, and whether one is downloaded. Reads no data."""

import os
from pathlib import Path

from core.data.builtin.picture_sets import PICTURE_SETS
from core.data.builtin.vision_sets import VISION
from core.data.sources.source import Source

ON_DISK = {**VISION, **PICTURE_SETS}


def data_root() -> Path:
    """The folder of downloaded data: $LAYERLOOM_DATA, else ~/.cache/layerloom/data."""
    chosen = os.environ.get("LAYERLOOM_DATA")
    return Path(chosen).expanduser() if chosen else Path.home() / ".cache/layerloom/data"


def folder_of(source: Source, root: Path) -> Path:
    """The folder torchvision's class of this name keeps its files in."""
    return root / ON_DISK[source.name].folder


def is_here(source: Source, root: Path) -> bool:
    """Whether the data set can be read without a download."""
    if source.embedded:
        return True
    folder = folder_of(source, root)
    return all((folder / name).exists() for name in ON_DISK[source.name].files)
