"""The canonical text of a project: equal projects give equal bytes, and git can merge it.

Fixed key order, one node, edge, note or position per line, no time stamps.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any, cast

from core.common.errors import ProjectError
from core.graph import Graph
from core.project.graph_json import composite_to_json, graph_to_json
from core.project.migrate import CURRENT, FORMAT_KEY
from core.project.model import Project

DATA_KEYS = (
    *("source", "root", "file", "skip_corrupt", "ignore", "columns", "target_column"),
    *("target_columns", "label_separator", "categories"),
    *("encoding", "separator", "decimal", "thousands", "header", "first", "footer", "missing"),
    *("fill", "dates", "copies", "class", "samples", "loader_workers"),
    *("made", "target", "inputs", "transform", "noise", "validation", "normalize", "limit"),
)
TRAINING_KEYS = (
    "loss",
    "losses",
    "samples_from",
    "start_from",
    "distil",
    "optimizer",
    "lr",
    "epochs",
    "batch_size",
    "seed",
)


def write_text(project: Project) -> str:
    """Write a project as the text of its file. Raises ProjectError for what JSON cannot hold."""
    graph = project.graph
    composites = (
        (name, _write_composite(composite_to_json(part, graph.composites)))
        for name, part in graph.composites.items()
    )
    entries = [
        (FORMAT_KEY, str(CURRENT)),
        ("name", _json(project.name)),
        ("about", _json(project.about)),
        ("graph", _write_graph(graph)),
        ("composites", _rows(composites, 2)),
        ("data", _json(_ordered(project.data, DATA_KEYS))),
        ("training", _json(_ordered(project.training, TRAINING_KEYS))),
        ("notes", _list(map(_json, project.notes), 2)),
        (
            "layout",
            _rows(((k, _json([_tidy(x) for x in v])) for k, v in project.layout.items()), 2),
        ),
        *[("specialised", _list(map(_json, project.specialised), 2))] * bool(project.specialised),
        *((key, _json(value)) for key, value in project.extra.items()),
    ]
    return _rows(entries, 0) + "\n"


def _write_graph(graph: Graph) -> str:
    data = graph_to_json(graph)
    data.pop("composites", None)
    return _write_parts(data, 2)


def _write_composite(data: Mapping[str, Any]) -> str:
    return _write_parts(data, 4)


def _write_parts(data: Mapping[str, Any], indent: int) -> str:
    """Write nodes, edges and lines of Python one per line, and all else in one line."""

    def value(key: str, item: Any) -> str:
        if key == "nodes":
            return _rows(((name, _json(node)) for name, node in item.items()), indent + 2)
        if key == "edges" or (key == "python" and isinstance(item, list)):
            return _list(map(_json, cast(list[Any], item)), indent + 2)
        return _json(item)

    return _rows(((key, value(key, item)) for key, item in data.items()), indent)


def _rows(entries: Iterable[tuple[str, str]], indent: int) -> str:
    """Write an object with one entry per line; `indent` is that of its closing bracket."""
    return _lines("{", (f"{_json(key)}: {value}" for key, value in entries), "}", indent)


def _list(items: Iterable[str], indent: int) -> str:
    return _lines("[", items, "]", indent)


def _lines(left: str, items: Iterable[str], right: str, indent: int) -> str:
    space = "\n" + " " * indent
    body = f",{space}  ".join(items)
    return f"{left}{space}  {body}{space}{right}" if body else left + right


def _ordered(data: Mapping[str, Any], first: tuple[str, ...]) -> dict[str, Any]:
    return {**{key: data[key] for key in first if key in data}, **data}


def _tidy(number: float) -> float:
    """Write whole pixels without a fraction."""
    return int(number) if float(number).is_integer() else number


_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False)


def _json(value: Any) -> str:
    try:
        text = _ENCODER.encode(value)
        text.encode("utf-8")
    except (TypeError, ValueError, RecursionError) as error:
        message = f"has a value that a project file cannot store: {error}."
        raise ProjectError("", message, "Use strings, finite numbers, lists and objects.") from None
    return text
