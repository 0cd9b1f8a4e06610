"""Name resolution for the audit, as Python does it: what a name refers to decides its use.

No value exists in generated source but tensors, numbers, texts, layers and listed functions: a
name is a local of its function, a listed name behind torch, nn, F or torchvision, or a class that
the source defines, which is called and nothing else. Python's own functions are called by name,
never passed on and never bound to anything else.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from types import EllipsisType
from typing import NoReturn, TypeGuard

from core.graph.names import MODULE_ATTRIBUTES

ROOTS = ("torch", "nn", "F", "torchvision")
"""Names that the imports bring."""
CALLABLE = frozenset({"range", "super", "slice", "float"})
"""Python's own functions that generated source calls."""
KINDS = frozenset({"Tensor", "int", "float", "bool", "str", "tuple", "list"})
"""What an annotation may name."""
LARGEST_COUNT = 10_000_000
"""Of items in a list, a text or a range, where the source states how many there are."""
BOUND = CALLABLE | KINDS | {*ROOTS, "self", "math"}
"""Names that mean one thing everywhere: no source binds them."""


class AuditError(Exception):
    """Source holds something that generated source never holds."""


@dataclass(frozen=True)
class KnownNames:
    """What names refer to. dotted, methods: listed ones. classes: those that may be constructed.

    names: locals, None where every free name is a value. layers: those that may be called.
    """

    dotted: frozenset[str]
    methods: frozenset[str]
    classes: frozenset[str]
    names: frozenset[str] | None = None
    layers: frozenset[str] = field(default=frozenset())

    def holds(self, name: str) -> bool:
        """Whether a name is a value here, rather than a class or one of Python's own."""
        if self.names is not None:
            return name in self.names
        return not name.startswith("__") and name not in BOUND | self.classes


def refuse(node: ast.AST, construct: str) -> NoReturn:
    """Raise the AuditError that names a part and its line."""
    line = getattr(node, "lineno", 0)
    raise AuditError(f"line {line}: generated source never contains {construct}")


def check_method(node: ast.FunctionDef, known: KnownNames) -> None:
    """Check one method of a class. Raises AuditError."""
    _check_head(node)
    bound = [a.arg for a in node.args.args[1:]]
    bound += [part.id for part in _outside_lists(node) if _binds(part)]
    for name in bound:
        _check_bound(node, name)
    inside = replace(known, names=frozenset(bound), layers=_layers_of(node, bound))
    for statement in node.body:
        check_statement(statement, inside)


def _layers_of(node: ast.FunctionDef, bound: list[str]) -> frozenset[str]:
    """The variables of a method that loops over its layers bind, and nothing else does."""
    loops = [n for n in ast.walk(node) if isinstance(n, ast.For)]
    layers: frozenset[str] = frozenset()
    while True:
        names = [
            n.target.id
            for n in loops
            if isinstance(n.target, ast.Name) and _is_layers(n.iter, layers)
        ]
        now = frozenset(name for name in names if bound.count(name) == names.count(name))
        if now == layers:
            return layers
        layers = now


def _check_head(node: ast.FunctionDef) -> None:
    arguments = node.args
    further = arguments.posonlyargs or arguments.kwonlyargs or arguments.vararg or arguments.kwarg
    plain = all(_is_plain(value) for value in arguments.defaults) and not further
    first = arguments.args[0].arg if arguments.args else ""
    named = node.name in ("__init__", "forward") and first == "self"
    if not (plain and named) or node.decorator_list:
        refuse(node, f"a function {node.name}")
    for kind in (*(a.annotation for a in arguments.args), node.returns):
        if kind is not None:
            _check_kind(kind)


def _is_plain(value: ast.expr) -> bool:
    """Whether a default is a number, a text, None or a tuple of these."""
    if isinstance(value, ast.Tuple):
        return all(_is_plain(item) for item in value.elts)
    if isinstance(value, ast.UnaryOp):
        return isinstance(value.op, ast.USub) and isinstance(value.operand, ast.Constant)
    return isinstance(value, ast.Constant)


