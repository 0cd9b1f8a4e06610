"""Questions about a drawing that has no weights yet. Plain JSON; runs in a worker process."""

from collections.abc import Mapping
from typing import Any

Json = dict[str, Any]


def after(graph: Json, edits: list[Json]) -> Json:
    """Errors and outputs of a graph once the edits of a fix are made."""
    from core.insight import canvas_queries

    return canvas_queries.after(graph, edits)


def timed(graph: Json, name: str, batch: int) -> Json:
    """The time of every block."""
    from core.insight import canvas_queries

    return canvas_queries.timed(graph, name, batch)


def curve(block: str, settings: Mapping[str, Any]) -> Json:
    """The values of an activation from -4 to 4."""
    from core.insight import canvas_queries

    return canvas_queries.curve(block, settings)
