"""The audit of a card's text: an allow-list of what may stand above the card's own script.

The model's classes pass the audit of every source. The script is a file of ours, word for word.
What is left are functions that read data, constants, and the lines that make model and batch.
"""

import ast
import builtins
from collections.abc import Collection

from core.source.audit import AuditError, audit
from core.source.name_resolution import refuse

IMPORTED = frozenset(
    """torch torch.nn torch.utils.data torchvision torchvision.transforms sklearn.datasets numpy
    math csv datetime re itertools collections random pathlib unicodedata pydoc_data.topics
    collections.abc PIL safetensors.torch soundfile scipy.signal""".split()
)
CALLED = frozenset(
    """abs any all bool callable chr dict enumerate float int isinstance len list map max min next
    object open ord range reversed round set sorted str sum super tuple zip OSError ValueError
    UnicodeDecodeError SyntaxError True False None""".split()
)
"""Names of Python itself that functions of ours use; `open` reads a table or a text."""


def audit_card(above: str, source: str, own: Collection[str]) -> None:
    """Check all of a text above the card's own script. source: the model's; own: import lines of
    the script.

    Raises AuditError naming the line and the part.
    """
    audit(source)
    try:
        tree, model = ast.parse(above), ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise AuditError(f"the card is not Python: {error}") from error
    classes = {ast.dump(part) for part in model.body if isinstance(part, ast.ClassDef)}
    imports = (p for p in model.body if isinstance(p, ast.Import | ast.ImportFrom))
    passed = {*own, *map(ast.unparse, imports)}
    rest = [p for p in tree.body if ast.dump(p) not in classes and ast.unparse(p) not in passed]
    known = CALLED | _bound(tree)
    for part in rest:
        for node in ast.walk(part):
            _check(node, known)


def _bound(tree: ast.Module) -> set[str]:
    """All names that the text itself defines."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            found.add(node.name)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.alias):
            found.add((node.asname or node.name).partition(".")[0])
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
    return found - set(dir(builtins))


def _check(node: ast.AST, known: frozenset[str] | set[str]) -> None:
    if isinstance(node, ast.Import):
        for alias in node.names:
            _check_import(node, alias.name)
    elif isinstance(node, ast.ImportFrom):
        _check_import(node, node.module or "")
    elif isinstance(node, ast.Attribute) and node.attr.startswith("_"):
        if ast.unparse(node) != "super().__init__":
            refuse(node, f"`.{node.attr}`")
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        if node.id not in known:
            refuse(node, f"the name `{node.id}`")
    elif isinstance(node, ast.Global | ast.Nonlocal | ast.Delete):
        refuse(node, type(node).__name__)


def _check_import(node: ast.AST, module: str) -> None:
    if module not in IMPORTED:
        refuse(node, f"an import of {module}")
