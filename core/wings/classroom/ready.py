"""Tasks that are here: those that come with Layerloom, and those of a folder. No torch."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from core.common.errors import ProjectError
from core.project.templates import FOLDER as PROJECTS
from core.wings.classroom.model import ENDING, ClassTask
from core.wings.classroom.read import open_task

FOLDER = PROJECTS / "tasks"
MOST = 100
"""Files of a folder that are listed."""


@dataclass(frozen=True)
class ListedTask:
    """A task in a list. name: of its file, without the ending; problem: why it cannot be read."""

    name: str
    task: ClassTask | None
    problem: str = ""


def list_tasks(folder: Path = FOLDER) -> list[ListedTask]:
    """The tasks of a folder, by name; one that cannot be read is among them, with the reason."""
    return [_listed(path) for path in _files(folder)]


def _files(folder: Path) -> Iterator[Path]:
    found = sorted(folder.glob(f"*{ENDING}"))[:MOST]
    yield from (path for path in found if path.is_file())


def _listed(path: Path) -> ListedTask:
    name = path.name.removesuffix(ENDING)
    try:
        return ListedTask(name, open_task(path))
    except ProjectError as error:
        return ListedTask(name, None, str(error))
