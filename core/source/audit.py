"""The gate before any source is executed: an allow-list of what generated source may contain.

Whatever is not listed is refused. The names that may be called come from the catalogue itself.
A class of a project's own Python passes as a whole, if this user has trusted exactly its text.
"""

import ast
from functools import cache

from blocks import CATALOGUE
from core.graph.names import MODULE_ATTRIBUTES
from core.project import trust
from core.source.statement import HOLE

IMPORTS = {
    "import math",
    "import torch",
    "from torch import nn",
    "from torch import Tensor, nn",
    "from torch.nn import functional as F",
    "import torchvision",
}
ROOTS = ("torch", "nn", "F", "torchvision")
"""Names that the imports bring."""
CALLABLE = frozenset({"range", "super", "slice", "float", "layer"})
FURTHER = frozenset(
    """nn.Module nn.Sequential nn.ModuleDict torch.add torch.sub torch.div
    F.scaled_dot_product_attention torch.float32 torch.int64 torch.bool""".split()
)
"""Names that stand in templates chosen by a function of the settings."""
NODES = (
    ast.Module, ast.ClassDef, ast.FunctionDef, ast.arguments, ast.arg, ast.Assign, ast.Return,
    ast.Expr, ast.Call, ast.keyword, ast.Name, ast.Load, ast.Store, ast.Attribute, ast.Constant,
    ast.Tuple, ast.List, ast.Starred, ast.ListComp, ast.comprehension, ast.BinOp, ast.BitOr,
    ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Pow, ast.Mod, ast.MatMult,
    ast.UnaryOp, ast.USub, ast.Subscript, ast.Slice, ast.Import, ast.ImportFrom, ast.alias,
    ast.For, ast.JoinedStr, ast.FormattedValue,
)  # fmt: skip


BASES = ("nn.Module", "nn.Sequential", "nn.ModuleDict")
OUTER = (ast.Import, ast.ImportFrom, ast.ClassDef)


class AuditError(Exception):
    """Source holds something that generated source never holds."""


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
            if setting.bare:
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
    except (SyntaxError, ValueError) as error:
        raise AuditError(f"the source is not Python: {error}") from error
    own = own_classes(tree, source)
    classes = {n.name for n in tree.body if isinstance(n, ast.ClassDef)}
    rest = ast.Module([n for n in tree.body if n not in own], [])
    _audit(rest, classes)
    return tree


def own_classes(tree: ast.Module, source: str) -> list[ast.ClassDef]:
    """The classes whose exact text this user has trusted: a project's own Python."""
    known = trust.listed()
    if not known:
        return []
    lines = source.split("\n")
    found: list[ast.ClassDef] = []
    for part in tree.body:
        if isinstance(part, ast.ClassDef):
            text = "\n".join(lines[part.lineno - 1 : part.end_lineno])
            if trust.digest(text) in known and _says(text, part):
                found.append(part)
    return found


def _says(text: str, part: ast.ClassDef) -> bool:
    """Whether a text is this class and no more: lines can be counted in more ways than one."""
    try:
        return ast.dump(ast.parse(text)) == ast.dump(ast.Module([part], []))
    except SyntaxError:
        return False


def _audit(tree: ast.Module, classes: set[str]) -> None:
    methods = [m for n in tree.body if isinstance(n, ast.ClassDef) for m in n.body]
    for statement in tree.body:
        _top(statement)
    inside: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, OUTER) and node not in tree.body:
            _refuse(node, f"{type(node).__name__} inside a class")
        if isinstance(node, ast.FunctionDef) and node not in methods:
            _refuse(node, "a function inside a function")
        _check(node, classes, inside)


def audit_expression(text: str, classes: frozenset[str] = frozenset()) -> ast.Expression:
    """The same gate for one constructor or expression. classes: those it may construct."""
    try:
        tree = ast.parse(text, mode="eval")
    except (SyntaxError, ValueError) as error:
        raise AuditError(f"the statement is not Python: {error}") from error
    inside: set[int] = set()
    for node in ast.walk(tree):
        if not isinstance(node, ast.Expression):
            _check(node, set(classes), inside)
    return tree


def audit_statement(text: str) -> ast.Module:
    """The same gate for the statement behind an expression, such as x[:, 0] = 1."""
    tree = ast.parse(text)
    inside: set[int] = set()
    for node in ast.walk(tree):
        _check(node, set(), inside)
    return tree


