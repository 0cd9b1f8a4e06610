"""The model file: scopes written as classes the way a careful engineer writes them.

A value used only by the next line is `x`, any other bears its node's id; a shape stands where it
changes; only settings that differ from torch's default are written.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from blocks import Signature
from core.source.construct import builds, chain_parts, constructor
from core.source.forms import Form, Made, make_forms
from core.source.layout import wrap, wrap_def
from core.source.literal import literal, prose
from core.source.parameters import names_in, of_self
from core.source.scope import Scope, Use, Value
from core.source.statement import Text, express, follow, unpack
from core.source.values import name_values

WIDTH = 88


@dataclass(frozen=True)
class ModelText:
    """A model file. lines: node path to the numbers (from 1) of the lines that are its."""

    text: str
    class_name: str
    lines: Mapping[str, tuple[int, ...]]


Line = tuple[str, tuple[str, ...]]
"""One line and the paths of the nodes it belongs to."""


def write_model(main: Scope, class_name: str, title: str = "") -> ModelText:
    """Write the whole model file of a scope."""
    forms, made = make_forms(main, class_name)
    body: list[Line] = []
    for form in forms:
        body += [("", ()), ("", ()), *_class(form, made)]
    code = "\n".join(text for text, _ in body)
    head = [*wrap_docstring(_headline(main, title or class_name)), "", *_imports(code)]
    lines: dict[str, list[int]] = {}
    for number, (_, paths) in enumerate(body, len(head) + 1):
        for path in paths:
            lines.setdefault(path, []).append(number)
    text = "\n".join([*head, code, ""])
    return ModelText(text, class_name, {path: tuple(n) for path, n in lines.items()})


def class_name_of(name: str) -> str:
    """Make a class name of a project's name: LeNet on digits becomes LeNetOnDigits."""
    words = re.findall(r"[A-Za-z0-9]+", name.encode("ascii", "ignore").decode())
    joined = "".join(word[:1].upper() + word[1:] for word in words)[:40]
    return joined if joined[:1].isalpha() and joined not in ("Tensor", "F") else f"Net{joined}"


def _headline(main: Scope, title: str) -> str:
    def show(parts: list[Signature]) -> str:
        texts = [str(s) for s in parts]
        return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"

    inputs = show([s for _, s in main.inputs])
    made = _made(main)
    outputs = show([made[value] for _, value in main.results])
    return f"{prose(title)}: {inputs} -> {outputs}. Written by Layerloom."


def wrap_docstring(text: str) -> list[str]:
    """Write a docstring, over several lines where one is too short for it."""
    if len(text) + 3 <= WIDTH:
        return [f'"""{text}"""']
    lines: list[str] = []
    line = ""
    for word in text.split():
        if line and len(line) + 1 + len(word) > WIDTH - 3 * (not lines):
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}".strip()
    lines.append(line)
    return [f'"""{lines[0]}', *lines[1:], '"""']


def _imports(code: str) -> list[str]:
    lines = ["import torch"] if re.search(r"\btorch\.", code) else []
    lines.append("from torch import Tensor, nn")
    if re.search(r"\bF\.", code):
        lines.append("from torch.nn import functional as F")
    return lines


def _class(form: Form, made: Made) -> list[Line]:
    chain = form.scope.is_chain and bool(form.scope.name)
    base = "nn.Sequential" if chain else "nn.Module"
    lines: list[Line] = [(f"class {form.class_name}({base}):", ())]
    init = _chain(form, made) if chain else _init(form, made)
    if init:
        arguments = ["self", *(_argument(form, p) for p in form.parameters)]
        lines += [(text, ()) for text in wrap_def("    ", "def __init__", arguments, "None")]
        lines += [*([("        super().__init__()", ())] * (not chain)), *init]
    return lines if chain else [*lines, *([("", ())] * bool(init)), *_forward(form)]


def _chain(form: Form, made: Made) -> list[Line]:
    """The constructor of a chain: super().__init__(layer, layer, ...)."""
    parts = chain_parts(form, form.scope, made)
    lines = wrap(" " * 8, f"super().__init__({', '.join(text for text, _ in parts)})")
    places = {id(use): i for i, use in enumerate(form.scope.uses)}
    return [
        (line, tuple(p for use in found for p in _paths(form, places[id(use)])))
        for line, found in zip(lines, builds(lines, parts), strict=True)
    ]


def _argument(form: Form, name: str) -> str:
    text = f"{name}: {_type(form.parameters[name])}"
    return f"{text} = {literal(form.defaults[name])}" if name in form.defaults else text


def _type(values: tuple[object, ...]) -> str:
    names = {
        "None" if v is None else "tuple[int, ...]" if isinstance(v, tuple) else type(v).__name__
        for v in values
    }
    if {"int", "float"} <= names:
        names.remove("int")
    return " | ".join(sorted(names, key=lambda n: (n == "None", n)))


def _paths(form: Form, index: int) -> tuple[str, ...]:
    return tuple(scope.uses[index].path for scope in form.scopes)


def _init(form: Form, made: Made) -> list[Line]:
    lines: list[Line] = []
    for index, use in enumerate(form.scope.uses):
        for name in _kept(form, use):
            if (line := f"        self.{name} = {name}") not in [t for t, _ in lines]:
                lines.append((line, ()))
        if use.is_module:
            text = f"self.{use.id} = {constructor(form, use, made)}"
            lines += _with_inner(form, index, wrap(" " * 8, text), made)
    return lines


