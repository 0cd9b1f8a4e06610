"""What works in place: it writes over values that other blocks, or learning, may still need."""

from collections.abc import Iterator

from blocks import Fix, Problem
from core.analyse.calls import statement
from core.analyse.frame import Frame
from core.analyse.gradients import Link, learns
from core.analyse.wires import signatures
from core.recent import Recent
from core.source.scope import Scope, Use, Value, values_of

VIEWS = frozenset(
    """flatten Flatten Unflatten unflatten reshape view permute transpose movedim squeeze unsqueeze
    select narrow getitem expand Identity chunk split unbind detach""".split()
)
"""Blocks that may give the very numbers they received, in another shape."""
_known: Recent[tuple[int, ...], tuple[list[Use], bool]] = Recent(10_000)
"""What rows came to, by the uses, which the entry keeps alive."""
OFF = Fix("Set inplace to false", ({"op": "set", "settings": {"inplace": False}},))


def in_place(frame: Frame, scope: Scope) -> None:
    """Warn of blocks of one graph that work in place on what is still needed."""
    if not any(use.settings[0].get("inplace") is True for use in scope.uses):
        return
    made, readers = {use.id: use for use in scope.uses}, _readers(scope)
    inputs = {name for name, _ in scope.inputs} if frame.bound is None else set[str]()
    for use in scope.uses:
        if use.block is None or use.settings[0].get("inplace") is not True:
            continue
        row = list(_row(use, made))
        first = next(iter(row[-1].wires.values()))
        source = row[-1] if row[-1] is not use and row[-1].block else None
        if isinstance(first, Value) and first.node in inputs and _passes(row):
            problem = _of_the_data(first.node)
        elif shared := next((v for v in _values(row) if len(readers[v]) > 1), None):
            mine = {part.id for part in row}
            problem = _of_others(shared.node, [n for n in readers[shared] if n and n not in mine])
        elif source and not _learns(frame, row):
            problem = _of_learning(source.id)
        else:
            continue
        frame.warn(use.id, [problem])


def _row(use: Use, made: dict[str, Use]) -> Iterator[Use]:
    """A use, then what feeds it, back to the first that makes numbers of its own."""
    yield use
    wire = next(iter(use.wires.values()))
    before = made.get(wire.node) if isinstance(wire, Value) else None
    while before is not None:
        yield before
        if before.name not in VIEWS:
            return
        wire = next(iter(before.wires.values()), None)
        before = made.get(wire.node) if isinstance(wire, Value) else None


def _learns(frame: Frame, row: list[Use]) -> bool:
    """Whether gradients come back through a row. Uses that stayed the same are not asked again."""
    key = tuple(map(id, row))
    known = _known.get(key) or _known.put(key, (row, learns(tuple(_links(frame, row)))))
    return known[1]


def _values(row: list[Use]) -> Iterator[Value]:
    """What the first of a row writes over: what it receives, also through views."""
    for use in row[:1] + [use for use in row[1:] if use.name in VIEWS]:
        wire = next(iter(use.wires.values()), None)
        if isinstance(wire, Value):
            yield wire


def _readers(scope: Scope) -> dict[Value, list[str]]:
    """Who reads a value: ids of uses, "" for the result of the graph."""
    found: dict[Value, list[str]] = {}
    for use in scope.uses:
        for value in values_of(use.wires):
            found.setdefault(value, []).append(use.id)
    for _, value in scope.results:
        found.setdefault(value, []).append("")
    return found


def _passes(row: list[Use]) -> bool:
    """Whether all before the first hand on what they received."""
    return all(use.name in VIEWS for use in row[1:])


def _links(frame: Frame, row: list[Use]) -> Iterator[Link]:
    """The same in the order of execution, as statements."""
    outs = [next(iter(row[0].outputs)), *(value.port for value in _values(row))]
    for place in range(len(row) - 1, -1, -1):
        use = row[place]
        if use.block is None:
            return
        wires = signatures(frame, dict(use.wires))
        port = "" if place == len(row) - 1 else next(iter(use.wires))
        text = statement(use.block, use.settings[-1], wires)
        yield text, tuple(wires.items()), port, outs[place]


def _of_the_data(name: str) -> Problem:
    return Problem(
        "in_place",
        f"works in place on {name}, the data that comes in: each pass changes the data itself.",
        "Switch inplace off; it only saves memory.",
        (OFF,),
    )


def _of_others(source: str, others: list[str]) -> Problem:
    who = " and ".join(others[:3]) or "the result"
    return Problem(
        "in_place",
        f"works in place on what {source} gives, which {who} needs too: "
        "that one may get the changed values.",
        "Switch inplace off; it only saves memory.",
        (OFF,),
    )


def _of_learning(source: str) -> Problem:
    return Problem(
        "in_place",
        f"works in place on what {source} gives, which {source} needs again to learn: "
        "training would stop there.",
        "Switch inplace off; it only saves memory.",
        (OFF,),
    )
