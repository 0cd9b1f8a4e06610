"""What a recorded run consists of: steps (calls of layers and torch functions) in scopes."""

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from torch import nn

from core.importing.tracing.symint import Expression, Size

SIZED_BY_VALUES = {"nonzero", "argwhere", "masked_select", "unique", "unique_consecutive"}
"""Functions whose results are as large as the values say."""


class Ref(NamedTuple):
    """A tensor of the run by its number."""

    value: int


@dataclass
class Step:
    """One call. path: of the layer called, "" for a function. name: torch's name of the function.

    args, kwargs: as given, with tensors replaced by Ref. outputs: (place in the result, value).
    place: where in the user's model, for people. joined: what a join is given instead.
    matched: the node it becomes, once that is known. variables: the user's names of its results.
    needs_layout: whether it would do or give otherwise with values laid out otherwise in memory.
    """

    name: str
    path: str
    module: nn.Module | None
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    place: str
    outputs: list[tuple[tuple[Any, ...], int]] = field(default_factory=lambda: [])
    result: Any = None
    joined: tuple[Any, ...] = ()
    matched: Any = None
    variables: tuple[str, ...] = ()
    needs_layout: bool = True

    @property
    def said(self) -> str:
        """What people call it: a layer by its path, a function with its place."""
        return self.path or f"{self.name.strip('_')} in {self.place}"

    @property
    def reads(self) -> list[int]:
        """Values it reads, in order."""
        given = list(values((self.args, dict(self.kwargs))))
        wired = self.matched.wires.values() if self.matched else ()
        return [*given, *(v for v in wired if v not in given)]

    @property
    def is_size(self) -> bool:
        """Whether it is written where it is used: a size, a calculation, a parameter."""
        return self.name in ("size", "calculate", "attribute")

    def sizes_read(self) -> list[int]:
        """Values whose sizes its arguments were calculated from."""
        return list(size_values((self.args, dict(self.kwargs))))

    def is_apart(self, apart: Container[int]) -> bool:
        """Whether no input has a part in how large its results are; apart: values that are so."""
        given = (*self.reads, *self.sizes_read())
        return self.name not in SIZED_BY_VALUES and all(value in apart for value in given)

    @property
    def makes(self) -> list[int]:
        """Values it makes."""
        return [value for _, value in self.outputs]


@dataclass
class Scope:
    """One call of a module with layers inside, and what it called in turn.

    names: value to the name of the argument of forward that brought it in.
    """

    path: str
    module: nn.Module | None
    items: list["Step | Scope"] = field(default_factory=lambda: [])
    names: dict[int, str] = field(default_factory=lambda: {})
    result: Any = None
    place: str = ""

    def steps(self) -> Iterator[Step]:
        """All steps, inner ones included, in the order of the run."""
        for item in self.items:
            if isinstance(item, Step):
                yield item
            else:
                yield from item.steps()

    def scopes(self) -> Iterator["Scope"]:
        """All inner scopes, outer ones first."""
        for item in self.items:
            if isinstance(item, Scope):
                yield item
                yield from item.scopes()


@dataclass
class Trace:
    """A whole run. attributes: value to the path of the parameter or buffer it is.

    burned: what the run read out of tensors and went on with as plain numbers. tensors: the
    model's parameters and buffers by path. held: the tensors of constants. decisions: what Python
    decided by values. sizes: the user's names of sizes and of what is calculated from them, by the
    path of the module. chance: whether random numbers that are not torch's were drawn.
    undrawn: results that hold no tensor, for people. compared: comparisons of sizes as
    `tracked.GUARDS` has them. valueless: it was run on the meta device. course: what it
    did, for comparison with other runs.
    """

    root: Scope
    inputs: list[int]
    shapes: dict[int, tuple[int, ...]]
    attributes: Mapping[int, str]
    constants: Mapping[int, str]
    guards: list[str]
    burned: list[str]
    batch: int = 0
    tensors: Mapping[str, Any] = field(default_factory=lambda: {})
    held: Mapping[int, Any] = field(default_factory=lambda: {})
    decisions: Any = None
    sizes: Mapping[tuple[str, Expression], str] = field(default_factory=lambda: {})
    chance: bool = False
    undrawn: Sequence[str] = ()
    compared: list[Any] = field(default_factory=lambda: [])
    valueless: bool = False
    course: Any = None

    def is_batch(self, number: Any) -> bool:
        """Whether an argument is a size that grows with the batch."""
        return isinstance(number, Size) and self.is_batch_size(number)

    def is_batch_size(self, number: int) -> bool:
        """Whether a size is a multiple of the batch, which is chosen so that few others are."""
        return number > 0 and number % self.batch == 0


def said_of(
    root: Scope, attributes: Mapping[int, str], constants: Mapping[int, str]
) -> dict[int, str]:
    """What people call each value: an input, the layer or function that made it, a weight."""
    made = {value: step.said for step in root.steps() for value in step.makes}
    inputs = {value: f"the input {name}" for value, name in root.names.items()}
    fixed = {value: f"a constant in {place}" for value, place in constants.items()}
    return {**attributes, **fixed, **made, **inputs}


def values(found: Any) -> Iterator[int]:
    """Numbers of all tensors in a nested argument."""
    if isinstance(found, Ref):
        yield found.value
    elif isinstance(found, Mapping):
        for item in found.values():
            yield from values(item)
    elif isinstance(found, (tuple, list)):
        for item in found:
            yield from values(item)
    elif isinstance(found, slice):
        yield from values((found.start, found.stop, found.step))


def size_values(found: Any) -> Iterator[int]:
    """Numbers of the tensors whose sizes stand in a nested argument."""
    if isinstance(found, Size):
        yield from _leaves(found.expression)
    elif isinstance(found, Mapping):
        for item in found.values():
            yield from size_values(item)
    elif isinstance(found, (tuple, list)):
        for item in found:
            yield from size_values(item)
    elif isinstance(found, slice):
        yield from size_values((found.start, found.stop, found.step))


def _leaves(expression: Any) -> Iterator[int]:
    if expression[0] == "size":
        yield expression[1]
    elif expression[0] != "int":
        yield from _leaves(expression[1])
        yield from _leaves(expression[2])
