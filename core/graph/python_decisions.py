"""Lines of own Python that branch on the values of a tensor, recognised by their syntax.

A recorded pass (ONNX, traced TorchScript) keeps the one branch that its sample took, and a number
that was read from a tensor as a constant. Shapes, dtypes and `is None` are the same for every
sample, so they decide nothing here.
"""

import ast
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

FACTS = frozenset(
    "shape ndim dtype device layout requires_grad is_cuda is_leaf is_sparse is_quantized itemsize "
    "nbytes grad_fn names".split()
)
"""Attributes of a tensor that are the same whatever its values."""
FACT_CALLS = frozenset(
    "size dim numel nelement ndimension stride element_size get_device storage_offset data_ptr "
    "is_floating_point is_complex is_contiguous is_tensor is_signed is_same_size len isinstance "
    "hasattr type id callable".split()
)
READING = frozenset("item tolist numpy".split())
"""Methods that take values out of a tensor."""
CONVERTING = frozenset("int float bool complex range any all min max sorted".split())
"""Functions of Python that read the values of a tensor."""
PLAIN = frozenset("int float bool str".split())


@dataclass(frozen=True, order=True)
class Decision:
    """A line that depends on values. branches: whether it decides which lines run."""

    line: int
    text: str
    branches: bool

    def __str__(self) -> str:
        return f"line {self.line}: {self.text}"