def _check_kind(node: ast.expr) -> None:
    """Check an annotation: tuple[Tensor, Tensor], int | None."""
    match node:
        case ast.Name(id) if id in KINDS:
            return
        case ast.Constant(None) | ast.Constant(EllipsisType()):
            return
        case ast.Attribute(ast.Name("torch"), "dtype"):
            return
        case ast.Subscript(ast.Name("tuple" | "list"), inner):
            parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
        case ast.BinOp(left, ast.BitOr(), right):
            parts = [left, right]
        case _:
            refuse(node, f"an annotation `{_text_of(node)}`")
    for part in parts:
        _check_kind(part)


def _outside_lists(node: ast.AST) -> Iterator[ast.AST]:
    """All parts but those of list comprehensions, whose variable is theirs alone."""
    for part in ast.iter_child_nodes(node):
        if not isinstance(part, ast.ListComp):
            yield part
            yield from _outside_lists(part)


def _binds(node: ast.AST) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


def _check_bound(node: ast.AST, name: str) -> None:
    if name in BOUND or name.startswith("__"):
        refuse(node, f"a variable `{name}`")


def check_statement(node: ast.stmt, known: KnownNames) -> None:
    """Check a statement of a method. Raises AuditError."""
    match node:
        case ast.Assign(targets, value):
            for target in targets:
                _check_target(target, known)
            check_expression(value, known)
        case ast.For(target, over, body, []):
            layers = _is_layers(over, known.layers)
            if not isinstance(target, ast.Name) or not (_is_range(over) or layers):
                refuse(node, "a loop over anything but a range or its own layers")
            if _is_range(over):
                check_expression(over, known)
            for statement in body:
                check_statement(statement, known)
        case ast.If(test, [ast.Raise(error, None)], []):
            _check_refusal(node, test, error)
        case ast.Return(ast.expr() as value) | ast.Expr(value):
            check_expression(value, known)
        case _:
            refuse(node, f"{type(node).__name__} here")


def _check_refusal(node: ast.stmt, test: ast.expr, error: ast.expr | None) -> None:
    """Check that a size of an input is compared with a number, and a sentence raised."""
    match error:
        case ast.Call(ast.Name("ValueError"), [ast.Constant(str())], []):
            pass
        case _:
            refuse(node, "an error other than a ValueError with a message")
    for part in test.values if isinstance(test, ast.BoolOp) else [test]:
        match part:
            case ast.Compare(
                ast.Call(ast.Attribute(ast.Name(), "size"), [ast.Constant(int())], []),
                [ast.NotEq()],
                [ast.Constant(int())],
            ):
                pass
            case _:
                refuse(node, "a condition on anything but sizes")


def _check_target(node: ast.expr, known: KnownNames) -> None:
    match node:
        case ast.Name(name):
            _check_bound(node, name)
        case ast.Tuple(items) | ast.List(items):
            for item in items:
                _check_target(item, known)
        case ast.Starred(item):
            _check_target(item, known)
        case ast.Subscript(value, index):
            _check_item(value, index, known)
        case ast.Attribute(ast.Name("self"), name) if _is_own(name):
            return
        case _:
            refuse(node, f"an assignment to `{_text_of(node)}`")


def check_expression(node: ast.expr, known: KnownNames) -> None:
    """Check an expression with all its parts. Raises AuditError."""
    if repeated := _too_large(node):
        refuse(node, repeated)
    match node:
        case ast.Name(name):
            if not known.holds(name):
                refuse(node, f"`{name}` by itself")
        case ast.Attribute():
            _check_attribute(node, known)
        case ast.Call(function, arguments, words):
            _check_called(function, known)
            for part in (*arguments, *(word.value for word in words)):
                check_expression(part, known)
            if any(word.arg is None for word in words):
                refuse(node, "a call with **")
        case ast.ListComp(part, [ast.comprehension(ast.Name(name), over, [], 0)]):
            if not _is_range(over):
                refuse(node, "a list over anything but a range")
            _check_bound(node, name)
            check_expression(over, known)
            names = None if known.names is None else known.names | {name}
            check_expression(part, replace(known, names=names))
        case ast.Subscript(value, index):
            _check_item(value, index, known)
        case ast.IfExp(ast.Attribute(ast.Name("self"), "training")):
            _check_parts(node, known)
        case ast.IfExp() | ast.ListComp() | ast.JoinedStr() | ast.FormattedValue():
            refuse(node, f"{type(node).__name__} here")
        case _:
            _check_parts(node, known)