def _with_inner(form: Form, index: int, texts: list[str], made: Made) -> list[Line]:
    """Lines that construct a layer are its own; those of an inline chain are its layers', too."""
    use, mine = form.scope.uses[index], _paths(form, index)
    inner = [i for i in use.inner if id(i) not in made] if use.owner == use.id else []
    parts = [part for scope in inner for part in chain_parts(form, scope, made, (use.id, 0, ""))]
    return [
        (line, (*mine, *(path + p.path[len(use.path) :] for p in found for path in mine)))
        for line, found in zip(texts, builds(texts, parts), strict=True)
    ]


def _call_holes(form: Form, use: Use) -> dict[str, Text]:
    if use.block is None:
        return {}
    names = [s.name for s in use.block.settings if s.call or not use.block.init]
    holes = {name: form.holes.get((use.id, 0, name)) for name in names}
    return {name: hole for name, hole in holes.items() if hole}


def _kept(form: Form, use: Use) -> list[str]:
    """Arguments of the class that a node's expression needs."""
    return [n for t in _call_holes(form, use).values() for n in names_in(t, form.parameters)]


def _call_texts(form: Form, use: Use) -> dict[str, Text]:
    """Settings of the expression that are constructor arguments of the class: self.NAME."""
    return {n: of_self(t, form.parameters) for n, t in _call_holes(form, use).items()}


def _forward(form: Form) -> list[Line]:
    scope = form.scope
    names = name_values(scope)
    comments = _comments(form, names)
    made = _made(scope)
    arguments = ["self", *(f"{name}: {_kind(s)}" for name, s in scope.inputs)]
    kinds = [_kind(made[value]) for _, value in scope.results]
    result = kinds[0] if len(kinds) == 1 else f"tuple[{', '.join(kinds)}]"
    ends = tuple(name for name, _ in scope.inputs) if not scope.name else ()
    lines: list[Line] = [(t, ends) for t in wrap_def("    ", "def forward", arguments, result)]
    for index, use in enumerate(scope.uses):
        text = f"{_target(use, names)} = {_expression(form, use, names)}"
        after = _after(form, use, names)
        texts = [*_commented(text, comments[index]), *(wrap("        ", after) if after else ())]
        lines += [(line, _paths(form, index)) for line in texts]
    returned = ", ".join(names[value] for _, value in scope.results)
    outs = tuple(name for name, _ in scope.results) if not scope.name else ()
    return [*lines, *((line, outs) for line in wrap("        ", f"return {returned}"))]


def _kind(signature: Signature) -> str:
    return "int" if signature.is_size else "Tensor"


def _made(scope: Scope) -> dict[Value, Signature]:
    found = {Value(use.id, port): s for use in scope.uses for port, s in use.outputs.items()}
    return found | {Value(name): s for name, s in scope.inputs}


def _commented(text: str, comment: str) -> list[str]:
    lines = wrap("        ", text)
    if not comment:
        return lines
    if len(lines) == 1 and len(lines[0]) + len(comment) + 4 <= WIDTH:
        return [f"{lines[0]}  # {comment}"]
    return [*lines[:-1], f"{lines[-1]}  # {comment}"] if len(lines) > 1 else [
        f"        # {comment}", *lines
    ]  # fmt: skip


def _target(use: Use, names: Mapping[Value, str]) -> str:
    mine = {
        port: names[Value(use.id, port)] for port in use.outputs if Value(use.id, port) in names
    }
    if use.block is not None:
        return unpack(use.block, use.settings[0], mine, use.outputs)
    return ", ".join(mine.get(port, "_") for port in use.outputs)


def _wires(use: Use, names: Mapping[Value, str]) -> dict[str, str | list[str]]:
    return {
        port: names[value] if isinstance(value, Value) else [names[v] for v in value]
        for port, value in use.wires.items()
    }


def _after(form: Form, use: Use, names: Mapping[Value, str]) -> str:
    if use.block is None or use.block.after is None:
        return ""
    target, texts = _target(use, names), _call_texts(form, use)
    return follow(use.block, use.settings[0], _wires(use, names), target, texts)


def _expression(form: Form, use: Use, names: Mapping[Value, str]) -> str:
    wires = _wires(use, names)
    module = f"self.{use.owner}"
    settings, *repetitions = use.settings
    if use.block is None or repetitions:
        return f"{module}({', '.join(str(w) for w in wires.values())})"
    return express(use.block, settings, wires, module, _call_texts(form, use))


def _comments(form: Form, names: Mapping[Value, str]) -> list[str]:
    """Shapes of the lines' values where they are not those read, alike in every instance."""
    columns = [_shapes(scope, names) for scope in form.scopes]
    return [row[0] if len(set(row)) == 1 else "" for row in zip(*columns, strict=True)]


def _shapes(scope: Scope, names: Mapping[Value, str]) -> list[str]:
    made = _made(scope)
    texts: list[str] = []
    for use in scope.uses:
        used = [
            s for port, s in use.outputs.items() if Value(use.id, port) in names and not s.is_size
        ]
        text = ", ".join(str(s) + ("" if s.dtype == "float32" else f" {s.dtype}") for s in used)
        reads = [made[v] for v in use.wires.values() if isinstance(v, Value)]
        texts.append("" if len(used) == 1 and used[0] in reads else text)
    return texts
