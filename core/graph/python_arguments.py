"""Settings and ports of a block of own Python, from the signatures of __init__ and forward."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from blocks.spec import REQUIRED, Infer, Kind, Port, Setting
from blocks.validate import fits


@dataclass(frozen=True)
class Fault:
    """What is wrong with a text, in a sentence that starts after its line's number."""

    line: int
    message: str

    def __str__(self) -> str:
        return f"Line {self.line} {self.message}"


class _Type(NamedTuple):
    kind: Kind
    length: int = 0
    choices: tuple[str, ...] = ()


TYPES = {"int": _Type("int"), "float": _Type("float"), "bool": _Type("bool"), "str": _Type("text")}
LISTS = ("tuple", "list", "Tuple", "List")
TENSORS = ("Tensor", "torch.Tensor")
TAKES = "int, float, bool, str, tuple[int, ...] or one of these with `| None`"
WIRED = {"in_channels": 1, "num_features": 1, "in_features": -1, "input_size": -1}
"""Settings that the wire into the first port decides, as it does for torch's own layers."""
KNOWN = frozenset("int float bool str tuple list torch nn F Tensor math torchvision".split())
"""Names that an annotation may use as it stands: the file that is written has no others."""
TAKEN = frozenset("self module settings torch nn F math torchvision Tensor float slice".split())
"""Names that the statements around a block use, so no argument of forward may bear them."""


class _Argument(NamedTuple):
    arg: ast.arg
    default: ast.expr | None
    by_name: bool


def _arguments(method: ast.FunctionDef, faults: list[Fault]) -> Iterator[_Argument]:
    """All arguments after self. Those that no setting or port can supply become faults."""
    args = method.args
    for many in (args.vararg, args.kwarg):
        if many is not None:
            message = (
                f"takes any number of arguments in {method.name} (*{many.arg}); name each one."
            )
            faults.append(Fault(many.lineno, message))
    plain = [*args.posonlyargs, *args.args]
    if not plain or plain[0].arg != "self" or args.posonlyargs:
        message = (
            f"needs self as the first argument of {method.name}, and no / among the arguments."
        )
        faults.append(Fault(method.lineno, message))
    defaults = [None] * (len(plain) - len(args.defaults)) + list(args.defaults)
    arguments = [_Argument(*each, False) for each in list(zip(plain, defaults, strict=True))[1:]]
    pairs = zip(args.kwonlyargs, args.kw_defaults, strict=True)
    arguments += [_Argument(arg, default, True) for arg, default in pairs]
    names = ["self", *(argument.arg.arg for argument in arguments)]
    for index, argument in enumerate(arguments, 1):
        name, line = argument.arg.arg, argument.arg.lineno
        if name in names[:index] or name.startswith("__"):
            why = "may not begin with __" if name.startswith("__") else "is used twice"
            message = f"needs another name for an argument of {method.name}: {name} {why}."
            faults.append(Fault(line, message))
        else:
            faults.extend(_strange(argument.arg.annotation))
            yield argument


def _strange(annotation: ast.expr | None) -> Iterator[Fault]:
    """Names that are unknown when the class is made, as those in quotation marks are not."""
    for node in ast.walk(annotation) if annotation is not None else ():
        if isinstance(node, ast.Name) and node.id not in KNOWN:
            how = (
                f"put the type in quotation marks, as the generated file does not import {node.id}"
            )
            yield Fault(node.lineno, f"uses the name {node.id} in a type: {how}.")


def settings_of(init: ast.FunctionDef, faults: list[Fault]) -> tuple[Setting, ...]:
    """The settings that an __init__ takes."""
    settings = [_setting(argument, faults) for argument in _arguments(init, faults)]
    return tuple(setting for setting in settings if setting is not None)


def _setting(argument: _Argument, faults: list[Fault]) -> Setting | None:
    name, line = argument.arg.arg, argument.arg.lineno
    default = _value(argument.default) if argument.default is not None else REQUIRED
    typed, optional = _typed(argument.arg.annotation, default)
    if typed is None:
        faults.append(Fault(line, f"needs the type of {name} in __init__: {TAKES}."))
        return None
    wired = name in WIRED and typed.kind == "int" and not argument.by_name
    infer = Infer("", WIRED[name]) if wired else None
    setting = Setting(
        name,
        typed.kind,
        f"{name} of __init__.",
        default,
        length=typed.length,
        choices=typed.choices,
        pattern=r".{0,200}" if typed.kind == "text" else "",
        optional=optional or (infer is not None and default is None),
        positional=default is REQUIRED and not argument.by_name,
        infer=infer,
    )
    plain = default is REQUIRED or (optional and default is None) or fits(setting, default)
    plain = plain and (not isinstance(default, str) or default.isprintable())
    if not plain:
        written = ast.unparse(argument.default) if argument.default is not None else ""
        message = (
            f"has a default of {name} that cannot be a setting: {written}. Write a plain value."
        )
        faults.append(Fault(line, message))
    return setting if plain else None


