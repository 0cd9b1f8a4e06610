"""The user's variable names: the targets of the assignment that is running.

Read from the source of the running function: q, k, v = x.split(32, dim=2).
"""

import ast
import inspect
import sys
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from types import CodeType, FrameType

from core.wings.importing.tracing.user_frame import is_library_file

Names = tuple[str, ...]
Span = tuple[int | None, ...]
RECORDER = str(Path(__file__).with_name("recorder.py"))
CALLS = ("_inside", "record")
"""Functions of the recorder that call a module: what runs outside of it has its own names."""
RETURNED: Names = ("return",)
"""Stands for the value of a return statement: the caller may have a name for it."""


def assigned_names() -> Names:
    """The names that the running statement assigns its result to; () if it assigns none."""
    frame = _user_frame(sys._getframe(1))
    while frame is not None:
        names = _assigned(frame.f_code, frame.f_lasti)
        if names is not RETURNED:
            return names
        frame = frame.f_back
        if frame is not None and is_library_file(frame.f_code.co_filename):
            return ()
    return ()


def _user_frame(frame: FrameType | None) -> FrameType | None:
    """The innermost user frame inside the module that is running."""
    while frame is not None and is_library_file(frame.f_code.co_filename):
        if frame.f_code.co_name in CALLS and frame.f_code.co_filename == RECORDER:
            return None
        frame = frame.f_back
    return frame


@lru_cache(maxsize=10_000)
def _assigned(code: CodeType, instruction: int) -> Names:
    spans = _spans(code)
    if not spans:
        return ()
    line, last, start, end = list(code.co_positions())[instruction // 2]
    # a method that is called on a line of its own begins there, not where the whole chain does
    return spans.get((line, last, start, end)) or spans.get((last, end)) or ()


@lru_cache(maxsize=1_000)
def _spans(code: CodeType) -> dict[Span, Names]:
    """Source spans of assigned expressions; for calls also where they end."""
    try:
        lines, first = inspect.getsourcelines(code)
        inside = lines[0][:1].isspace()  # a method stands further in than its module
        tree = ast.parse("if True:\n" * inside + "\n" * (not inside) + "".join(lines))
    except (OSError, SyntaxError, ValueError, IndexError):
        return {}
    result: dict[Span, Names] = {}
    for value, names in _values(tree):
        ends = ((value.end_lineno or 0) + first - 2, value.end_col_offset)
        result[value.lineno + first - 2, ends[0], value.col_offset, ends[1]] = names
        if isinstance(value, ast.Call):
            result[ends] = names
    return result


def _values(tree: ast.AST) -> Iterator[tuple[ast.expr | ast.stmt, Names]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            yield from _pairs(node.targets[0], node.value)
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            yield from _pairs(node.target, node.value)
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            yield node, (node.target.id,)
        elif isinstance(node, ast.Return) and node.value is not None:
            yield node.value, RETURNED


def _pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[ast.expr, Names]]:
    if isinstance(target, ast.Name):
        yield value, (target.id,)
    elif isinstance(target, ast.Tuple | ast.List):
        parts = [part.id for part in target.elts if isinstance(part, ast.Name)]
        if len(parts) < len(target.elts):
            return
        if isinstance(value, ast.Tuple) and len(value.elts) == len(parts):
            yield from ((v, (name,)) for v, name in zip(value.elts, parts, strict=True))
        else:
            yield value, tuple(parts)
