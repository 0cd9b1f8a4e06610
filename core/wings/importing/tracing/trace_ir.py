"""The trace of a model: steps (calls of layers and torch functions) in scopes (calls of modules).

A step corresponds to a node of torch.fx, a scope to the module call around it.
"""

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from torch import nn

from core.wings.importing.tracing.symint import Expression, Size

SIZED_BY_VALUES = {"nonzero", "argwhere", "masked_select", "unique", "unique_consecutive"}
"""Functions whose results are as large as the values say."""


class Ref(NamedTuple):
    """A tensor of the trace by its number (torch.fx's Node as an argument)."""

    value: int


@dataclass
class Step:
    """One call. path: of the layer called, "" for a function. name: torch's name of the function.

    args, kwargs: as passed, with tensors replaced by Ref. outputs: (path in the result, value).
    place: source location in the user's model, for people. joined: replaces the arguments of a cat.
    matched: the node it becomes, once known. variables: the user's names of its results.
    needs_layout: whether it depends on the memory format of its input.
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
    def label(self) -> str:
        """Its name for people: a layer by path, a function with its source location."""
        return self.path or f"{self.name.strip('_')} in {self.place}"

    @property
    def reads(self) -> list[int]:
        """Values it reads, in order."""
        arguments = list(values_in((self.args, dict(self.kwargs))))
        wired = self.matched.wires.values() if self.matched else ()
        return [*arguments, *(v for v in wired if v not in arguments)]

    @property
    def is_size(self) -> bool:
        """Whether it is written inline in the source: a size, an arithmetic expression, a
        parameter."""
        return self.name in ("size", "calculate", "attribute")

    def sizes_read(self) -> list[int]:
        """Values whose sizes occur in its arguments."""
        return list(sized_values_in((self.args, dict(self.kwargs))))

    def is_size_independent(self, apart: Container[int]) -> bool:
        """Whether the shapes of its results depend on no input; apart: the values known to be
        so."""
        inputs = (*self.reads, *self.sizes_read())
        return self.name not in SIZED_BY_VALUES and all(value in apart for value in inputs)

    @property
    def makes(self) -> list[int]:
        """Values it makes."""
        return [value for _, value in self.outputs]


@dataclass
class TraceScope:
    """One call of a module with layers inside, and the calls it made in turn.

    names: value to the parameter of forward through which it came in.
    """

    path: str
    module: nn.Module | None
    items: list["Step | TraceScope"] = field(default_factory=lambda: [])
    names: dict[int, str] = field(default_factory=lambda: {})
    result: Any = None
    place: str = ""

    def steps(self) -> Iterator[Step]:
        """All steps, inner ones included, in execution order."""
        for item in self.items:
            if isinstance(item, Step):
                yield item
            else:
                yield from item.steps()

    def scopes(self) -> Iterator["TraceScope"]:
        """All inner scopes, outer ones first."""
        for item in self.items:
            if isinstance(item, TraceScope):
                yield item
                yield from item.scopes()


@dataclass
class Trace:
    """A whole run. attributes: value to the path of its parameter or buffer.

    burned: reads of tensors as plain numbers, for people. tensors: the model's parameters and
    buffers by path. constant_tensors: the tensors behind `constants`. decisions: data-dependent
    control flow. sizes: the user's variable names for sizes, by module path. foreign_rng: whether
    random numbers came from outside torch. undrawn: results without a tensor, for people.
    comparisons: guards on sizes, as `symint.GUARDS` has them. valueless: whether it ran on the meta
    device. signature: for comparison with other traces.
    """

    root: TraceScope
    inputs: list[int]
    shapes: dict[int, tuple[int, ...]]
    attributes: Mapping[int, str]
    constants: Mapping[int, str]
    guards: list[str]
    burned: list[str]
    batch: int = 0
    tensors: Mapping[str, Any] = field(default_factory=lambda: {})
    constant_tensors: Mapping[int, Any] = field(default_factory=lambda: {})
    decisions: Any = None
    sizes: Mapping[tuple[str, Expression], str] = field(default_factory=lambda: {})
    foreign_rng: bool = False
    undrawn: Sequence[str] = ()
    comparisons: list[Any] = field(default_factory=lambda: [])
    valueless: bool = False
    signature: Any = None

    def is_batch(self, number: Any) -> bool:
        """Whether an argument is a symbolic size that grows with the batch."""
        return isinstance(number, Size) and self.is_batch_size(number)

    def is_batch_size(self, number: int) -> bool:
        """Whether a size is a multiple of the batch size, a prime chosen so that few others are."""
        return number > 0 and number % self.batch == 0


def value_labels(
    root: TraceScope, attributes: Mapping[int, str], constants: Mapping[int, str]
) -> dict[int, str]:
    """A label for people for each value: an input, the layer or function that made it, a weight."""
    made = {value: step.label for step in root.steps() for value in step.makes}
    inputs = {value: f"the input {name}" for value, name in root.names.items()}
    fixed = {value: f"a constant in {location}" for value, location in constants.items()}
    return {**attributes, **fixed, **made, **inputs}


def values_in(nested: Any) -> Iterator[int]:
    """Numbers of all tensors in a nested argument."""
    if isinstance(nested, Ref):
        yield nested.value
    elif isinstance(nested, Mapping):
        for item in nested.values():
            yield from values_in(item)
    elif isinstance(nested, (tuple, list)):
        for item in nested:
            yield from values_in(item)
    elif isinstance(nested, slice):
        yield from values_in((nested.start, nested.stop, nested.step))


def sized_values_in(nested: Any) -> Iterator[int]:
    """Numbers of the tensors whose sizes occur in a nested argument."""
    if isinstance(nested, Size):
        yield from _leaves(nested.expression)
    elif isinstance(nested, Mapping):
        for item in nested.values():
            yield from sized_values_in(item)
    elif isinstance(nested, (tuple, list)):
        for item in nested:
            yield from sized_values_in(item)
    elif isinstance(nested, slice):
        yield from sized_values_in((nested.start, nested.stop, nested.step))


def _leaves(expression: Any) -> Iterator[int]:
    if expression[0] == "size":
        yield expression[1]
    elif expression[0] != "int":
        yield from _leaves(expression[1])
        yield from _leaves(expression[2])
