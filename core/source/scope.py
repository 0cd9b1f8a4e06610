"""A drawing made concrete: every setting known, every use of a composite spelled out.

The analysis makes scopes; the writer turns them into classes.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from blocks import Block, Signature


class Value(NamedTuple):
    """One value inside a scope."""

    node: str
    port: str = "output"


@dataclass(frozen=True, eq=False)
class Use:
    """One node with all that its statements need. Compared by identity: the same, said once.

    block: its declaration, None for a composite. settings: one mapping per repetition.
    wires: port to the value that feeds it, a tuple of values for a list port.
    outputs: signatures by output port, after the last repetition.
    owner: the node whose module is called, the node itself unless weights are shared.
    inner: for a composite, one scope per repetition. raw: the settings as they stand in the file,
    with expressions.
    """

    id: str
    name: str
    block: Block | None
    settings: tuple[Mapping[str, Any], ...]
    wires: Mapping[str, Value | tuple[Value, ...]]
    outputs: Mapping[str, Signature]
    owner: str
    inner: tuple["Scope", ...] = ()
    path: str = ""
    raw: Mapping[str, Any] = field(default_factory=lambda: {})

    @property
    def is_module(self) -> bool:
        """Whether it is an attribute with a constructor of its own."""
        return self.owner == self.id and (self.block is None or bool(self.block.init))

    @cached_property
    def reads(self) -> tuple[Value, ...]:
        """All values on its wires, port by port."""
        return tuple(
            value
            for wire in self.wires.values()
            for value in ((wire,) if isinstance(wire, Value) else wire)
        )

    @cached_property
    def gives(self) -> Mapping[str, Value]:
        """Its values, by output port."""
        return {port: Value(self.id, port) for port in self.outputs}


@dataclass(frozen=True, eq=False)
class Scope:
    """A graph with its inputs bound: what one class of the source comes from.

    given: the values of the composite's own settings. inputs: (id, signature) of its Input nodes.
    results: (Output id, value) in file order. defaults: what the composite's settings are unless
    a use says otherwise.
    """

    name: str
    given: Mapping[str, Any]
    inputs: tuple[tuple[str, Signature], ...]
    uses: tuple[Use, ...]
    results: tuple[tuple[str, Value], ...]
    defaults: Mapping[str, Any] = field(default_factory=lambda: {})

    @property
    def is_chain(self) -> bool:
        """Whether it is a chain of layers with the ids NAME_0, NAME_1, ...: an nn.Sequential.

        The numbers are the layers' keys in it; a layer that repeats takes as many of them.
        """
        if not self.uses or len(self.inputs) != 1 or len(self.results) != 1:
            return False
        index, last = 0, Value(self.inputs[0][0])
        for use in self.uses:
            numbered = use.id.rpartition("_")[2] == str(index) and use.owner == use.id
            plain = use.is_module and (use.block is None or not use.block.forward)
            if not (numbered and plain and list(use.wires.values()) == [last]):
                return False
            index, last = index + len(use.settings), Value(use.id, next(iter(use.outputs)))
        return self.results[0][1] == last
