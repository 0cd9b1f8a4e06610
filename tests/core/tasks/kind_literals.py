"""Comparisons of a kind of target, or of a task, with its name: each should be a trait instead."""

import ast
from collections.abc import Iterator
from pathlib import Path

from core.tasks.registry import KINDS, TASKS

NAMES = frozenset({*KINDS, *TASKS})
OF_DATA = frozenset({"image", "text", "series", "labels"})
"""Names that kinds of data, blocks and messages have as well."""
DATA_OWNERS = frozenset({"source", "info", "origin", "known", "typed", "span"})
TARGET_OWNERS = frozenset({"term", "measure", "aim", "main", "explained_score"})
ROOMS = ("app", "core", "blocks")
DECLARED = Path("core/tasks")
FOREIGN = Path("core/wings/importing")
"""Torchvision has families of networks with the same names."""


def comparisons(root: Path) -> Iterator[tuple[str, int, str]]:
    """Walk (file, line, code) of each comparison outside the declarations."""
    for room in ROOMS:
        for path in sorted((root / room).rglob("*.py")):
            inside = path.relative_to(root)
            if {DECLARED, FOREIGN} & {*inside.parents} or "node_modules" in inside.parts:
                continue
            tree = ast.parse(path.read_text("utf-8"))
            constants = _constants(tree)
            for node in ast.walk(tree):
                if isinstance(node, ast.Compare) and _by_name(node, constants):
                    yield str(inside), node.lineno, ast.unparse(node)


def _constants(tree: ast.Module) -> dict[str, frozenset[str]]:
    """Module constants that are texts or collections of texts."""
    assigned = [node for node in tree.body if isinstance(node, ast.Assign)]
    return {
        node.targets[0].id: _texts(node.value, {})
        for node in assigned
        if isinstance(node.targets[0], ast.Name)
    }


def _texts(node: ast.expr, constants: dict[str, frozenset[str]]) -> frozenset[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return frozenset({node.value})
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        return frozenset[str]().union(*(_texts(each, constants) for each in node.elts))
    if isinstance(node, ast.Dict):
        return frozenset[str]().union(*(_texts(key, constants) for key in node.keys if key))
    return constants.get(node.id, frozenset()) if isinstance(node, ast.Name) else frozenset()


def _by_name(node: ast.Compare, constants: dict[str, frozenset[str]]) -> bool:
    sides = [node.left, *node.comparators]
    named = frozenset[str]().union(*(_texts(side, constants) for side in sides)) & NAMES
    return bool(named) and any(_is_kind(side, named) for side in sides)


def _is_kind(node: ast.expr, named: frozenset[str]) -> bool:
    """Whether an expression is a kind of target or a task, not a kind of data or of a block."""
    if isinstance(node, ast.ListComp | ast.GeneratorExp):
        return _is_kind(node.elt, named)
    if isinstance(node, ast.List | ast.Tuple):
        return any(_is_kind(each, named) for each in node.elts)
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return node.slice.value == "task"
    if isinstance(node, ast.Name):
        return node.id == "task" or (node.id == "kind" and not named <= OF_DATA)
    if not isinstance(node, ast.Attribute):
        return False
    owner = ast.unparse(node.value).rpartition(".")[2]
    if node.attr == "task":
        return True
    if node.attr != "kind" or owner in DATA_OWNERS:
        return False
    return owner in TARGET_OWNERS or not named <= OF_DATA
