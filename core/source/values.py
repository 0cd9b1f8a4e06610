"""Variable names inside a forward: `x` for what only the next line uses, else the node's id.

Where a node is called x itself, what only the next line uses is `h`.
"""

from collections.abc import Mapping, Set

from core.graph.names import check_id
from core.source.inline import Inline
from core.source.scope import Scope, Use, Value, values_of

USUAL, OTHER = "x", "h"
"""Names of what only the next line uses; the second where a node has the first."""

Readers = Mapping[Value, set[int]]
"""The numbers of the lines that read a value."""


def name_values(scope: Scope, inline: Inline, in_place: dict[str, str]) -> dict[Value, str]:
    """Name every value that is used, and the first output of every node.

    in_place: uses that write into the tensor of another, which keeps its name.
    """
    lines = [i for i in range(len(scope.uses)) if i not in inline.readers]
    after = dict(zip(lines, [*lines[1:], len(scope.uses)], strict=True)) if lines else {}
    readers = _readers(scope, inline)
    names: dict[Value, str] = {Value(name): name for name, _ in scope.inputs}
    taken = {use.id for use in scope.uses} | set(names.values())
    # what every round of a loop reads must be no `x`, which is another in each
    every_round = {v for use in scope.uses if use.is_loop for v in [*values_of(use.wires)][1:]}
    usual = passing_name(taken)
    for index, use in enumerate(scope.uses):
        if use.id in in_place:
            names[Value(use.id)] = names[Value(in_place[use.id])]
            continue
        ports = [port for port in use.outputs if Value(use.id, port) in readers]
        alone = len(ports) == 1 and readers[Value(use.id, ports[0])] == {after.get(index, -1)}
        alone = alone and not use.outputs[ports[0]].is_size
        alone = alone and Value(use.id, ports[0]) not in every_round
        # what is written into in a second statement must not hide an `x` that statement reads
        alone = alone and not (use.block and use.block.after) and use.id not in in_place.values()
        if alone and not (index + 1 == len(scope.uses) and len(scope.results) > 1):
            names[Value(use.id, ports[0])] = usual
            continue
        busy = {name for value, name in names.items() if max(readers.get(value, {0})) > index}
        if parts := _parts(use, index, scope, readers, busy | {usual}):
            names |= parts
            taken |= set(parts.values())
            continue
        for port in ports or list(use.outputs)[:1]:
            name = use.id if port == next(iter(use.outputs)) else f"{use.id}_{port.split('.')[-1]}"
            while name != use.id and name in taken | {usual}:
                name += "_"
            taken.add(name)
            names[Value(use.id, port)] = name
    return names


def passing_name(taken: Set[str]) -> str:
    """Name what goes from a line to the next: x, or h, h_, ... where nodes have those names."""
    name = OTHER if USUAL in taken else USUAL
    while name in taken:
        name += "_"
    return name


def _readers(scope: Scope, inline: Inline) -> dict[Value, set[int]]:
    readers: dict[Value, set[int]] = {}
    for index, use in enumerate(scope.uses):
        for value in values_of(use.wires):
            readers.setdefault(value, set()).update(inline.ends(index))
    for _, value in scope.results:
        readers.setdefault(value, set()).add(len(scope.uses))
    return readers


def _parts(
    use: Use, index: int, scope: Scope, readers: Readers, busy: Set[str]
) -> dict[Value, str]:
    """The names q, k and v of the values of a function called q_k_v; none if called otherwise.

    A part may be the name of a later node, if nobody reads the part any more from there on.
    busy: names of values that are still read later, as pool of a node pool_k at a node pool_q,
    and the name of what goes from line to line.
    """
    if use.block is None or use.block.init:
        return {}
    parts = use.id.split("__" if "__" in use.id else "_")
    if not 1 < len(parts) == len(set(parts)) == len(use.outputs) or any(map(check_id, parts)):
        return {}
    values = [Value(use.id, port) for port in use.outputs]
    made = {name: -1 for name, _ in scope.inputs} | {u.id: i for i, u in enumerate(scope.uses)}
    for name, value in zip(parts, values, strict=True):
        last = max(readers.get(value, {index}))
        if name in busy or (name in made and not index < last <= made[name]):
            return {}
    named = zip(values, parts, strict=True)
    return {value: name for value, name in named if value in readers}
