"""Constant folding in Python text: removes branches that are never taken, keeps other lines.

A text is plain code with names in capitals for what settings decide. Known names become their
values; an `if` of known names becomes the branch that is taken; a loop over known things becomes
its body for each of them. Comments stay with the lines they stand on.
"""

import ast
import operator
import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from core.source.literal import literal

Slots = Mapping[str, str | Sequence[str]]
_NAME = re.compile(r"(?<![\w.])[A-Z][A-Z_]+\b")
_COMPARED: Mapping[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Gt: operator.gt,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
}
_COUNTED = re.compile(r"for (\w+), \((.+)\) in enumerate\((\w+)\):")


class FoldError(Exception):
    """A text is not written as `fold` reads it: a fault of the text, not of who trains."""


@dataclass(frozen=True)
class FoldedNames:
    """values: of names, to decide by and to write as literals.

    slots: texts that stand for a name; a list takes the place of the whole line that the name is.
    each: of a loop over a name, the slots of every round.
    """

    values: Mapping[str, Any]
    slots: Slots
    each: Mapping[str, Sequence[Slots]]


def fold(text: str, known: FoldedNames) -> list[str]:
    """The lines of a text with everything known folded in. Raises FoldError."""
    text = textwrap.dedent(text)
    return _Folder(text.splitlines(), known).block(ast.parse(text).body, 0)


def function_bodies(text: str) -> dict[str, str]:
    """What stands in each function of a file below its docstring, by its name, as it is written."""
    functions = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    lines = text.splitlines()
    return {f.name: "\n".join(lines[f.body[1].lineno - 1 : f.end_lineno]) for f in functions}


class _Folder:
    def __init__(self, lines: Sequence[str], known: FoldedNames) -> None:
        self.lines, self.known = lines, known

    def block(self, body: Sequence[ast.stmt], depth: int) -> list[str]:
        """Statements at a depth in spaces, wherever they were written."""
        return [line for node in body for line in self.statement(node, depth)]

    def statement(self, node: ast.stmt, depth: int) -> list[str]:
        """The lines of one statement."""
        if isinstance(node, ast.If):
            return self.branch(node, depth)
        if isinstance(node, ast.For):
            return self.loop(node, depth)
        if isinstance(node, ast.With):
            return [self.line(node, depth), *self.block(node.body, depth + 4)]
        if node.lineno != node.end_lineno:
            raise FoldError(f"line {node.lineno}: a statement of several lines")
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Name):
            slot = self.known.slots.get(node.value.id)
            if slot is not None and not isinstance(slot, str):
                return [" " * depth + line for line in slot]
        return [self.line(node, depth)]

    def branch(self, node: ast.If, depth: int) -> list[str]:
        """The branch that is taken; both where only a run can tell."""
        test = self.test(node.test)
        if isinstance(test, bool):
            return self.block(node.body if test else node.orelse, depth)
        head = self.lines[node.lineno - 1].strip()
        whole = self.segment(node.test)
        lines = [" " * depth + self.filled(head.replace(whole, test, 1))]
        lines += self.block(node.body, depth + 4)
        if not node.orelse or not (other := self.block(node.orelse, depth + 4)):
            return lines
        between = range(node.body[-1].end_lineno or 0, node.orelse[0].lineno)
        found = [self.lines[i].strip() for i in between]
        (mark,) = [line for line in found if line.startswith("else:")]
        return [*lines, " " * depth + mark, *other]

    def loop(self, node: ast.For, depth: int) -> list[str]:
        """A loop, or what it does for each thing that is known."""
        name = node.iter.id if isinstance(node.iter, ast.Name) else ""
        if name in self.known.each:
            lines: list[str] = []
            for slots in self.known.each[name]:
                known = replace(self.known, slots={**self.known.slots, **slots})
                lines += _Folder(self.lines, known).block(node.body, depth)
            return lines
        head, body = self.line(node, depth), self.block(node.body, depth + 4)
        counted = _COUNTED.fullmatch(head.strip())
        if counted and not any(re.search(rf"\b{counted[1]}\b", line) for line in body):
            given = f"({counted[2]})" if counted[2].endswith(",") else counted[2]
            head = " " * depth + f"for {given} in {counted[3]}:"
        return [head, *body]

    def line(self, node: ast.stmt, depth: int) -> str:
        """The line that a statement begins with."""
        text = self.lines[node.lineno - 1]
        inner = node.iter if isinstance(node, ast.For) else node
        choices = [part for part in ast.walk(inner) if isinstance(part, ast.IfExp)]
        for part in choices if not isinstance(node, ast.With) else ():
            text = self.chosen(text, part)
        return " " * depth + self.filled(text.strip())

    def chosen(self, text: str, node: ast.IfExp) -> str:
        """A line in which `a if KNOWN else b` has become one of them."""
        test = self.test(node.test)
        if not isinstance(test, bool):
            return text
        taken = node.body if test else node.orelse
        start, end = node.col_offset, node.end_col_offset or 0
        alone = isinstance(taken, ast.Name | ast.Call) and re.match(r".*(?<!\w)\($", text[:start])
        if alone and text[end : end + 1] == ")":
            start, end = start - 1, end + 1
        return text[:start] + self.segment(taken) + text[end:]

    def test(self, node: ast.expr) -> bool | str:
        """Whether a condition holds; else the text of the condition that a run evaluates."""
        names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
        if names <= set(self.known.values) and not isinstance(node, ast.BoolOp):
            return bool(self.value(node))
        if not isinstance(node, ast.BoolOp):
            return self.segment(node)
        decides = isinstance(node.op, ast.Or)
        found = [self.test(part) for part in node.values]
        if decides in found:
            return decides
        left = [part for part in found if isinstance(part, str)]
        return (" or " if decides else " and ").join(left) if left else not decides

    def value(self, node: ast.expr) -> Any:
        """What an expression of known names comes to. Raises FoldError for other than compares."""
        match node:
            case ast.Constant(value):
                return value
            case ast.Name(name):
                return self.known.values[name]
            case ast.UnaryOp(ast.Not(), inner):
                return not self.value(inner)
            case ast.Compare(left, [compare], [right]) if type(compare) in _COMPARED:
                return _COMPARED[type(compare)](self.value(left), self.value(right))
            case _:
                raise FoldError(f"a condition is not simple enough: {ast.unparse(node)}")

    def segment(self, node: ast.expr) -> str:
        """The text of an expression, as it is written."""
        if node.lineno != node.end_lineno:
            raise FoldError(f"line {node.lineno}: an expression of several lines")
        return self.lines[node.lineno - 1][node.col_offset : node.end_col_offset]

    def filled(self, text: str) -> str:
        """A line with values and texts for names. Raises FoldError for an unknown name."""

        def known(match: re.Match[str]) -> str:
            name = match[0]
            slot = self.known.slots.get(name)
            if isinstance(slot, str):
                return slot
            if name not in self.known.values:
                raise FoldError(f"{name} is not known: {text}")
            return literal(self.known.values[name])

        return _NAME.sub(known, text)
