"""Repeated layers as loops of the source.

`rolled`: layers that each add to what all before them put out, as in a DenseNet. The drawing has
them one by one; in the source they are an nn.ModuleDict with the same keys and one loop.
`loop_of`: layers in a row that all take further inputs: `for layer in self.layers: x = layer(x,
mask)`. Lists of layers in a list are a loop in a loop.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from core.graph.names import check_id
from core.source.class_variant import Form, Made
from core.source.layout import wrap, wrap_def
from core.source.literal import literal
from core.source.scope import Line, Scope, Use, Value
from core.source.statement import Argument, Text, arguments, express, whole, write_arguments

FEWEST = 3
"""Layers from which on a loop is shorter."""
TAKEN = frozenset({"i", "x", "new", "layer"})


@dataclass(frozen=True)
class Roll:
    """Rounds of one layer and one join. base, first: the layers' ids are base1, base2, ..."""

    base: str
    first: int
    layers: tuple[Use, ...]
    joins: tuple[Use, ...]


def rolled(scope: Scope, made: Made) -> Roll | None:
    """Find the loop that a scope is, if it is one and nothing else."""
    uses = scope.uses
    if len(uses) < 2 * FEWEST or len(uses) % 2 or len(scope.inputs) != 1 or not scope.name:
        return None
    layers, joins = uses[::2], uses[1::2]
    names = [use.id.rstrip("0123456789") for use in layers]
    numbers = [use.id[len(name) :] for use, name in zip(layers, names, strict=True)]
    if len(set(names)) > 1 or not all(n.isdigit() and str(int(n)) == n for n in numbers):
        return None
    counted = all(int(b) == int(a) + 1 for a, b in pairwise(numbers))
    roll = Roll(names[0], int(numbers[0]), layers, joins)
    end = (Value(joins[-1].id),)
    fits = counted and tuple(v for _, v in scope.results) == end and scope.inputs[0][0] not in TAKEN
    return roll if fits and _flows(scope, roll) and _counts(roll, made) else None


def _flows(scope: Scope, roll: Roll) -> bool:
    """Whether each layer reads all so far, and each join adds what the layer made."""
    last = Value(scope.inputs[0][0])
    for layer, join in zip(roll.layers, roll.joins, strict=True):
        alone = layer.owner == layer.id and len(layer.inner) == len(layer.outputs) == 1
        if not alone or list(layer.wires.values()) != [last] or join.name != "cat":
            return False
        new = Value(layer.id, next(iter(layer.outputs)))
        if join.wires != {"tensors": (last, new)} or join.settings != roll.joins[0].settings:
            return False
        last = Value(join.id)
    return True


def _counts(roll: Roll, made: Made) -> bool:
    """Whether the layers are of one class, with arguments that stay or grow evenly."""
    if not all(id(use.inner[0]) in made for use in roll.layers):
        return False
    if len({made[id(use.inner[0])][0] for use in roll.layers}) > 1:
        return False
    return all(_step(values) is not None for _, values in _given(roll, made))


def _given(roll: Roll, made: Made) -> list[tuple[Argument, list[Any]]]:
    rows = [made[id(use.inner[0])][1] for use in roll.layers]
    return [(column[0], [a.value for a in column]) for column in zip(*rows, strict=True)]


def _step(values: list[Any]) -> int | None:
    if all(type(v) is type(values[0]) and v == values[0] for v in values):
        return 0
    if not all(type(v) is int for v in values):
        return None
    steps = {b - a for a, b in pairwise(values)}
    return steps.pop() if len(steps) == 1 else None


def skeleton(roll: Roll, made: Made) -> Any:
    """All of a loop but the numbers in it."""
    join = roll.joins[0]
    assert join.block is not None
    join_arguments = arguments(join.block, join.settings[0], False)
    grows = tuple(bool(_step(values)) for _, values in _given(roll, made))
    return roll.base, roll.first, made[id(roll.layers[0].inner[0])][0], join_arguments, grows


def rows(roll: Roll, made: Made) -> Iterator[tuple[tuple[str, int, str], Any]]:
    """The numbers of a loop: how often, where each argument starts and how it grows."""
    yield ("", 0, f"num_{roll.base}s"), len(roll.layers)
    for argument, values in _given(roll, made):
        yield ("", 0, argument.name), values[0]
        yield ("", 1, f"{argument.name}_step"), _step(values)


