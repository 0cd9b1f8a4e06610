"""Conversion of older project files, one format at a time, by functions from dict to dict.

A step is deterministic and never edited once its format has been released. Names of blocks that
were renamed since (`Block.was`) are brought up to date in a file of any format.

From format 2 on a file also has "needs": the first version of Layerloom that reads it, so that
an older one can name the version to install.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, cast

from blocks import CATALOGUE
from core.files.messages import at, fail, quote
from core.project.values import Notes

Json = dict[str, Any]

FORMAT_KEY = "layerloom"
CURRENT = 1
VERSION = re.compile(r"\A\d{1,4}(\.\d{1,4}){0,2}\Z")


def migrate(data: Json, notices: Notes) -> Json:
    """Bring a parsed file to the current format. Raises ProjectError for a newer one."""
    number = _format_of(data)
    if number != CURRENT:
        notices.append((FORMAT_KEY, f"had format {number}; saving writes format {CURRENT}."))
    for step in range(number, CURRENT):
        data = {**STEPS[step](data), FORMAT_KEY: step + 1}
    return _rename_blocks(data, notices)


def _format_of(data: Json) -> int:
    number = data.get(FORMAT_KEY)
    if FORMAT_KEY not in data:
        hint = f'A project starts with "{FORMAT_KEY}": {CURRENT}.'
        fail("", f'is not a Layerloom project: the key "{FORMAT_KEY}" is missing.', hint)
    if type(number) is not int or number < 0:
        hint = f'A project starts with "{FORMAT_KEY}": {CURRENT}.'
        fail(FORMAT_KEY, f"needs a format number but receives {quote(number)}.", hint)
    if number > CURRENT:
        needs = data.get("needs")
        known = isinstance(needs, str) and VERSION.match(needs)
        version = f"Layerloom {needs} or newer" if known else "a newer Layerloom"
        message = f"has format {quote(number)}; this version reads formats up to {CURRENT}."
        fail(FORMAT_KEY, message, f"Open it with {version}; the file was not changed.")
    return number


def _from_0(data: Json) -> Json:
    """Format 0 had the graph at the top, `kind`, `params`, and edges [source, port, target]."""
    graph = _graph_from_0({"nodes": data.get("nodes", {}), "edges": data.get("edges", [])})
    rest = {key: value for key, value in data.items() if key not in ("nodes", "edges")}
    if isinstance(parts := rest.get("composites"), dict):
        parts = cast(Json, parts)
        rest["composites"] = {name: _graph_from_0(part) for name, part in parts.items()}
    return {**rest, "graph": graph}


def _graph_from_0(part: Any) -> Any:
    if not isinstance(part, dict):
        return part
    part = dict(cast(Json, part))
    if isinstance(nodes := part.get("nodes"), dict):
        items = cast(Json, nodes).items()
        new = {"kind": "block", "params": "settings"}
        part["nodes"] = {name: _renamed(node, new) for name, node in items}
    if isinstance(edges := part.get("edges"), list):
        part["edges"] = [_edge_from_0(edge) for edge in cast(list[Any], edges)]
    return part


def _renamed(node: Any, names: Mapping[str, str]) -> Any:
    if not isinstance(node, dict):
        return node
    return {names.get(key, key): value for key, value in cast(Json, node).items()}


def _edge_from_0(edge: Any) -> Any:
    match edge:
        case [str(source), str(port), str(target)]:
            return f"{source} -> {target}.{port}" if port else f"{source} -> {target}"
        case _:
            return edge  # the reader reports what is wrong with it


STEPS: Mapping[int, Callable[[Json], Json]] = {0: _from_0}
"""Format number to the step that brings a file to the next."""


def _rename_blocks(data: Json, notices: Notes) -> Json:
    """Give renamed blocks their present names, unless a composite of the file has the old one."""
    composites = data.get("composites", {})
    renamed = {old: block.name for block in CATALOGUE.values() for old in block.was}
    own = cast(Json, composites) if isinstance(composites, dict) else {}
    names = {o: n for o, n in renamed.items() if o not in CATALOGUE and o not in own}
    if not names:
        return data
    data = {**data, "graph": _with_names(data.get("graph"), names, "graph", notices)}
    if own:
        data["composites"] = {
            name: _with_names(part, names, at("composites", name), notices)
            for name, part in own.items()
        }
    return data


def _with_names(part: Any, names: Mapping[str, str], path: str, notices: Notes) -> Any:
    if not isinstance(part, dict) or not isinstance(part.get("nodes"), dict):  # pyright: ignore[reportUnknownMemberType]
        return cast(Any, part)
    nodes: Json = {}
    for name, node in cast(Json, part["nodes"]).items():
        old = cast(Json, node).get("block") if isinstance(node, dict) else None
        if isinstance(old, str) and old in names:
            here = at(at(at(path, "nodes"), name), "block")
            notices.append((here, f"was {old}, which is now called {names[old]}."))
            node = {**cast(Json, node), "block": names[old]}
        nodes[name] = node
    return {**cast(Json, part), "nodes": nodes}
