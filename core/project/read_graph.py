"""Read the graph and the composites of a file: nodes, their settings, and the limits."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from blocks import CATALOGUE, has
from core.common.bounded_cache import BoundedCache
from core.files.messages import at, fail, quote
from core.graph import Composite, Graph, Node
from core.graph.names import check_id
from core.graph.ports import resolve
from core.graph.python import MAX_LINES, composite_of
from core.project.composites import check_expressions, check_nesting
from core.project.read_edges import read_edges
from core.project.values import (
    Notes,
    code_line,
    frozen,
    identifier,
    json_list,
    json_object,
    number,
    text,
    unknown,
    whole,
    yes_or_no,
)

MAX_NODES, MAX_EDGES, MAX_COMPOSITES, MAX_REPEAT = 2000, 10_000, 64, 1000
MAX_LABEL, MAX_BLOCK, MAX_PYTHON = 80, 100, 4000
KEPT_TEXT = 2000
NODE_KEYS = ("block", "settings", "repeat", "weights_of", "frozen", "lr_factor", "unused", "label")
MIN_FACTOR, MAX_FACTOR = 1e-6, 1000.0
COMPOSITE_KEYS = ("settings", "nodes", "edges")

Json = dict[str, Any]
Nodes = Mapping[str, Node]
Composites = Mapping[str, Composite]

_nodes: BoundedCache[str, Node] = BoundedCache(16_384)
"""Nodes read without a notice, by how their JSON prints: equal ones are one object."""


def read_graph(data: Any, composites: Any, notices: Notes) -> Graph:
    """Read the graph of a file and its composites. Raises ProjectError."""
    graph = json_object(data, "graph")
    if "nodes" not in graph:
        fail("graph", 'needs "nodes" but has none.', 'Write "nodes": {} for an empty graph.')
    parts = json_object(composites, "composites")
    if "composites" in graph:
        fail("graph.composites", "is inside the graph.", "Move it to the top level of the file.")
    _check_sizes(graph, parts)
    shells = {
        name: _read_shell(name, part, at("composites", name), notices)
        for name, part in parts.items()
    }
    check_nesting(shells)
    nodes = _read_nodes(graph["nodes"], "graph.nodes", notices)
    _report_nodes(nodes, shells, "graph.nodes", notices)
    edges = read_edges(graph.get("edges", []), nodes, shells, "graph.edges", notices)
    extra = unknown(graph, ("nodes", "edges"), "graph", notices)
    full = {name: _fill(name, part, parts[name], shells, notices) for name, part in shells.items()}
    return Graph(nodes, edges, full, extra)


def _check_sizes(graph: Json, parts: Json) -> None:
    """Refuse files over the limits before reading any part. The limits are for the whole file."""
    if len(parts) > MAX_COMPOSITES:
        _too_many("composites", len(parts), MAX_COMPOSITES, "composites")
    parts_by_path = [
        ("graph", graph),
        *((at("composites", name), part) for name, part in parts.items()),
    ]
    for key, limit in (("nodes", MAX_NODES), ("edges", MAX_EDGES)):
        total = 0
        for path, part in parts_by_path:
            part = json_object(part, path)
            read = json_object if key == "nodes" else json_list
            total += len(read(part.get(key, {} if key == "nodes" else []), at(path, key)))
        if total > limit:
            _too_many("graph", total, limit, key)
    codes = [json_object(part, path).get("python") for path, part in parts_by_path]
    total = sum(len(cast("list[Any]", code)) for code in codes if isinstance(code, list))
    if total > MAX_PYTHON:
        _too_many("composites", total, MAX_PYTHON, "lines of Python")


def _too_many(path: str, total: int, limit: int, things: str) -> None:
    fail(path, f"has {total} {things}; at most {limit} are allowed.", "Split the project.")


def _read_shell(name: str, data: Json, path: str, notices: Notes) -> Composite:
    """Read a composite without its edges, whose ports depend on the other composites."""
    identifier(name, path, "Rename the composite and all its uses.")
    if has(name, "end"):
        fail(path, "has the name of the block that ends a graph.", "Choose another name.")
    if name in CATALOGUE:
        notices.append((path, f"replaces the block {name} in this project."))
    if "python" in data:
        return _read_python(name, data, path, notices)
    settings = json_object(data.get("settings", {}), at(path, "settings"))
    for setting in settings:
        identifier(setting, at(at(path, "settings"), setting), "Rename the setting.")
    nodes = _read_nodes(data.get("nodes", {}), at(path, "nodes"), notices)
    extra = unknown(data, COMPOSITE_KEYS, path, notices)
    return Composite(frozen(settings), Graph(nodes), extra)


def _read_python(name: str, data: Json, path: str, notices: Notes) -> Composite:
    """Read the lines of a class. Whether they are valid Python, the analysis checks."""
    here = at(path, "python")
    for key in ("settings", "nodes", "edges"):
        if key in data:
            hint = "Remove it: the settings and ports of a Python block are read from its class."
            fail(at(path, key), 'cannot be combined with "python".', hint)
    lines = json_list(data["python"], here, "a list of lines of code")
    if not 0 < len(lines) <= MAX_LINES:
        fail(here, f"has {len(lines)} lines; 1 to {MAX_LINES} are allowed.", "Shorten the class.")
    code = [code_line(line, at(here, number)) for number, line in enumerate(lines)]
    if not any(map(str.strip, code)):
        fail(here, "has no code.", f'Write "class {name}(nn.Module):" and its methods.')
    part = composite_of(name, "\n".join(code))
    return replace(part, extra=unknown(data, ("python",), path, notices))


def _fill(name: str, part: Composite, data: Json, shells: Composites, notices: Notes) -> Composite:
    if part.python:
        return part
    path, nodes = at("composites", name), part.graph.nodes
    _report_nodes(nodes, shells, at(path, "nodes"), notices)
    check_expressions(part, path, notices)
    edges = read_edges(data.get("edges", []), nodes, shells, at(path, "edges"), notices)
    return replace(part, graph=Graph(nodes, edges))


def _read_nodes(data: Any, path: str, notices: Notes) -> dict[str, Node]:
    nodes = json_object(data, path)
    return {name: _read_node(name, node, at(path, name), notices) for name, node in nodes.items()}


def _read_node(name: str, value: Any, path: str, notices: Notes) -> Node:
    identifier(name, path, "Rename the node, also in its edges.")
    key, count = repr(value), len(notices)
    if (known := _nodes.get(key)) is not None:
        return known
    node = _read_new_node(value, path, notices)
    return _nodes.put(key, node) if len(notices) == count and len(key) <= KEPT_TEXT else node


def _read_new_node(value: Any, path: str, notices: Notes) -> Node:
    data = json_object(value, path, 'an object such as {"block": "ReLU"}')
    shared = text(data.get("weights_of", ""), at(path, "weights_of"), MAX_BLOCK, notices)
    if shared and check_id(shared):
        message = f"needs the id of a node but receives {quote(shared)}."
        fail(at(path, "weights_of"), message, "Name the node whose weights it shares.")
    if "block" not in data and not shared:
        fail(path, 'needs a "block" but has none.', 'Name one, such as "block": "ReLU".')
    block = text(data.get("block", ""), at(path, "block"), MAX_BLOCK, notices)
    if not block and not shared:
        fail(at(path, "block"), "is empty.", 'Name a block, such as "ReLU".')
    settings = json_object(data.get("settings", {}), at(path, "settings"))
    for key in ("frozen", "lr_factor", "unused"):
        if shared and key in data:
            notices.append((at(path, key), f"has no effect here; set it on {shared}."))
    return Node(
        block,
        frozen(settings),
        text(data.get("label", ""), at(path, "label"), MAX_LABEL, notices),
        whole(data.get("repeat", 1), at(path, "repeat"), 1, MAX_REPEAT),
        shared,
        unknown(data, NODE_KEYS, path, notices),
        yes_or_no(data.get("frozen", False), at(path, "frozen")),
        number(data.get("lr_factor", 1.0), at(path, "lr_factor"), MIN_FACTOR, MAX_FACTOR),
        yes_or_no(data.get("unused", False), at(path, "unused")) and not shared,
    )


def _report_nodes(nodes: Nodes, composites: Composites, path: str, notices: Notes) -> None:
    """Give notice of blocks and settings that this version does not know."""
    for name, node in nodes.items():
        here, block = at(path, name), resolve(node, nodes).block
        if block in composites:
            allowed = set(composites[block].settings)
        elif not node.settings and (block in CATALOGUE or not block):
            continue
        elif block in CATALOGUE:
            allowed = {setting.name for setting in CATALOGUE[block].settings}
        elif block:
            message = f"is {quote(block)}, a block that this version does not have; it is kept."
            notices.append((at(here, "block"), message))
            continue
        else:
            continue  # shares the weights of a missing node: the analysis reports it
        for setting in node.settings:
            if setting not in allowed:
                message = f"is not a setting of {block}; it is kept."
                notices.append((at(at(here, "settings"), setting), message))