def write_init(form: Form, roll: Roll, made: Made) -> list[Line]:
    """Write the constructor's lines behind super().__init__()."""
    differing_arguments: list[Argument] = []
    texts: dict[str, Any] = {}
    for argument, values in _given(roll, made):
        differing_arguments.append(argument)
        start = form.holes.get(("", 0, argument.name))
        step = form.holes.get(("", 1, f"{argument.name}_step")) or literal(_step(values))
        if _step(values):
            texts[argument.name] = f"{whole(start or literal(values[0]))} + i * {step}"
        elif start:
            texts[argument.name] = start
    count = form.holes.get(("", 0, f"num_{roll.base}s")) or len(roll.layers)
    name = made[id(roll.layers[0].inner[0])][0]
    number = f"i + {roll.first}" if roll.first else "i"
    head = f'self[f"{roll.base}{{{number}}}"] = '
    built = wrap(
        " " * 12, f"{head}{name}({', '.join(write_arguments(tuple(differing_arguments), texts))})"
    )
    mine = _all_paths(form, 0)
    return [(f"        for i in range({count}):", mine), *((line, mine) for line in built)]


def write_forward(form: Form, roll: Roll) -> list[Line]:
    """Write the forward: a loop over the layers."""
    name, _ = form.scope.inputs[0]
    join = roll.joins[0]
    assert join.block is not None
    joined = express(join.block, join.settings[0], {"tensors": ["x", "new"]})
    head = wrap_def("    ", "def forward", ["self", f"{name}: Tensor"], "Tensor")
    return [
        *((line, ()) for line in head),
        (f"        x = {name}", ()),
        ("        for layer in self.values():", ()),
        ("            new = layer(x)", _all_paths(form, 0)),
        *((line, _all_paths(form, 1)) for line in wrap(" " * 12, f"x = {joined}")),
        ("        return x", ()),
    ]


def _all_paths(form: Form, start: int) -> tuple[str, ...]:
    return tuple(use.path for scope in form.scopes for use in scope.uses[start::2])


USUAL = "layer"
NO_TEXTS: Mapping[str, Text] = {}
PortExpressions = Mapping[str, str | list[str]]


def loop_of(
    use: Use, feeds: PortExpressions, target: str, taken: Iterable[str], texts: Mapping[str, Text]
) -> tuple[list[str], str]:
    """Write the heads of the loops of a use, outer ones first, and the statement inside them.

    feeds: port to the text of what feeds it. target: the variable that goes through all layers.
    taken: names that mean something else. texts: what stands for settings of the call.
    """
    heads: list[str] = []
    busy, module = {*taken, "x"}, f"self.{use.owner}"
    first = next(iter(use.wires))
    while use.is_loop:
        name = _variable(module.removeprefix("self."), busy)
        busy.add(name)
        heads.append(f"for {name} in {module}:")
        module = name
        if len(use.settings) > 1:
            use = replace(use, settings=use.settings[:1], inner=use.inner[:1])
        else:
            inner = use.inner[0].uses[0]
            ends = {port: value.node for port, value in inner.wires.items() if type(value) is Value}
            feeds = {port: feeds[end] for port, end in ends.items()}
            use = replace(inner, settings=inner.settings[:1], inner=inner.inner[:1])
            first, texts = next(iter(use.wires)), NO_TEXTS
    return heads, f"{target} = {_call(use, {**feeds, first: target}, module, texts)}"


def _call(use: Use, feeds: PortExpressions, module: str, texts: Mapping[str, Text]) -> str:
    if use.block is None:
        return f"{module}({', '.join(str(text) for text in feeds.values())})"
    return express(use.block, use.settings[0], feeds, module, texts)


def _variable(holder: str, taken: set[str]) -> str:
    """The loop variable: `block` for `blocks`, `layer` if the name has no such singular."""
    stem = holder.rstrip("0123456789_")
    name = stem[:-1] if stem.endswith("s") and len(stem) > 3 else USUAL
    name = USUAL if check_id(name) else name
    while name in taken:
        name += "_"
    return name
