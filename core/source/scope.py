"""A drawing made concrete: every setting known, every use of a composite spelled out.

The analysis makes scopes; the writer turns them into classes.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from blocks import Block, Signature
from core.graph.names import default_base

SEQUENTIAL = frozenset({"append", "extend", "insert", "pop"})
"""Methods of nn.Sequential: a layer of that name would hide one."""


Line = tuple[str, tuple[str, ...]]
"""One line of source and the paths of the nodes it belongs to."""


class Value(NamedTuple):
    """One value inside a scope."""

    node: str
    port: str = "output"


Wires = Mapping[str, Value | tuple[Value, ...]]


def values_of(sources: Wires) -> Iterator[Value]:
    """All values that feed a use, those of lists one by one."""
    for source in sources.values():
        if isinstance(source, Value):
            yield source
        else:
            yield from source


@dataclass(frozen=True)
class Use:
    """One node with all that its statements need.

    block: its declaration, None for a composite. settings: one mapping per repetition.
    wires: port to the value that feeds it, a tuple of values for a list port.
    outputs: signatures by output port, after the last repetition.
    owner: the node whose module is called, the node itself unless weights are shared.
    inner: for a composite, one scope per repetition. raw: the settings as they stand in the file,
    with expressions. unused: forward does not call it.
    """

    id: str
    name: str
    block: Block | None
    settings: tuple[Mapping[str, Any], ...]
    wires: Wires
    outputs: Mapping[str, Signature]
    owner: str
    inner: tuple["Scope", ...] = ()
    path: str = ""
    raw: Mapping[str, Any] = field(default_factory=lambda: {})
    unused: bool = False

    @property
    def is_module(self) -> bool:
        """Whether it is an attribute with a constructor of its own."""
        return self.owner == self.id and (self.block is None or bool(self.block.init))

    @property
    def is_loop(self) -> bool:
        """Whether layers follow each other in it that all take more than what goes through them:
        an nn.ModuleList, and a loop in the forward."""
        again = len(self.settings) > 1 and len(self.wires) > 1
        return again or any(scope.is_loop for scope in self.inner)


@dataclass(frozen=True)
class Scope:
    """A graph with its inputs bound: what one class of the source comes from.

    setting_values: of the composite's own settings. inputs: (id, signature) of its Input nodes.
    results: (Output id, value) in file order. defaults: what the composite's settings are unless
    a use says otherwise. static: sizes that inputs of the network have to have, None for any.
    """

    name: str
    setting_values: Mapping[str, Any]
    inputs: tuple[tuple[str, Signature], ...]
    uses: tuple[Use, ...]
    results: tuple[tuple[str, Value], ...]
    defaults: Mapping[str, Any] = field(default_factory=lambda: {})
    static: Mapping[str, tuple[int | None, ...]] = field(default_factory=lambda: {})

    @property
    def is_unused(self) -> bool:
        """Whether forward calls nothing of it: a class without a forward."""
        ends = self.inputs or self.results
        return bool(self.uses) and not ends and all(use.unused for use in self.uses)

    @property
    def is_chain(self) -> bool:
        """Whether it is a chain of layers with the ids NAME_0, NAME_1, ...: an nn.Sequential.

        The numbers are the layers' keys in it; a layer that repeats takes as many of them.
        """
        if self.is_unused:
            return all(_is_at(use, index) for index, use in enumerate(self.uses))
        if not self.uses or len(self.inputs) != 1 or len(self.results) != 1:
            return False
        index, last = 0, Value(self.inputs[0][0])
        for use in self.uses:
            numbered = use.id.rpartition("_")[2] == str(index) and use.owner == use.id
            plain = use.is_module and (use.block is None or not use.block.forward)
            plain = plain and len(use.outputs) == 1
            if not (numbered and plain and list(use.wires.values()) == [last]):
                return False
            index, last = index + len(use.settings), Value(use.id, next(iter(use.outputs)))
        return self.results[0][1] == last

    @property
    def is_loop(self) -> bool:
        """Whether it is a chain of numbered layers that all take the same further inputs."""
        if not self.name or not self.uses or len(self.inputs) < 2 or len(self.results) != 1:
            return False
        first = self.uses[0]
        if len(first.wires) < 2 or any(scope.is_loop for use in self.uses for scope in use.inner):
            return False
        (port, last), *further = first.wires.items()
        outside = [Value(name) for name, _ in self.inputs]
        if last != outside[0] or any(source not in outside for _, source in further):
            return False
        index = 0
        for use in self.uses:
            sources = list(use.wires.items())
            if sources != [(port, last), *further] or not _is_numbered(use, index):
                return False
            index, last = index + len(use.settings), Value(use.id, next(iter(use.outputs)))
        return self.results[0][1] == last

    @property
    def is_named_chain(self) -> bool:
        """Whether it is a chain of layers with names of their own: an nn.Sequential, too."""
        if not self.uses or len(self.inputs) != 1 or len(self.results) != 1:
            return False
        last = Value(self.inputs[0][0])
        for use in self.uses:
            if not _is_layer(use) or list(use.wires.values()) != [last]:
                return False
            last = Value(use.id, next(iter(use.outputs)))
        return self.results[0][1] == last


def _is_at(use: Use, number: int) -> bool:
    """Whether a use is a layer with this number in its id."""
    return use.is_module and use.id.rpartition("_")[2] == str(number)


def _is_numbered(use: Use, number: int) -> bool:
    """Whether a use is a layer without a name of its own, block_0 or encoder_0, with one result."""
    stem, _, index = use.id.rpartition("_")
    if index != str(number) or not use.is_module or len(use.outputs) != 1:
        return False
    if use.block is None:
        return stem == "block"
    if use.block.forward or len(use.block.outputs) > 1 or use.block.code:
        return False
    has_call_setting = any(
        setting.call and setting.name in use.raw for setting in use.block.settings
    )
    return stem == default_base(use.block.name, use.block.family) and not has_call_setting


def _is_layer(use: Use) -> bool:
    """Whether a use is a call of its own layer with one tensor, and nothing more."""
    if not use.is_module or len(use.outputs) != 1 or use.id in SEQUENTIAL:
        return False
    return use.block is None or not (
        use.block.forward or any(setting.call for setting in use.block.settings)
    )
