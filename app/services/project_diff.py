"""What differs between two drawings, as lines of text for a page or a terminal."""

from typing import Any

from core.graph.difference import Difference


def lines(found: Difference) -> list[str]:
    """A line per node or wire: + came, - went, ~ changed."""
    told = [f"~ {old}: is called {new} now" for old, new in found.renamed.items()]
    told += [f"+ {path}" for path in found.added] + [f"- {path}" for path in found.removed]
    for path, changes in found.changed.items():
        told += [changed(path, name, *pair) for name, pair in changes.items()]
    told += [f"+ {source} -> {target}" for source, target in found.wires_added]
    return told + [f"- {source} -> {target}" for source, target in found.wires_removed]


def changed(what: str, name: str, old: Any, new: Any) -> str:
    """One changed setting."""
    return f"~ {what}: {name} {_value(old)} -> {_value(new)}"


def _value(value: Any) -> str:
    return "not set" if value is None else str(list(value) if isinstance(value, tuple) else value)
