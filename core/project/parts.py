"""Parts: composites that the palette offers in every project, from the files in `projects/parts/`.

A file there is a project like any other. Each node of its graph that uses a composite makes that a
part, and the node's label says what the part does.
"""

from functools import cache
from typing import Any

from core.project.graph_json import composite_to_json
from core.project.model import ENDING
from core.project.read import open_project
from core.project.templates import FOLDER

PARTS = FOLDER / "parts"


@cache
def parts_json() -> dict[str, Any]:
    """What the palette offers: {"abouts": {part: text}, "composites": {name: composite}}.

    Among the composites are those that stand inside of parts. Raises ProjectError.
    """
    abouts: dict[str, str] = {}
    composites: dict[str, Any] = {}
    for path in sorted(PARTS.glob("*" + ENDING)):
        graph = open_project(path).graph
        for node in graph.nodes.values():
            if node.block in graph.composites:
                abouts[node.block] = node.label
        for name, part in graph.composites.items():
            composites[name] = composite_to_json(part, graph.composites)
    return {"abouts": abouts, "composites": composites}
