"""Layers that follow each other and all take more than what goes through them: a loop.

`for layer in self.layers: x = layer(x, mask)`; lists of layers in a list are a loop in a loop.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from core.graph.names import check_id
from core.source.scope import Use, Value
from core.source.statement import Text, express

USUAL = "layer"
NO_TEXTS: Mapping[str, Text] = {}
Given = Mapping[str, str | list[str]]


def loop_of(
    use: Use, given: Given, target: str, taken: Iterable[str], texts: Mapping[str, Text]
) -> tuple[list[str], str]:
    """Write the heads of the loops of a use, outer ones first, and the statement inside them.

    given: port to the text of what feeds it. target: the variable that goes through all layers.
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
            ends = {port: wire.node for port, wire in inner.wires.items() if type(wire) is Value}
            given = {port: given[end] for port, end in ends.items()}
            use = replace(inner, settings=inner.settings[:1], inner=inner.inner[:1])
            first, texts = next(iter(use.wires)), NO_TEXTS
    return heads, f"{target} = {_call(use, {**given, first: target}, module, texts)}"


def _call(use: Use, given: Given, module: str, texts: Mapping[str, Text]) -> str:
    if use.block is None:
        return f"{module}({', '.join(str(text) for text in given.values())})"
    return express(use.block, use.settings[0], given, module, texts)


def _variable(holder: str, taken: set[str]) -> str:
    """What one of several is called: block of blocks, layer where that says nothing."""
    stem = holder.rstrip("0123456789_")
    name = stem[:-1] if stem.endswith("s") and len(stem) > 3 else USUAL
    name = USUAL if check_id(name) else name
    while name in taken:
        name += "_"
    return name
