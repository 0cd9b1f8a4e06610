"""The model file: scopes written as classes the way a careful engineer writes them.

A value used only by the next line is `x`, any other bears its node's id; a shape stands where it
changes; only settings that differ from torch's default are written.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from blocks import Signature
from blocks.initializers import FROM_WEIGHTS
from blocks.parametrize import PARAMETRIZATIONS
from core.graph.names import CLASSES_TAKEN
from core.graph.python import names_used
from core.source import loops
from core.source.class_variant import Form, Made
from core.source.class_variants import make_forms, own_code
from core.source.construct import builds, chain_parts, constructor
from core.source.forward import call_arguments, paths, signatures_made, write_forward
from core.source.layout import WIDTH, wrap, wrap_def
from core.source.literal import literal, prose, type_name
from core.source.loops import rolled
from core.source.scope import Line, Scope, Use


@dataclass(frozen=True)
class ModelText:
    """A model file. lines: node path to the numbers (from 1) of the lines that are its."""

    text: str
    class_name: str
    lines: Mapping[str, tuple[int, ...]]


def write_model(main: Scope, class_name: str, title: str = "") -> ModelText:
    """Write the whole model file of a scope."""
    own = own_code(main)
    forms, made = make_forms(main, class_name, own)
    body: list[Line] = [line for text in own.values() for line in _verbatim(text)]
    for form in forms:
        body += [("", ()), ("", ()), *_class(form, made)]
    code = "\n".join(text for text, _ in body)
    used = frozenset(name for text in own.values() for name in names_used(text))
    head = [*wrap_docstring(_headline(main, title or class_name)), "", *_imports(code, used)]
    lines: dict[str, list[int]] = {}
    for number, (_, mine) in enumerate(body, len(head) + 1):
        for path in mine:
            lines.setdefault(path, []).append(number)
    text = "\n".join([*head, code, ""])
    return ModelText(text, class_name, {path: tuple(n) for path, n in lines.items()})


def _verbatim(text: str) -> list[Line]:
    """A class of the project's own, as it stands: it is trusted letter by letter."""
    return [("", ()), ("", ()), *((line, ()) for line in text.split("\n"))]


def class_name_of(name: str, taken: Collection[str] = ()) -> str:
    """Make a class name of a project's name: LeNet on digits becomes LeNetOnDigits.

    taken: names of the project's own classes, which are written as they are.
    """
    words = re.findall(r"[A-Za-z0-9]+", name.encode("ascii", "ignore").decode())
    joined = "".join(word[:1].upper() + word[1:] for word in words)[:40]
    used = (*CLASSES_TAKEN, *taken)
    class_name = joined if joined[:1].isalpha() and joined not in used else f"Net{joined}"
    while class_name in used:
        class_name = f"Net{class_name}"
    return class_name


def _headline(main: Scope, title: str) -> str:
    def show(parts: list[Signature]) -> str:
        texts = [str(s) for s in parts]
        return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"

    inputs = show([s for _, s in main.inputs])
    made = signatures_made(main)
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


def _imports(code: str, used: frozenset[str]) -> list[str]:
    def uses(name: str) -> bool:  # most do not, which a plain search tells much sooner
        is_used = f"{name}." in code and re.search(rf"\b{name}\.", code) is not None
        return is_used or name in used

    lines = ["import math", ""] if "math" in used else []
    lines += ["import torch"] if uses("torch") else []
    if uses("torchvision"):
        lines.append("import torchvision")
    lines.append("from torch import Tensor, nn")
    if uses("F"):
        lines.append("from torch.nn import functional as F")
    return [*lines, *_parametrizations(code)]


def _parametrizations(code: str) -> list[str]:
    """Imports of the functions around constructors."""
    called: dict[str, set[str]] = {}
    for module, name in (way.imported for way in PARAMETRIZATIONS.values()):
        if f"{name}(" in code:
            called.setdefault(module, set()).add(name)
    return [f"from {m} import {', '.join(sorted(called[m]))}" for m in sorted(called)]