def _check_parts(node: ast.expr, known: KnownNames) -> None:
    """Check the parts of what means no more than its parts do: a sum, a tuple, a slice."""
    for part in ast.iter_child_nodes(node):
        if isinstance(part, ast.expr):
            check_expression(part, known)


def _check_item(value: ast.expr, index: ast.expr, known: KnownNames) -> None:
    """Check value[index]; of self, a layer by its name: self[f"layer{i + 1}"]."""
    if not isinstance(value, ast.Name) or value.id != "self":
        check_expression(value, known)
        check_expression(index, known)
        return
    parts = index.values if isinstance(index, ast.JoinedStr) else [index]
    for part in parts:
        if isinstance(part, ast.FormattedValue):
            if part.conversion > 0 or part.format_spec:
                refuse(part, "a formatted value")
            part = part.value
        check_expression(part, known)


def _check_called(node: ast.expr, known: KnownNames) -> None:
    match node:
        case ast.Name(name):
            local = known.names is not None and name in known.names
            mine = known.layers if local else (CALLABLE - {"super"}) | known.classes
            if name not in mine:
                refuse(node, f"a call of `{name}`")
        case ast.Attribute(ast.Call(ast.Name("super"), [], []), "__init__"):
            return
        case ast.Attribute():
            _check_attribute(node, known)
        case _:
            refuse(node, "a call of something without a name")


def _check_attribute(node: ast.Attribute, known: KnownNames) -> None:
    """Check a listed name, self.NAME, or a listed method of a value."""
    root: ast.expr = node
    while isinstance(root, ast.Attribute):
        root = root.value
    if isinstance(root, ast.Name) and root.id in ROOTS:
        if _text_of(node) not in known.dotted:
            refuse(node, f"`{_text_of(node)}`")
    elif isinstance(node.value, ast.Name) and node.value.id == "self":
        if not _is_own(node.attr) and node.attr != "training":
            refuse(node, f"`{_text_of(node)}`")
    elif node.attr in known.methods:
        check_expression(node.value, known)
    else:
        refuse(node, f"`.{node.attr}`")


def _is_own(name: str) -> bool:
    """Whether self.NAME is a layer or number of the class's own, and nothing of nn.Module."""
    return not name.startswith("_") and name not in MODULE_ATTRIBUTES


def _is_range(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range"
    )


def _is_layers(node: ast.expr, layers: frozenset[str]) -> bool:
    """Whether a loop goes over layers: self.values(), self.NAME, self.NAME.values(), or one of
    `layers`, a list of layers itself."""
    match node:
        case ast.Name(name):
            return name in layers
        case ast.Call(ast.Attribute(owner, "values"), [], []):
            return (isinstance(owner, ast.Name) and owner.id == "self") or _is_layers(owner, layers)
        case ast.Attribute(ast.Name("self"), name):
            return _is_own(name)
        case _:
            return False


def _text_of(node: ast.expr) -> str:
    return ast.unparse(node)


def _too_large(node: ast.expr) -> str:
    """What part of an expression repeats more than LARGEST_COUNT times; "" for none."""
    match node:
        case ast.BinOp(left, ast.Mult(), right):
            count = _product(right if _is_sequence(left) else left)
            if (_is_sequence(left) or _is_sequence(right)) and count and count > LARGEST_COUNT:
                return f"a list or text repeated {count:,.0f} times"
        case ast.Call(ast.Name("range"), arguments, _):
            counts = [count for part in arguments if (count := _product(part)) is not None]
            if any(abs(count) > LARGEST_COUNT for count in counts):
                return f"a range of more than {LARGEST_COUNT:,}"
        case _:
            pass
    return ""


def _is_sequence(node: ast.expr) -> bool:
    text = isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)
    return text or isinstance(node, ast.List | ast.Tuple | ast.ListComp)


def _product(node: ast.expr) -> float | None:
    """A number, or a product of numbers; None for anything else."""
    match node:
        case ast.Constant(int(value) | float(value)):
            return value
        case ast.UnaryOp(ast.USub(), inner):
            value = _product(inner)
            return None if value is None else -value
        case ast.BinOp(left, ast.Mult(), right):
            factors = _product(left), _product(right)
            return None if None in factors else factors[0] * factors[1]  # type: ignore[operator]
        case _:
            return None
