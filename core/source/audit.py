"""Audit of source before it is executed: an allow-list of what generated source may contain.

Whatever is not listed is refused. The names that may be called come from the catalogue itself.
A class of own Python passes as a whole, if this user has trusted exactly its text.
"""

import ast
import textwrap
from functools import cache

from blocks import CATALOGUE
from blocks.parametrize import CLASSES, FUNCTION_NAMES, PARAMETRIZATIONS
from core.files import trust
from core.graph.names import CLASSES_TAKEN
from core.source.name_resolution import (
    CALLABLE,
    KINDS,
    ROOTS,
    AuditError,
    KnownNames,
    check_expression,
    check_method,
    check_statement,
    refuse,
)
from core.source.statement import HOLE

__all__ = [
    "CALLABLE",
    "KINDS",
    "STEP_CALLS",
    "TOO_DEEP",
    "AuditError",
    "audit",
    "audit_expression",
    "audit_statement",
    "audit_step",
    "own_classes",
]

IMPORTS = {
    "import math",
    "import torch",
    "from torch import nn",
    "from torch import Tensor, nn",
    "from torch.nn import functional as F",
    "import torchvision",
}
FURTHER = frozenset(
    """nn.Module nn.Sequential nn.ModuleDict nn.ModuleList torch.add torch.sub torch.div
    F.scaled_dot_product_attention torch.float32 torch.int64 torch.bool""".split()
)
"""Names that stand in templates chosen by a function of the settings."""
NODES = (
    ast.Module,
    ast.ClassDef,
    ast.FunctionDef,
    ast.arguments,
    ast.arg,
    ast.Assign,
    ast.Return,
    ast.Expr,
    ast.Call,
    ast.keyword,
    ast.Name,
    ast.Load,
    ast.Store,
    ast.Attribute,
    ast.Constant,
    ast.Tuple,
    ast.List,
    ast.Starred,
    ast.ListComp,
    ast.comprehension,
    ast.BinOp,
    ast.BitOr,
    ast.Add,
    ast.Sub,
    ast.Mult,
    ast.Div,
    ast.FloorDiv,
    ast.Mod,
    ast.MatMult,
    ast.UnaryOp,
    ast.USub,
    ast.Subscript,
    ast.Slice,
    ast.Import,
    ast.ImportFrom,
    ast.alias,
    ast.For,
    ast.JoinedStr,
    ast.FormattedValue,
    ast.Expression,
    ast.IfExp,
    ast.If,
    ast.Raise,
    ast.Compare,
    ast.NotEq,
    ast.BoolOp,
    ast.Or,
)
IMPORTED = frozenset(way.imported for way in PARAMETRIZATIONS.values())
BASES = ("nn.Module", "nn.Sequential", "nn.ModuleDict")
STEP_CALLS = ("enumerate", "len", "min", "zip")
"""Python's own functions that a step calls."""
_DTYPES = {"bfloat16", "float16"}
_SHAPE = {ast.Module, ast.FunctionDef, ast.arguments, ast.arg, ast.Tuple, ast.Subscript}
"""Parts that folding brings in: the function around the step, and what stands for its names."""
DEPTH = 150
"""Parts inside parts. Generated source stays far below; Python's own stack ends far above."""
TOO_DEEP = "the source is nested more deeply than generated source ever is"


@cache
def allowed_names() -> tuple[frozenset[str], frozenset[str]]:
    """Dotted names and tensor methods that the catalogue's statements use."""
    dotted: set[str] = set(FURTHER)
    methods: set[str] = set()
    for block in CATALOGUE.values():
        if block.init:
            dotted.add(block.init)
        for form in (block.forward, block.built):
            if isinstance(form, str) and form:
                for node in ast.walk(ast.parse(_sample(form), mode="eval")):
                    if isinstance(node, ast.Attribute):
                        _sort(node, dotted, methods)
        for setting in block.settings:
            if isinstance(setting.bare, str) and setting.bare:
                dotted |= {setting.bare + choice for choice in setting.choices}
        for name in block.writes:
            (dotted if name.split(".")[0] in ROOTS else methods).add(name)
    return frozenset(dotted), frozenset(methods | _METHODS)


_METHODS = frozenset(
    """to flatten reshape permute transpose squeeze unsqueeze select narrow mean sum amax expand
    contiguous""".split()
)


def _sample(form: str) -> str:
    return HOLE.sub(lambda m: "" if m["name"] == "settings" else m[0].strip("{}"), form)


def _sort(node: ast.Attribute, dotted: set[str], methods: set[str]) -> None:
    name = ast.unparse(node)
    if name.split(".")[0] in ROOTS:
        dotted.add(name)
    else:
        methods.add(node.attr)


