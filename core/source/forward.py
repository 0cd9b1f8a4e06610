"""The forward of a class: one line per use, values named after their node."""

from collections.abc import Mapping

from blocks import Signature
from core.recent import Recent
from core.source.forms import Form
from core.source.layout import WIDTH, wrap, wrap_def
from core.source.parameters import names_in, of_self
from core.source.scope import Scope, Use, Value
from core.source.statement import Text, express, follow, unpack
from core.source.values import name_values

Line = tuple[str, tuple[str, ...]]
"""One line and the paths of the nodes it belongs to."""

_written: Recent[tuple[int | str | None, ...], tuple[Use, tuple[str, ...]]] = Recent(10_000)
"""Lines of uses that no other instance of their class differs from, by use and names."""


def write_forward(form: Form) -> list[Line]:
    """Write the method `forward` of a class."""
    scope = form.scope
    names = name_values(scope)
    comments = _comments(form, names)
    made = made_values(scope)
    arguments = ["self", *(f"{name}: {_kind(s)}" for name, s in scope.inputs)]
    kinds = [_kind(made[value]) for _, value in scope.results]
    result = kinds[0] if len(kinds) == 1 else f"tuple[{', '.join(kinds)}]"
    ends = tuple(name for name, _ in scope.inputs) if not scope.name else ()
    lines: list[Line] = [(t, ends) for t in wrap_def("    ", "def forward", arguments, result)]
    for index, use in enumerate(scope.uses):
        paths = paths_of(form, index)
        lines += [(line, paths) for line in _lines(form, use, names, comments[index])]
    returned = ", ".join(names[value] for _, value in scope.results)
    outs = tuple(name for name, _ in scope.results) if not scope.name else ()
    return [*lines, *((line, outs) for line in wrap("        ", f"return {returned}"))]


def paths_of(form: Form, index: int) -> tuple[str, ...]:
    """Paths of one use in all instances of its class."""
    return tuple(scope.uses[index].path for scope in form.scopes)


def made_values(scope: Scope) -> dict[Value, Signature]:
    """Signatures of all values inside a scope."""
    found = {use.gives[port]: s for use in scope.uses for port, s in use.outputs.items()}
    return found | {Value(name): s for name, s in scope.inputs}


def kept_arguments(form: Form, use: Use) -> list[str]:
    """Arguments of the class that a node's expression needs."""
    return [n for t in _call_holes(form, use).values() for n in names_in(t, form.parameters)]


def _call_holes(form: Form, use: Use) -> dict[str, Text]:
    if use.block is None or not form.holes:
        return {}
    names = [s.name for s in use.block.settings if s.call or not use.block.init]
    holes = {name: form.holes.get((use.id, 0, name)) for name in names}
    return {name: hole for name, hole in holes.items() if hole}


def _call_texts(form: Form, use: Use) -> dict[str, Text]:
    """Settings of the expression that are constructor arguments of the class: self.NAME."""
    return {n: of_self(t, form.parameters) for n, t in _call_holes(form, use).items()}


def _kind(signature: Signature) -> str:
    return "int" if signature.is_size else "Tensor"


def _lines(form: Form, use: Use, names: Mapping[Value, str], comment: str) -> tuple[str, ...]:
    if form.holes:
        return _write(form, use, names, comment)
    read, given = map(names.get, use.reads), map(names.get, use.gives.values())
    key = (id(use), comment, *read, *given)
    if (known := _written.get(key)) is None:
        known = _written.put(key, (use, _write(form, use, names, comment)))
    return known[1]


def _write(form: Form, use: Use, names: Mapping[Value, str], comment: str) -> tuple[str, ...]:
    text = f"{_target(use, names)} = {_expression(form, use, names)}"
    after = _after(form, use, names)
    return (*_commented(text, comment), *(wrap("        ", after) if after else ()))


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
    mine = {port: names[value] for port, value in use.gives.items() if value in names}
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
    if len(columns) == 1:
        return columns[0]
    return [row[0] if len(set(row)) == 1 else "" for row in zip(*columns, strict=True)]


def _shapes(scope: Scope, names: Mapping[Value, str]) -> list[str]:
    made = made_values(scope)
    texts: list[str] = []
    for use in scope.uses:
        used = [s for p, s in use.outputs.items() if use.gives[p] in names and not s.is_size]
        reads = [made[v] for v in use.wires.values() if isinstance(v, Value)]
        if len(used) == 1 and used[0] in reads:
            texts.append("")
            continue
        shown = (str(s) if s.dtype == "float32" else f"{s} {s.dtype}" for s in used)
        texts.append(", ".join(shown))
    return texts