@lru_cache(256)
def decisions(code: str) -> tuple[Decision, ...]:
    """The lines of a class that depend on the values it receives, one of each line, in order."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError):  # reading it as a block reports the error
        return ()
    methods = {
        method.name: method
        for part in tree.body
        for method in (part.body if isinstance(part, ast.ClassDef) else ())
        if isinstance(method, ast.FunctionDef)
    }
    if "forward" not in methods:
        return ()
    reading = _Reading(code.split("\n"), methods)
    reading.method("forward", {name for name, plain in _arguments(methods["forward"]) if not plain})
    return tuple(sorted(reading.found.values()))


class _Reading:
    """Goes through methods in order, knowing which names hold what depends on values."""

    def __init__(self, lines: list[str], methods: dict[str, ast.FunctionDef]) -> None:
        self.lines, self.methods, self.names = lines, methods, set[str]()
        self.found: dict[int, Decision] = {}
        self.read: set[tuple[str, frozenset[str]]] = set()

    def method(self, name: str, given: set[str]) -> None:
        """One method. given: its arguments that depend on values."""
        if (name, frozenset(given)) in self.read:
            return
        self.read.add((name, frozenset(given)))
        before, self.names = self.names, given
        self.body(self.methods[name].body)
        self.names = before

    def call(self, name: str, call: ast.Call) -> None:
        """A call of another method, whose arguments depend on what they are given."""
        names = [argument for argument, _ in _arguments(self.methods[name])]
        pairs = [*zip(names, call.args, strict=False), *((k.arg, k.value) for k in call.keywords)]
        self.method(name, {n for n, value in pairs if n in names and self.depends(value)})

    def body(self, statements: Iterable[ast.stmt]) -> None:
        for statement in statements:
            self.statement(statement)

    def statement(self, statement: ast.stmt) -> None:
        match statement:
            case ast.Assert():  # a recorded pass leaves it out, which changes no result
                return
            case ast.If(test=test, body=body, orelse=orelse):
                self.expression(test)
                if not _only_raises(body, orelse):
                    self.decides(test)
                self.either(body, orelse)
            case ast.While(test=test, body=body, orelse=orelse):
                self.expression(test)
                self.repeated(body, orelse)
                self.decides(test)
            case ast.For(target=target, iter=source, body=body, orelse=orelse):
                self.expression(source)
                self.bind(target, self.depends(source))
                self.repeated(body, orelse)
            case ast.Match(subject=subject, cases=cases):
                self.expression(subject)
                self.decides(subject)
                for case in cases:
                    self.body(case.body)
            case _:
                self.simple(statement)

    def simple(self, statement: ast.stmt) -> None:
        for part in ast.iter_child_nodes(statement):
            if isinstance(part, ast.expr):
                self.expression(part)
            elif isinstance(part, ast.withitem):
                self.expression(part.context_expr)
        match statement:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    self.bind(target, self.depends(value))
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self.bind(target, self.depends(value))
            case ast.AugAssign(target=ast.Name(id=name), value=value):
                self.names |= {name} if self.depends(value) else set()
            case ast.FunctionDef(body=body) | ast.With(body=body):
                self.body(body)
            case ast.Try(body=body, handlers=handlers, orelse=orelse, finalbody=final):
                self.body([*body, *(s for h in handlers for s in h.body), *orelse, *final])
            case _:
                pass

    def either(self, *bodies: list[ast.stmt]) -> None:
        """Bodies of which one runs: what depends on values after either does after all."""
        before, after = set(self.names), set[str]()
        for body in bodies:
            self.names = set(before)
            self.body(body)
            after |= self.names
        self.names = after

    def repeated(self, body: list[ast.stmt], orelse: list[ast.stmt]) -> None:
        """The second time, names are what the first time left."""
        for _ in range(2):
            self.either(body, [])
        self.body(orelse)

    def bind(self, target: ast.expr, depends: bool) -> None:
        for node in ast.walk(target):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                (self.names.add if depends else self.names.discard)(node.id)

    def expression(self, expression: ast.expr) -> None:
        """Note the decisions inside of an expression."""
        for node in ast.walk(expression):
            match node:
                case ast.IfExp(test=test):
                    self.decides(test)
                case ast.BoolOp(values=values):
                    for value in values[:-1]:
                        self.decides(value)
                case ast.UnaryOp(op=ast.Not(), operand=operand):
                    self.decides(operand)
                case ast.comprehension(target=target, iter=source, ifs=ifs):
                    self.bind(target, self.depends(source))
                    for test in ifs:
                        self.decides(test)
                case ast.Call(func=ast.Attribute(value=value, attr=attr)) if attr in READING:
                    self.reads(node, [value])
                case ast.Call(func=ast.Attribute(value=ast.Name(id="self"), attr=attr)) if (
                    attr in self.methods
                ):
                    self.call(attr, node)
                case ast.Call(func=ast.Name(id=name), args=args) if name in CONVERTING:
                    self.reads(node, args)
                case _:
                    pass

    def decides(self, test: ast.expr) -> None:
        if self.depends(test):
            self._note(test.lineno, True)

    def reads(self, call: ast.expr, values: Iterable[ast.expr]) -> None:
        if any(self.depends(value) for value in values):
            self._note(call.lineno, False)

    def _note(self, line: int, branches: bool) -> None:
        known = self.found.get(line)
        text = self.lines[line - 1].strip()
        self.found[line] = Decision(line, text, branches or bool(known and known.branches))

    def depends(self, node: ast.AST) -> bool:
        """Whether the value of an expression depends on the values of a tensor."""
        match node:
            case ast.Name(id=name):
                return name in self.names
            case ast.Attribute(attr=attr) if attr in FACTS:
                return False
            case ast.Call(func=func) if _called(func) in FACT_CALLS:
                return False
            case ast.Compare(ops=ops) if all(isinstance(o, ast.Is | ast.IsNot) for o in ops):
                return False
            case _:
                return any(self.depends(part) for part in ast.iter_child_nodes(node))


def _called(func: ast.expr) -> str:
    if isinstance(func, ast.Attribute):
        return func.attr
    return func.id if isinstance(func, ast.Name) else ""


def _arguments(method: ast.FunctionDef) -> list[tuple[str, bool]]:
    """Arguments after self, each with whether it is declared as something other than a tensor."""
    args = method.args
    every = [*[*args.posonlyargs, *args.args][1:], *args.kwonlyargs]
    return [(each.arg, _plain(each.annotation)) for each in every]


def _plain(annotation: ast.expr | None) -> bool:
    return isinstance(annotation, ast.Name) and annotation.id in PLAIN


def _only_raises(body: list[ast.stmt], orelse: list[ast.stmt]) -> bool:
    """Whether a branch is a check of its input, which a recorded pass may leave out."""
    return not orelse and all(isinstance(each, ast.Raise) for each in body)
