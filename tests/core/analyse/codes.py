"""Every code of a finding, read out of the source: a new one cannot be forgotten in a table."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[3]
PLACES = {"Problem": 0, "Finding": 1, "add": 1}
"""Calls that make a finding, and which of their arguments is its code."""
FOLDERS = ("blocks", "core/analyse")


def codes() -> set[str]:
    """Collect all codes of errors and warnings that the analysis can give."""
    files = [f for folder in FOLDERS for f in (ROOT / folder).rglob("*.py")]
    return {code for file in files for code in _codes(ast.parse(file.read_text()))}


def _codes(tree: ast.Module) -> Iterator[str]:
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call):
            continue
        name = call.func.attr if isinstance(call.func, ast.Attribute) else _name(call.func)
        place = PLACES.get(name, -1)
        if name == "add" and not _of_frame(call.func):
            continue
        if 0 <= place < len(call.args):
            yield from _chosen(call.args[place])


def _chosen(argument: ast.expr) -> Iterator[str]:
    """The texts an argument may be: itself, or either side of a choice."""
    if isinstance(argument, ast.IfExp):
        yield from _chosen(argument.body)
        yield from _chosen(argument.orelse)
    elif isinstance(argument, ast.Constant) and isinstance(argument.value, str):
        yield argument.value


def _of_frame(called: ast.expr) -> bool:
    return isinstance(called, ast.Attribute) and _name(called.value) in ("frame", "self")


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else ""
