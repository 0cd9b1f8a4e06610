"""The templates a new project can start from: the project files in `projects/`."""

import json
from dataclasses import dataclass
from pathlib import Path

from core.files.messages import fail, one_of, quote
from core.project.model import ENDING, Project
from core.project.read import open_project, read_text

FOLDER = Path(__file__).resolve().parents[2] / "projects"


@dataclass(frozen=True)
class Template:
    """A template: `name` as given to `load_template`, title and description for people."""

    name: str
    title: str
    about: str
    path: Path


def list_templates() -> tuple[Template, ...]:
    """List the templates by name. Raises ProjectError if one cannot be opened."""
    return tuple(_describe(path) for path in sorted(FOLDER.glob("*" + ENDING)))


def chapters() -> dict[str, tuple[str, ...]]:
    """Names of the templates by chapter of a course, in the order to go through them.

    `projects/chapters.json` holds them; a template in no chapter comes under "More".
    """
    data = json.loads((FOLDER / "chapters.json").read_text("utf-8"))
    names_by_chapter = {title: tuple(names) for title, names in data.items()}
    placed = {name for names in names_by_chapter.values() for name in names}
    rest = tuple(t.name for t in list_templates() if t.name not in placed)
    return names_by_chapter | ({"More": rest} if rest else {})


def load_template(name: str) -> Project:
    """Open a template as a new project, without a revision. Raises ProjectError."""
    names = [path.name.removesuffix(ENDING) for path in sorted(FOLDER.glob("*" + ENDING))]
    if name not in names:
        fail(quote(name), "is not a template.", f"Choose one of: {one_of(names) or 'none found'}.")
    return read_text((FOLDER / (name + ENDING)).read_text("utf-8"), name + ENDING)


def _describe(path: Path) -> Template:
    project = open_project(path)
    return Template(path.name.removesuffix(ENDING), project.name, project.about, path)
