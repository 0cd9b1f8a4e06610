"""Checks of composites: none contains itself, and their expressions can be parsed.

Opening a file imports nothing that is not there yet, so these are ordered by Python's own graphlib.
"""

from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from typing import Any, cast

from core.files.messages import at, fail
from core.graph import Composite
from core.graph.expression import ExpressionError, is_expression, names, parse
from core.project.values import Notes

MAX_NESTING = 32


def check_nesting(composites: Mapping[str, Composite]) -> None:
    """Refuse composites that hold themselves, or stand in each other deeper than 32."""
    held = {
        name: {n.block for n in part.graph.nodes.values() if n.block in composites}
        for name, part in composites.items()
    }
    depth: dict[str, int] = {}
    try:
        for name in TopologicalSorter(held).static_order():  # inner ones first
            depth[name] = 1 + max((depth[inner] for inner in held[name]), default=0)
    except CycleError as error:
        cycle: list[str] = error.args[1][::-1]
        hint = "Remove one of these uses."
        fail(at("composites", cycle[0]), f"contains itself: {' -> '.join(cycle)}.", hint)
    for name, deep in depth.items():
        if deep > MAX_NESTING:
            hint = "Move the blocks of the innermost composite one level up."
            fail(
                at("composites", name),
                f"is nested {deep} composites deep; at most {MAX_NESTING} are allowed.",
                hint,
            )


def check_expressions(part: Composite, path: str, notices: Notes) -> None:
    """Give notice of expressions that cannot be read or use a setting the composite lacks."""
    for name, node in part.graph.nodes.items():
        for setting, value in node.settings.items():
            here = at(at(at(at(path, "nodes"), name), "settings"), setting)
            for text in _expressions(value):
                if reason := _wrong(text, part.settings):
                    notices.append((here, f"has an expression that {reason}; it is kept."))


def _expressions(value: Any) -> Iterator[str]:
    if is_expression(value):
        yield value
    elif isinstance(value, tuple):
        for item in cast(tuple[Any, ...], value):
            yield from _expressions(item)


def _wrong(text: str, settings: Mapping[str, Any]) -> str:
    try:
        used = names(parse(text))
    except ExpressionError as error:
        return str(error)
    missing = sorted(used - set(settings))
    return f"uses {missing[0]}, which is not a setting of the composite" if missing else ""