def _class(form: Form, made: Made) -> list[Line]:
    roll = rolled(form.scope, made)
    chain = form.scope.is_chain and bool(form.scope.name)
    named = form.scope.is_named_chain and bool(form.scope.name)
    base = "nn.Sequential" if chain or named else "nn.ModuleDict" if roll else "nn.Module"
    lines: list[Line] = [(f"class {form.class_name}({base}):", ())]
    init = _chain(form, made) if chain else _init(form, made)
    init = loops.write_init(form, roll, made) if roll else init
    if init:
        arguments = ["self", *(_argument(form, p) for p in form.parameters)]
        lines += [(text, ()) for text in wrap_def("    ", "def __init__", arguments, "None")]
        lines += [*([("        super().__init__()", ())] * (not chain)), *init]
    if form.scope.is_unused:
        return lines
    forward = loops.write_forward(form, roll) if roll else write_forward(form)
    return lines if chain or named else [*lines, *([("", ())] * bool(init)), *forward]


def _chain(form: Form, made: Made) -> list[Line]:
    """The constructor of a chain: super().__init__(layer, layer, ...)."""
    parts = chain_parts(form, form.scope, made)
    lines = wrap(" " * 8, f"super().__init__({', '.join(text for text, _ in parts)})")
    start = len(_outer(form.scope))
    return [
        (line, tuple(_outer(s) + p[start:] for p in _inside(uses, made) for s in form.scopes))
        for line, uses in zip(lines, builds(lines, parts), strict=True)
    ]


def _outer(scope: Scope) -> str:
    """The path of what a scope stands in."""
    return scope.uses[0].path.removesuffix(scope.uses[0].id)


def _argument(form: Form, name: str) -> str:
    text = f"{name}: {_type(form.parameters[name])}"
    return f"{text} = {literal(form.defaults[name])}" if name in form.defaults else text


def _type(values: tuple[object, ...]) -> str:
    names = {type_name(value) for value in values}
    if {"int", "float"} <= names:
        names.remove("int")
    return " | ".join(sorted(names, key=lambda n: (n == "None", n)))


def _init(form: Form, made: Made) -> list[Line]:
    lines: list[Line] = []
    for index, use in enumerate(form.scope.uses):
        for name in call_arguments(form, use):
            if (line := f"        self.{name} = {name}") not in [t for t, _ in lines]:
                lines.append((line, ()))
        if use.is_module:
            if any(settings.get("init") == FROM_WEIGHTS for settings in use.settings):
                lines.append(("        # its values come with the weights", ()))
            if use.unused and not form.scope.is_unused:
                lines.append(("        # kept for its weights: forward does not call it", ()))
            text = f"self.{use.id} = {constructor(form, use, made)}"
            lines += _with_inner(form, index, wrap(" " * 8, text), made)
    return lines


def _with_inner(form: Form, index: int, texts: list[str], made: Made) -> list[Line]:
    """Lines that construct a layer are its own; those of an inline chain are its layers', too."""
    use, mine = form.scope.uses[index], paths(form, index)
    inner = [i for i in use.inner if id(i) not in made] if use.owner == use.id else []
    parts = [part for scope in inner for part in chain_parts(form, scope, made, (use.id, 0, ""))]
    return [
        (line, (*mine, *(path + p[len(use.path) :] for p in _inside(uses, made) for path in mine)))
        for line, uses in zip(texts, builds(texts, parts), strict=True)
    ]


def _inside(uses: Iterable[Use], made: Made) -> Iterator[str]:
    """Paths of layers and of all that is written with them, in chains inside chains."""
    for use in uses:
        yield use.path
        for scope in use.inner if use.owner == use.id else ():
            if id(scope) not in made:
                yield from _inside(scope.uses, made)
