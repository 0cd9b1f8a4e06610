"""The hand-ins of this account on a server of a class: they count as files of its own."""

from collections.abc import Iterator
from pathlib import Path

from core.files.home import account
from core.wings.classroom.class_folder import HANDED_IN, class_folder
from core.wings.classroom.hand_in import ENDING


def files() -> Iterator[Path]:
    """Each file that this account has handed in."""
    folder, name = class_folder(), account()
    if folder and name:
        yield from folder.glob(f"{HANDED_IN}/*/{name}.*{ENDING}")
