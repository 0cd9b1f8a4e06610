"""The project file: strict reading, canonical writing, safe saving. Opening never runs anything."""

from core.common.errors import Conflict, ProjectError
from core.project.graph_json import graph_from_json, graph_to_json
from core.project.model import Project
from core.project.read import open_project, read_text
from core.project.save import revision, save_project
from core.project.write import write_text

__all__ = [
    "Conflict",
    "Project",
    "ProjectError",
    "graph_from_json",
    "graph_to_json",
    "open_project",
    "read_text",
    "revision",
    "save_project",
    "write_text",
]
