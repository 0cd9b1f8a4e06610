"""Which expressions of a forward are inlined, and which statements write in place."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from blocks import Block
from core.source.scope import Scope, Use, Value, values_of

LONGEST = 40
"""Characters of a calculation that may stand inside another statement."""


@dataclass
class Inline:
    """Uses without a line of their own, by number, and the numbers of those that read them."""

    readers: Mapping[int, list[int]] = field(default_factory=lambda: {})

    def ends(self, reader: int) -> set[int]:
        """The numbers of the lines in which something that is read at a use really stands."""
        if reader not in self.readers:
            return {reader}
        return {end for r in self.readers[reader] for end in self.ends(r)}


def reads(scope: Scope) -> dict[str, list[int]]:
    """Who reads what a use makes: numbers of uses, the number behind the last for a result."""
    readers: dict[str, list[int]] = {use.id: [] for use in scope.uses}
    for index, use in enumerate(scope.uses):
        for value in values_of(use.wires):
            readers.setdefault(value.node, []).append(index)
    for _, value in scope.results:
        readers.setdefault(value.node, []).append(len(scope.uses))
    return readers


def inlined(scope: Scope) -> Inline:
    """Choose the uses that are written where they are used."""
    readers = reads(scope)
    chosen: dict[int, list[int]] = {}
    for index, use in enumerate(scope.uses):
        mine = readers[use.id]
        if use.block is None or use.block.code or not mine or len(scope.uses) in mine:
            continue
        reader = scope.uses[mine[0]]
        once = len(mine) == 1 and not (reader.block is None or reader.is_loop)
        once = once and _is_integer(use.block)
        named = "stored" in use.block.traits and len(use.settings) == 1
        if named or (once and _is_short(use)):
            chosen[index] = mine
    return Inline(chosen)


def _is_integer(block: Block) -> bool:
    """Whether its value is an integer, which is written where it is used, if that is one place."""
    return all(port.kind == "size" for port in block.outputs)


def _is_short(use: Use) -> bool:
    return len(str(use.settings[0].get("expression", ""))) <= LONGEST


def in_brackets(text: str, use: Use) -> str:
    """Write a calculation so that it may stand inside another."""
    arithmetic = use.block is not None and (
        (_is_integer(use.block) and not use.block.code)
        or use.block.family in ("arithmetic", "comparison")
    )
    return f"({text})" if arithmetic and " " in text else text


def in_place(scope: Scope) -> dict[str, str]:
    """Uses that write into the tensor of another, which nobody else reads: id to that one's id."""
    readers = reads(scope)
    owner_of: dict[str, str] = {}
    made = {use.id: use for use in scope.uses}
    for use in scope.uses:
        if use.block is None or use.block.after is None:
            continue
        source = use.wires.get("input")
        maker = made.get(source.node) if isinstance(source, Value) else None
        if maker is None or maker.block is None or "fresh" not in maker.block.traits:
            continue
        if len(readers[maker.id]) == 1:
            owner_of[use.id] = owner_of.get(maker.id, maker.id)
    return owner_of
