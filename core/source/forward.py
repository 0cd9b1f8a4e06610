"""The forward of a class: one line per node, in the order of the drawing.

A parameter, and a size that is used once, are written inline.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from blocks import Signature
from core.common.bounded_cache import BoundedCache
from core.source.class_variant import Form
from core.source.inline import Inline, in_brackets, in_place, inlined
from core.source.layout import WIDTH, wrap, wrap_def
from core.source.literal import literal
from core.source.loops import loop_of
from core.source.parameters import names_in, of_self
from core.source.scope import Line, Scope, Use, Value, values_of
from core.source.statement import Text, express, follow, unpack
from core.source.values import name_values

_written: BoundedCache[tuple[object, ...], tuple[Use, list[str]]] = BoundedCache(20_000)
"""Statements by the use, which the entry keeps alive, and all that they name."""


def paths(form: Form, index: int) -> tuple[str, ...]:
    """Paths of one use in all instances of a class."""
    return tuple(scope.uses[index].path for scope in form.scopes)


def _call_holes(form: Form, use: Use) -> dict[str, Text]:
    if use.block is None or not form.holes:
        return {}
    names = [s.name for s in use.block.settings if s.call or not use.block.init]
    holes = {name: form.holes.get((use.id, 0, name)) for name in names}
    return {name: hole for name, hole in holes.items() if hole}


def call_arguments(form: Form, use: Use) -> list[str]:
    """Arguments of the class that a node's expression needs."""
    return [n for t in _call_holes(form, use).values() for n in names_in(t, form.parameters)]


def _call_texts(form: Form, use: Use) -> dict[str, Text]:
    """Settings of the expression that are constructor arguments of the class: self.NAME."""
    return {n: of_self(t, form.parameters) for n, t in _call_holes(form, use).items()}


def write_forward(form: Form) -> list[Line]:
    """Write the forward of a class. What it does not call is not in it."""
    form = _called(form)
    scope = form.scope
    inline, changed = inlined(scope), in_place(scope)
    names = name_values(scope, inline, changed)
    made = signatures_made(scope)
    arguments = ["self", *(f"{name}: {_kind(s)}" for name, s in scope.inputs)]
    kinds = [_kind(made[value]) for _, value in scope.results]
    result = kinds[0] if len(kinds) == 1 else f"tuple[{', '.join(kinds)}]"
    ends = tuple(name for name, _ in scope.inputs) if not scope.name else ()
    lines: list[Line] = [(t, ends) for t in wrap_def("    ", "def forward", arguments, result)]
    lines += [
        (text, (name,)) for name, sizes in scope.static.items() for text in refusal(name, sizes)
    ]
    lines += _Body(form, names, inline, changed).lines()
    returned = ", ".join(names[value] for _, value in scope.results)
    outs = tuple(name for name, _ in scope.results) if not scope.name else ()
    return [*lines, *((line, outs) for line in wrap("        ", f"return {returned}"))]


def _called(form: Form) -> Form:
    if not any(use.unused for use in form.scope.uses):
        return form
    scopes = [replace(s, uses=tuple(u for u in s.uses if not u.unused)) for s in form.scopes]
    return replace(form, scopes=tuple(scopes))


DRAWN_FOR = "the size it was drawn for"
"""How the sentence ends that refuses another size."""


def refusal(name: str, sizes: Sequence[int | None]) -> list[str]:
    """Write the lines that refuse an input of other sizes than a drawing holds for."""
    tests = [f"{name}.size({dim}) != {n}" for dim, n in enumerate(sizes, 1) if n is not None]
    shape = ", ".join(["N", *("any" if n is None else str(n) for n in sizes)])
    message = f"{name} needs to be ({shape}), {DRAWN_FOR}"
    return [
        *wrap("        ", f"if {' or '.join(tests)}:"),
        *wrap(" " * 12, f"raise ValueError({literal(message)})"),
    ]


