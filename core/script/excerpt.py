"""Copy a function of the product into a training file, word for word.

A run calls the same function. It needs torch and the standard library only, in lines of 88
characters; its text is read, and nothing is imported.
"""

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]


@cache
def excerpt(module: str, name: str) -> str:
    """The text of a function or class of a module ("core.data.batches.split"), with its
    decorators."""
    text = (ROOT / f"{module.replace('.', '/')}.py").read_text(encoding="utf-8")
    (node,) = [
        node
        for node in ast.parse(text).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name
    ]
    first = min(part.lineno for part in (node, *node.decorator_list))
    return "\n".join(text.splitlines()[first - 1 : node.end_lineno])


def excerpt_of(reference: str) -> str:
    """The same for "module:function", as declarations of tasks name one."""
    module, _, name = reference.partition(":")
    return excerpt(module, name)
