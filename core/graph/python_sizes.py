"""Sizes that own Python names: numbers that its lines compare, count to or divide by.

A recorded pass holds for sizes like that of its sample. Whether it holds beyond a border that the
text names, shows at the border itself and one to either side.
"""

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

from core.graph.graph_uses import python_uses
from core.graph.model import Graph

KEPT_SIZES = (
    "Scripted TorchScript keeps it; a recorded file has only what ran for its sample. Let the "
    "block do the same for every size."
)
READING_SIZES = frozenset(
    "shape size ndim dim numel nelement len stride split chunk tensor_split unbind unfold".split()
)
"""Names by which Python learns the size of a tensor, or gets parts whose number follows from it."""
SMALL = 32
"""Exponents below it are calculated."""
LARGEST, MOST = 4096, 24
"""Of the sizes that are tried, and how many of them."""
COUNTED = 10**9
"""Larger numbers are no sizes and no numbers of values."""


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


def named_sizes(
    branches: tuple[SizeBranch, ...], values: Mapping[str, int] | None = None
) -> tuple[int, ...]:
    """Each number that the lines name with its neighbours, the smallest first.

    values: how many a block receives of one sample, by its path: a number may count those.
    """
    borders = [size for branch in branches for size in branch.sizes]
    borders += [n // (values or {}).get(b.path, 1) for b in branches for n in b.sizes]
    return _near(borders)


def sizes_named_in(code: str) -> tuple[int, ...]:
    """The same of the text of a class."""
    return _near(size for _, _, sizes in _lines(code) for size in sizes)


def _near(borders: Iterable[int]) -> tuple[int, ...]:
    tried = [*dict.fromkeys(size for size in borders if 1 < size <= LARGEST)][: MOST // 3]
    return tuple(sorted({n for size in tried for n in (size - 1, size, size + 1)}))


def untried(branches: tuple[SizeBranch, ...], values: Mapping[str, int]) -> SizeBranch | None:
    """The first that names a number beyond the sizes that are tried."""
    return next(
        (b for b in branches if max(b.sizes, default=0) // values.get(b.path, 1) > LARGEST), None
    )


@lru_cache(256)
def _lines(code: str) -> tuple[tuple[int, str, tuple[int, ...]], ...]:
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError):  # reading it as a block reports the error
        return ()
    names = _names_of_sizes(tree)
    sizes = tuple(dict.fromkeys(_numbers(tree, names)))
    deciding = [test for test in _deciding(tree) if _reads_size(test, names)]
    found = {
        test.lineno: code.split("\n")[test.lineno - 1].strip()
        for test in (*deciding, *_by_sample(tree))
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
            case ast.Match(subject=subject, cases=cases):
                yield subject
                yield from (
                    n.value
                    for case in cases
                    for n in ast.walk(case.pattern)
                    if isinstance(n, ast.MatchValue)
                )
            case ast.Call(func=ast.Attribute(value=ast.Dict(), attr="get")):
                yield node
            case ast.Subscript(value=ast.Dict()):
                yield node
            case ast.Call(func=ast.Name(id="min" | "max" | "range" | "divmod" | "int")):
                yield node
            case ast.BinOp(op=ast.Mod() | ast.FloorDiv()) | ast.Compare() | ast.BoolOp():
                yield node
            case _:
                pass


def _by_sample(tree: ast.AST) -> Iterator[ast.expr]:
    """What loops go through where that is what forward receives, sample by sample."""
    nodes = list(ast.walk(tree))
    forwards = [n for n in nodes if isinstance(n, ast.FunctionDef) and n.name == "forward"]
    received = {argument.arg for each in forwards for argument in each.args.args[1:]}
    for node in nodes:
        if isinstance(node, ast.For | ast.comprehension):
            parts = [node.iter]
            if isinstance(node.iter, ast.Call) and isinstance(node.iter.func, ast.Name):
                parts = node.iter.args  # enumerate(x), zip(x, y)
            if any(isinstance(part, ast.Name) and part.id in received for part in parts):
                yield node.iter


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


def _numbers(tree: ast.AST, names: set[str]) -> Iterator[int]:
    """Whole numbers in what decides, and those that have a name."""
    nodes = list(ast.walk(tree))
    named = [n.value for n in nodes if isinstance(n, ast.Assign | ast.AnnAssign) and n.value]
    plain = [value for value in named if _is_plain(value) or _reads_size(value, names)]
    arguments = [n.args for n in nodes if isinstance(n, ast.FunctionDef)]
    given = [value for each in arguments for value in (*each.defaults, *each.kw_defaults) if value]
    for part in (*_deciding(tree), *plain, *given):
        yield from _whole(value for n in ast.walk(part) for value in _folded(n))


def _is_plain(value: ast.expr) -> bool:
    return not any(isinstance(part, ast.Call) for part in ast.walk(value))


def _folded(node: ast.AST) -> Iterator[int]:
    """The number of a constant, or of a sum, product or power of constants."""
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        yield from _whole([node.value])
    elif isinstance(node, ast.BinOp):
        for left, right in product(_folded(node.left), _folded(node.right)):
            yield from _calculated(left, node.op, right)


def _calculated(left: int, by: ast.operator, right: int) -> Iterator[int]:
    match by:
        case ast.Add():
            yield left + right
        case ast.Sub():
            yield left - right
        case ast.Mult():
            yield left * right
        case ast.Pow() | ast.LShift() if right < SMALL:
            yield left**right if isinstance(by, ast.Pow) else left << right
        case _:
            pass


def _whole(values: Iterable[object]) -> Iterator[int]:
    """Those that may be sizes, rounded down; also of tuples."""
    for value in values:
        if isinstance(value, tuple | list):
            yield from _whole(value)  # pyright: ignore
        elif isinstance(value, int | float) and not isinstance(value, bool):
            yield from [int(value)] * (1 < value < COUNTED)