@dataclass
class _Body:
    """The statements of a forward. names: of values; an inlined value is named by its text."""

    form: Form
    names: dict[Value, str]
    inline: Inline
    changed: Mapping[str, str]

    def lines(self) -> list[Line]:
        """Write the statements, each with the nodes it belongs to."""
        comments = _comments(self.form, self.names)
        lines: list[Line] = []
        held: dict[int, tuple[str, ...]] = {}
        for index, use in enumerate(self.form.scope.uses):
            mine = (*paths(self.form, index), *held.pop(index, ()))
            if index in self.inline.readers:
                self._hold(index, use, mine, held)
                continue
            lines += [(line, mine) for line in self._statements(use, comments[index])]
        return lines

    def _hold(
        self, index: int, use: Use, mine: tuple[str, ...], held: dict[int, tuple[str, ...]]
    ) -> None:
        self.names[Value(use.id)] = _expression(self.form, use, self.names)
        if not use.is_module:  # a parameter's line is the one that constructs it
            for reader in self.inline.readers[index]:
                held[reader] = (*held.get(reader, ()), *mine)

    def _statements(self, use: Use, comment: str) -> list[str]:
        if use.block is None or use.is_loop or self.form.holes:
            return self._write(use, comment)
        mine = (Value(use.id, port) for port in use.outputs)
        named = (self.names.get(value) for value in (*mine, *values_of(use.wires)))
        key = (id(use), comment, use.id in self.changed, *named)
        entry = _written.get(key) or _written.put(key, (use, self._write(use, comment)))
        return entry[1]

    def _write(self, use: Use, comment: str) -> list[str]:
        if use.is_loop:
            return self._loop(use, comment)
        after = _after(self.form, use, self.names)
        second = wrap("        ", after) if after else []
        if use.id in self.changed:
            return second
        text = f"{_target(use, self.names)} = {_expression(self.form, use, self.names)}"
        return [*_commented(text, comment), *second]

    def _loop(self, use: Use, comment: str) -> list[str]:
        taken = {*(u.id for u in self.form.scope.uses), *self.names.values()}
        arguments, target = _wires(use, self.names), _target(use, self.names)
        heads, text = loop_of(use, arguments, target, taken, _call_texts(self.form, use))
        start = next(iter(arguments.values()))
        lines = [f"        {target} = {start}"] * (start != target)
        lines += [f"{' ' * 4 * depth}{head}" for depth, head in enumerate(heads, 2)]
        return [*lines, *_commented(text, comment, " " * 4 * (2 + len(heads)))]


def _kind(signature: Signature) -> str:
    return "int" if signature.is_size else "Tensor"


def signatures_made(scope: Scope) -> dict[Value, Signature]:
    """What every value of a scope is."""
    signatures = {Value(use.id, port): s for use in scope.uses for port, s in use.outputs.items()}
    return signatures | {Value(name): s for name, s in scope.inputs}


def _commented(text: str, comment: str, indent: str = "        ") -> list[str]:
    lines = wrap(indent, text)
    if not comment:
        return lines
    if len(lines) == 1 and len(lines[0]) + len(comment) + 4 <= WIDTH:
        return [f"{lines[0]}  # {comment}"]
    return (
        [*lines[:-1], f"{lines[-1]}  # {comment}"]
        if len(lines) > 1
        else [f"{indent}# {comment}", *lines]
    )


def _target(use: Use, names: Mapping[Value, str]) -> str:
    mine = {
        port: names[Value(use.id, port)] for port in use.outputs if Value(use.id, port) in names
    }
    if use.block is not None:
        return unpack(use.block, use.settings[0], mine, use.outputs)
    return ", ".join(mine.get(port, "_") for port in use.outputs)


def _wires(use: Use, names: Mapping[Value, str]) -> dict[str, str | list[str]]:
    return {
        port: in_brackets(names[value], use)
        if isinstance(value, Value)
        else [names[v] for v in value]
        for port, value in use.wires.items()
    }


def _after(form: Form, use: Use, names: Mapping[Value, str]) -> str:
    if use.block is None or use.block.after is None:
        return ""
    target, texts = _target(use, names), _call_texts(form, use)
    return follow(use.block, use.settings[0], _wires(use, names), target, texts)


def _expression(form: Form, use: Use, names: Mapping[Value, str]) -> str:
    arguments = _wires(use, names)
    module = f"self.{use.owner}"
    settings, *repetitions = use.settings
    if use.block is None or repetitions:
        return f"{module}({', '.join(str(w) for w in arguments.values())})"
    return express(use.block, settings, arguments, module, _call_texts(form, use))


def _comments(form: Form, names: Mapping[Value, str]) -> list[str]:
    """Shapes of the lines' values where they are not those read, alike in every instance."""
    columns = [_shapes(scope, names) for scope in form.scopes]
    return [row[0] if len(set(row)) == 1 else "" for row in zip(*columns, strict=True)]


def _shapes(scope: Scope, names: Mapping[Value, str]) -> list[str]:
    made = signatures_made(scope)
    texts: list[str] = []
    for use in scope.uses:
        used = [
            s for port, s in use.outputs.items() if Value(use.id, port) in names and not s.is_size
        ]
        text = ", ".join(map(_described, used))
        reads = [made[v] for v in use.wires.values() if isinstance(v, Value)]
        texts.append("" if len(used) == 1 and used[0] in reads else text)
    return texts


@lru_cache(4096)
def _described(signature: Signature) -> str:
    return str(signature) + ("" if signature.dtype == "float32" else f" {signature.dtype}")
