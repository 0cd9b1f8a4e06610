"""The gate before a training step is executed: it may hold what its own text holds, and no more."""

import ast
import textwrap

from core.source.resolved import AuditError, refuse

STEP_CALLS = ("enumerate", "len", "min", "zip")
"""Python's own functions that a step calls."""
_DTYPES = {"bfloat16", "float16"}
_SHAPE = {ast.Module, ast.FunctionDef, ast.arguments, ast.arg, ast.Tuple, ast.Subscript}
"""Parts that folding brings in: the function around the step, and what stands for its names."""


def audit_step(source: str, written: str, names: frozenset[str]) -> ast.Module:
    """Parse a folded step and check every part. Raises AuditError naming the line and the part.

    written: the text that was folded. names: what the step may use beside its own variables.
    """
    try:
        tree, known = ast.parse(source), list(ast.walk(ast.parse(textwrap.dedent(written))))
    except (SyntaxError, ValueError) as error:
        raise AuditError(f"the step is not Python: {error}") from error
    kinds = {type(node) for node in known} | _SHAPE
    attributes = {node.attr for node in known if isinstance(node, ast.Attribute)} | _DTYPES
    parts = list(ast.walk(tree))
    bound = {n.id for n in parts if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    for node in parts:
        if type(node) not in kinds:
            refuse(node, type(node).__name__)
        if isinstance(node, ast.Attribute) and node.attr not in attributes:
            refuse(node, f"`.{node.attr}`")
        if isinstance(node, ast.Name) and node.id not in names | bound | {*STEP_CALLS, "loader"}:
            refuse(node, f"the name `{node.id}`")
        if isinstance(node, ast.FunctionDef) and node.name != "train_step":
            refuse(node, f"a function {node.name}")
    return tree
