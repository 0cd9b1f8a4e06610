"""Sizes that own Python names: numbers that its lines compare, count to or divide by.

A recorded pass holds for sizes like that of its sample. Whether it holds beyond a border that the
text names, shows at the border itself and one to either side.
"""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from core.graph.graph_uses import python_uses
from core.graph.model import Graph

KEPT_SIZES = (
    "Scripted TorchScript keeps it; a recorded file has only what ran for its sample. Let the "
    "block do the same for every size."
)
READING_SIZES = frozenset("shape size ndim dim numel nelement len stride".split())
"""Names by which Python learns the size of a tensor."""
LARGEST, MOST = 4096, 12
"""Of the sizes that are tried, and how many of them."""


@dataclass(frozen=True)
class SizeBranch:
    """A line of a block that decides by a size. sizes: numbers that its class names."""

    path: str
    block: str
    line: int
    text: str
    sizes: tuple[int, ...]

    @property
    def what(self) -> str:
        """In a sentence without the block's name at its front and without a full stop."""
        return f"decides by a size ({self.block}, line {self.line}: {self.text})"


def size_branches(graph: Graph) -> tuple[SizeBranch, ...]:
    """All such lines of a drawing, in its order, with the numbers of settings, too."""
    return tuple(
        SizeBranch(path, node.block, line, text, (*sizes, *_whole(node.settings.values())))
        for path, node, code in python_uses(graph)
        for line, text, sizes in _lines(code)
    )


def named_sizes(branches: tuple[SizeBranch, ...]) -> tuple[int, ...]:
    """Each number that the lines name with its neighbours, the smallest first."""
    borders = dict.fromkeys(size for branch in branches for size in branch.sizes)
    near = {n for size in [*borders][: MOST // 3] for n in (size - 1, size, size + 1)}
    return tuple(sorted(n for n in near if 0 < n <= LARGEST))


@lru_cache(256)
def _lines(code: str) -> tuple[tuple[int, str, tuple[int, ...]], ...]:
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError):  # reading it as a block reports the error
        return ()
    names = _names_of_sizes(tree)
    sizes = tuple(dict.fromkeys(_numbers(tree)))
    found = {
        test.lineno: code.split("\n")[test.lineno - 1].strip()
        for test in _deciding(tree)
        if _reads_size(test, names)
    }
    return tuple((line, text, sizes) for line, text in sorted(found.items()))


def _deciding(tree: ast.AST) -> Iterator[ast.expr]:
    """Expressions by which Python decides what runs, and how often."""
    for node in ast.walk(tree):
        match node:
            case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test):
                yield test
            case ast.For(iter=source) | ast.comprehension(iter=source):
                yield source
            case ast.Match(subject=subject):
                yield subject
            case ast.Call(func=ast.Name(id="min" | "max" | "range" | "divmod" | "int")):
                yield node
            case ast.BinOp(op=ast.Mod() | ast.FloorDiv()) | ast.Compare() | ast.BoolOp():
                yield node
            case _:
                pass


def _names_of_sizes(tree: ast.AST) -> set[str]:
    """Names that hold a size: what a statement assigns from one, also over another name."""
    names = set[str]()
    assigned = [n for n in ast.walk(tree) if isinstance(n, ast.Assign | ast.NamedExpr)]
    for _ in assigned:
        before = len(names)
        for node in assigned:
            if _reads_size(node.value, names):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                parts = (part for target in targets for part in ast.walk(target))
                names |= {part.id for part in parts if isinstance(part, ast.Name)}
        if len(names) == before:
            break
    return names


def _reads_size(node: ast.AST, names: set[str]) -> bool:
    return any(
        (isinstance(part, ast.Attribute) and part.attr in READING_SIZES)
        or (isinstance(part, ast.Name) and part.id in READING_SIZES | names)
        for part in ast.walk(node)
    )


def _numbers(tree: ast.AST) -> Iterator[int]:
    """Whole numbers in what decides, and those that have a name."""
    nodes = list(ast.walk(tree))
    named = [n.value for n in nodes if isinstance(n, ast.Assign | ast.AnnAssign) and n.value]
    defaults = (n.args.defaults for n in nodes if isinstance(n, ast.FunctionDef))
    given = [value for values in defaults for value in values]
    plain = [value for value in (*named, *given) if isinstance(value, ast.Constant)]
    for part in (*_deciding(tree), *plain):
        yield from _whole(n.value for n in ast.walk(part) if isinstance(n, ast.Constant))


def _whole(values: Iterable[object]) -> Iterator[int]:
    for value in values:
        if isinstance(value, int) and not isinstance(value, bool) and 1 < value <= LARGEST:
            yield value
