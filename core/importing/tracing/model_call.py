"""How a model is called: with inputs by name, further arguments, the batch where it has it.

The drawing has the batch in front; a model that has it elsewhere is called with turned inputs.
"""

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from torch import Tensor, nn

from core.errors import ImportRefused
from core.importing.tracing.outputs import by_name
from core.project.inputs import Input


@dataclass(frozen=True)
class Given:
    """What is said of a model's inputs. inputs: none to find them by trying. batch_dim: where the
    original has the batch; None for in front, unless trying shows otherwise."""

    inputs: tuple[Input, ...] = ()
    arguments: Mapping[str, Any] = field(default_factory=lambda: {})
    batch_dim: int | None = None

    @property
    def call(self) -> "Call | None":
        """How to call the model, None for its inputs in order."""
        names = tuple(one.name for one in self.inputs)
        special = any(names) or self.arguments or self.batch_dim
        return Call(names, self.arguments, self.batch_dim or 0) if special else None


@dataclass(frozen=True)
class Call:
    """A way to call a model with a batch of its inputs: run(model, *batch)."""

    names: tuple[str, ...]
    arguments: Mapping[str, Any] = field(default_factory=lambda: {})
    batch_dim: int = 0
    turned: dict[tuple[Any, ...], bool] = field(default_factory=lambda: {}, compare=False)
    """Which results have the batch elsewhere: told by a batch that no other size is equal to."""

    def __call__(self, model: nn.Module, *batch: Tensor) -> Any:
        """Call it; the batch comes in front in what it gives, too."""
        size = int(batch[0].shape[0]) if batch else 0
        args, named = self.bound([self._turned(tensor) for tensor in batch])
        result = model(*args, **named)
        return self._back(by_name(result), size) if self.batch_dim else result

    def bound(self, values: Sequence[Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The values as arguments of forward."""
        args = tuple(v for name, v in zip(self.names, values, strict=True) if not name)
        named: dict[str, Any] = {}
        for name, value in zip(self.names, values, strict=True):
            *outer, last = name.split(".")
            place = named
            for part in outer:
                place = place.setdefault(part, {})
            if name:
                place[last] = value
        return args, {**self.arguments, **{n: _listed(v) for n, v in named.items()}}

    def _turned(self, tensor: Tensor) -> Tensor:
        last = min(self.batch_dim, tensor.dim() - 1)
        return tensor.transpose(0, last) if last else tensor

    def _back(self, found: Any, size: int, place: tuple[Any, ...] = ()) -> Any:
        if isinstance(found, Mapping):
            return {name: self._back(item, size, (*place, name)) for name, item in found.items()}
        if isinstance(found, (tuple, list)):
            return tuple(self._back(item, size, (*place, i)) for i, item in enumerate(found))
        if not isinstance(found, Tensor) or found.dim() <= self.batch_dim:
            return found
        front, there = int(found.shape[0]), int(found.shape[self.batch_dim])
        if front != there:
            self.turned[place] = there == size
        return self._turned(found) if self.turned.get(place) else found


def _listed(found: Any) -> Any:
    """A dictionary, or a tuple where its keys are numbers."""
    if not isinstance(found, dict):
        return found
    items = {name: _listed(item) for name, item in found.items()}
    return tuple(items.values()) if all(n.isdigit() for n in items) else items


def check_given(module: nn.Module, given: Given, place: str) -> None:
    """Refuse names that forward does not take, in a sentence."""
    parameters = inspect.signature(module.forward).parameters
    if any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        return
    names = [one.name.partition(".")[0] for one in given.inputs if one.name]
    for name in (*names, *given.arguments):
        if name not in parameters:
            raise ImportRefused(
                place, f"has no argument {name}: its forward takes {', '.join(parameters)}.",
                "Name one of them, or none to give the inputs in their order.",
            )  # fmt: skip