_NONE: Any = object()
"""Of a default that is no plain value."""


def _value(node: ast.expr) -> Any:
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return _NONE
    return tuple(value) if isinstance(value, list) else value  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]


def _typed(node: ast.expr | None, default: Any) -> tuple[_Type | None, bool]:
    """The kind of an argument by its annotation, else by its default; whether None is legal."""
    node = _read_text(node)
    if node is None:
        return TYPES.get(type(default).__name__), False
    bare = _without_none(node)
    return _type_of(bare or node), bare is not None


def _type_of(node: ast.expr) -> _Type | None:
    if isinstance(node, ast.Name):
        return _Type("dims") if node.id in LISTS else TYPES.get(node.id)
    if not isinstance(node, ast.Subscript):
        return None
    head, inner = ast.unparse(node.value), node.slice
    parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
    if head in ("Literal", "typing.Literal"):
        words = [p.value for p in parts if isinstance(p, ast.Constant) and type(p.value) is str]
        right = bool(words) and len(words) == len(parts)
        return _Type("choice", 0, tuple(map(str, words))) if right else None
    names = [ast.unparse(part) for part in parts]
    if head not in LISTS or names[:1] != ["int"] or not set(names) <= {"int", "..."}:
        return None
    open_ended = names[1:] == ["..."] or head in ("list", "List")
    return _Type("dims", 0 if open_ended else len(names))


def _read_text(node: ast.expr | None) -> ast.expr | None:
    """An annotation in quotation marks, read."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        try:
            return ast.parse(node.value, mode="eval").body
        except (SyntaxError, ValueError):
            return node
    return node


def _without_none(node: ast.expr) -> ast.expr | None:
    """X of `X | None` and of Optional[X]; None of anything else."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        sides = [side for side in (node.left, node.right) if ast.unparse(side) != "None"]
        return sides[0] if len(sides) == 1 else None
    if isinstance(node, ast.Subscript) and ast.unparse(node.value).endswith("Optional"):
        return node.slice
    return None


def ports_of(
    forward: ast.FunctionDef, settings: frozenset[str], faults: list[Fault]
) -> tuple[Port, ...]:
    """The input ports: the arguments of forward, which are tensors."""
    ports: list[Port] = []
    for argument in _arguments(forward, faults):
        name, line = argument.arg.arg, argument.arg.lineno
        if argument.by_name or name in TAKEN | settings or name.startswith("_"):
            why = "is also a setting" if name in settings else "cannot be the name of a port"
            faults.append(Fault(line, f"needs another argument of forward: {name} {why}."))
            continue
        node = _read_text(argument.arg.annotation)
        bare = _without_none(node) if node is not None else None
        if node is not None and ast.unparse(bare or node) not in TENSORS:
            message = (
                f"declares {name}: {ast.unparse(node)} in forward; arguments of forward "
                "must be Tensors."
            )
            faults.append(Fault(line, message))
        default = argument.default
        optional = isinstance(default, ast.Constant) and default.value is None
        if default is not None and not optional:
            faults.append(
                Fault(line, f"has a default for {name} of forward; only None is allowed.")
            )
        ports.append(Port(name, optional=optional))
    if not ports and not faults:
        faults.append(Fault(forward.lineno, "needs a Tensor in forward(self, x: Tensor)."))
    return tuple(ports)


def returned(forward: ast.FunctionDef, faults: list[Fault]) -> tuple[Port, ...]:
    """The output ports: one, or a list where forward is annotated -> tuple[Tensor, Tensor]."""
    count, node = given_by(forward), forward.returns
    faults.extend(_strange(node))
    if count == 1 or node is None:
        return (Port("output"),)
    if count:
        return (Port("output", kind="tensors", count=count),)
    message = (
        f"has the return type {ast.unparse(node)}; forward must return Tensor or "
        "tuple[Tensor, Tensor]."
    )
    faults.append(Fault(forward.lineno, message))
    return (Port("output"),)


def given_by(forward: ast.FunctionDef) -> int:
    """How many tensors the return annotation of forward names; 0 for any other annotation."""
    node = _read_text(forward.returns)
    if node is None or ast.unparse(node) in TENSORS:
        return 1
    if isinstance(node, ast.Subscript) and ast.unparse(node.value) in ("tuple", "Tuple"):
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if len(parts) > 1 and all(ast.unparse(part) in TENSORS for part in parts):
            return len(parts)
    return 0