def audit(source: str) -> ast.Module:
    """Parse source and check every part. Raises AuditError naming the line and the part."""
    try:
        tree = ast.parse(source)
        own = [*own_classes(tree, source), *_of_parametrizations(tree)]
        _audit(ast.Module([n for n in tree.body if n not in own], []), tree)
    except (SyntaxError, ValueError) as error:
        raise AuditError(f"the source is not Python: {error}") from error
    except (RecursionError, MemoryError) as error:
        raise AuditError(TOO_DEEP) from error
    return tree


def _of_parametrizations(tree: ast.Module) -> list[ast.ClassDef]:
    """The classes that a source brings along for parametrizations, if they are exactly these."""
    found = [part for part in tree.body if isinstance(part, ast.ClassDef) and part.name in CLASSES]
    return [part for part in found if _says(CLASSES[part.name], part)]


def own_classes(tree: ast.Module, source: str) -> list[ast.ClassDef]:
    """The classes whose exact text this user has trusted: a project's own Python."""
    known = trust.listed()
    if not known:
        return []
    lines = source.split("\n")
    classes: list[ast.ClassDef] = []
    for part in tree.body:
        if isinstance(part, ast.ClassDef):
            text = "\n".join(lines[part.lineno - 1 : part.end_lineno])
            if trust.digest(text) in known and _says(text, part):
                classes.append(part)
    return classes


def _says(text: str, part: ast.ClassDef) -> bool:
    """Whether a text is this class and no more: lines can be counted in more ways than one."""
    try:
        return ast.dump(ast.parse(text)) == ast.dump(ast.Module([part], []))
    except SyntaxError:
        return False


def _audit(rest: ast.Module, tree: ast.Module) -> None:
    _listed(rest)
    dotted, methods = allowed_names()
    classes = frozenset(n.name for n in tree.body if isinstance(n, ast.ClassDef))
    for statement in rest.body:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            if not (ast.unparse(statement) in IMPORTS or _is_parametrizing(statement)):
                refuse(statement, f"`{ast.unparse(statement)}`")
        elif isinstance(statement, ast.ClassDef):
            _check_class(statement, KnownNames(dotted, methods, classes | FUNCTION_NAMES))
        elif not _is_text(statement):
            refuse(statement, f"{type(statement).__name__} outside a class")


def _is_parametrizing(statement: ast.Import | ast.ImportFrom) -> bool:
    """Whether an import brings functions of parametrizations, and nothing else."""
    if not isinstance(statement, ast.ImportFrom) or statement.level:
        return False
    return all(
        (statement.module, name.name) in IMPORTED and name.asname is None
        for name in statement.names
    )


def _listed(tree: ast.AST) -> None:
    """Check the kind of every part, and that nesting stays below the limit."""
    level: list[ast.AST] = [tree]
    for _ in range(DEPTH):
        for node in level:
            if not isinstance(node, NODES):
                refuse(node, type(node).__name__)
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        if not level:
            return
    raise AuditError(TOO_DEEP)


def _check_class(node: ast.ClassDef, known: KnownNames) -> None:
    plain = len(node.bases) == 1 and ast.unparse(node.bases[0]) in BASES
    if not plain or node.decorator_list or node.keywords:
        refuse(node, "a class other than a plain nn.Module, nn.Sequential or nn.ModuleDict")
    if node.name in CLASSES_TAKEN | {"math"} or node.name.startswith("_"):
        refuse(node, f"a class {node.name}")
    for part in node.body:
        if isinstance(part, ast.FunctionDef):
            check_method(part, known)
        elif not _is_text(part):
            refuse(part, "a class with more than methods")


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def audit_expression(text: str, classes: frozenset[str] = frozenset()) -> ast.Expression:
    """The same gate for one constructor or expression. classes: those it may construct.

    Names that are not called stand for the values it is evaluated with.
    """
    tree = _parsed(text, "eval")
    assert isinstance(tree, ast.Expression)
    constructed = classes | FUNCTION_NAMES | frozenset(CLASSES)
    check_expression(tree.body, KnownNames(*allowed_names(), constructed))
    return tree


def audit_statement(text: str) -> ast.Module:
    """The same gate for the statement behind an expression, such as x[:, 0] = 1."""
    tree = _parsed(text, "exec")
    assert isinstance(tree, ast.Module)
    for statement in tree.body:
        check_statement(statement, KnownNames(*allowed_names(), frozenset()))
    return tree


def _parsed(text: str, mode: str) -> ast.AST:
    try:
        tree = ast.parse(text, mode=mode)
    except (SyntaxError, ValueError) as error:
        raise AuditError(f"the statement is not Python: {error}") from error
    except (RecursionError, MemoryError) as error:
        raise AuditError(TOO_DEEP) from error
    _listed(tree)
    return tree


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