def _refuse(node: ast.AST, what: str) -> None:
    line = getattr(node, "lineno", 0)
    raise AuditError(f"line {line}: generated source never holds {what}")


def _top(node: ast.stmt) -> None:
    if isinstance(node, ast.Import | ast.ImportFrom):
        if ast.unparse(node) not in IMPORTS:
            _refuse(node, f"`{ast.unparse(node)}`")
    elif isinstance(node, ast.ClassDef):
        if (
            [ast.unparse(b) for b in node.bases]
            not in (["nn.Module"], ["nn.Sequential"], ["nn.ModuleDict"])
            or node.decorator_list
            or node.keywords
        ):
            _refuse(node, "a class that is no plain nn.Module, nn.Sequential or nn.ModuleDict")
        if any(not isinstance(part, ast.FunctionDef | ast.Expr) for part in node.body):
            _refuse(node, "a class with more than methods")
    elif not _is_text(node):
        _refuse(node, f"{type(node).__name__} outside a class")


def _is_plain(value: ast.expr) -> bool:
    """Whether a default is a number, a text, None or a tuple of these."""
    if isinstance(value, ast.Tuple):
        return all(_is_plain(item) for item in value.elts)
    if isinstance(value, ast.UnaryOp):
        return isinstance(value.op, ast.USub) and isinstance(value.operand, ast.Constant)
    return isinstance(value, ast.Constant)


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _check(node: ast.AST, classes: set[str], inside: set[int]) -> None:
    if not isinstance(node, NODES):
        _refuse(node, type(node).__name__)
    if isinstance(node, ast.FunctionDef):
        plain = all(_is_plain(value) for value in node.args.defaults)
        plain = plain and not (node.decorator_list or node.args.kw_defaults)
        if node.name not in ("__init__", "forward") or not plain:
            _refuse(node, f"a function {node.name}")
    elif isinstance(node, ast.Attribute):
        _check_attribute(node, inside)
    elif isinstance(node, ast.Name):
        if node.id.startswith("__") or (node.id in ROOTS and id(node) not in inside):
            _refuse(node, f"`{node.id}` by itself")
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        if node.func.id not in CALLABLE | classes:
            _refuse(node, f"a call of `{node.func.id}`")
    elif isinstance(node, ast.Call) and not isinstance(node.func, ast.Attribute):
        _refuse(node, "a call of something without a name")
    elif isinstance(node, ast.ListComp):
        _check_loop(node, node.generators[0].iter, ("range",))
    elif isinstance(node, ast.Subscript) and ast.unparse(node.value) == "self":
        inside.add(id(node.slice))  # the name of a layer in a loop: self[f"layer{i + 1}"] = ...
    elif isinstance(node, ast.JoinedStr) and id(node) not in inside:
        _refuse(node, "a text that is put together")
    elif isinstance(node, ast.FormattedValue) and (node.conversion > 0 or node.format_spec):
        _refuse(node, "a formatted value")
    elif isinstance(node, ast.For):
        _check_loop(node, node.iter, ("range", "self.values"))


def _check_loop(node: ast.AST, over: ast.expr, known: tuple[str, ...]) -> None:
    if not (isinstance(over, ast.Call) and ast.unparse(over.func) in known):
        _refuse(node, "a loop over anything but a range or its own layers")


def _check_attribute(node: ast.Attribute, inside: set[int]) -> None:
    dotted, methods = allowed_names()
    root = node.value
    while isinstance(root, ast.Attribute):
        root = root.value
    name = ast.unparse(node)
    if isinstance(root, ast.Name) and root.id in ROOTS:
        inside.add(id(root))
        inner = id(node) in inside  # a prefix of a longer name that was checked whole
        if name not in dotted and not inner:
            _refuse(node, f"`{name}`")
        if isinstance(node.value, ast.Attribute):
            inside.add(id(node.value))
        return
    mine = isinstance(node.value, ast.Name) and node.value.id == "self"
    if isinstance(node.ctx, ast.Store) and node.attr in MODULE_ATTRIBUTES:
        _refuse(node, f"an assignment to `{name}`")
    if node.attr.startswith("_") and name != "super().__init__":
        _refuse(node, f"`{name}`")
    if not mine and name != "super().__init__" and node.attr not in methods:
        _refuse(node, f"`.{node.attr}`")
