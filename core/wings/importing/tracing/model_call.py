"""How a model is called: inputs by name, further arguments, and the batch dimension.

The drawing is batch-first; a model that is not is called with transposed inputs.
"""

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from torch import Tensor, nn

from core.common.errors import ImportRefused
from core.project.inputs import Input
from core.wings.importing.tracing.outputs import as_containers


@dataclass(frozen=True)
class InputSpec:
    """What the user states of a model's inputs. inputs: empty to search for them. batch_dim: of the
    original; None for 0 unless the search finds otherwise."""

    inputs: tuple[Input, ...] = ()
    arguments: Mapping[str, Any] = field(default_factory=lambda: {})
    batch_dim: int | None = None

    @property
    def call(self) -> "ModelCall | None":
        """How to call the model; None for its inputs in order."""
        names = tuple(one.name for one in self.inputs)
        special = any(names) or self.arguments or self.batch_dim
        return ModelCall(names, self.arguments, self.batch_dim or 0) if special else None


@dataclass(frozen=True)
class ModelCall:
    """A way to call a model with a batch of its inputs: run(model, *batch)."""

    names: tuple[str, ...]
    arguments: Mapping[str, Any] = field(default_factory=lambda: {})
    batch_dim: int = 0
    transposed: dict[tuple[Any, ...], bool] = field(default_factory=lambda: {}, compare=False)
    """Results whose batch is not their first dimension, seen by a batch size of its own."""

    def __call__(self, model: nn.Module, *batch: Tensor) -> Any:
        """Call it; results are batch-first, too."""
        size = int(batch[0].shape[0]) if batch else 0
        args, named = self.bind([self._transpose(tensor) for tensor in batch])
        result = model(*args, **named)
        return self._batch_first(as_containers(result), size) if self.batch_dim else result

    def bind(self, values: Sequence[Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Bind the values to the parameters of forward."""
        args = tuple(v for name, v in zip(self.names, values, strict=True) if not name)
        named: dict[str, Any] = {}
        for name, value in zip(self.names, values, strict=True):
            *outer, last = name.split(".")
            target = named
            for part in outer:
                target = target.setdefault(part, {})
            if name:
                target[last] = value
        return args, {**self.arguments, **{n: _as_tuples(v) for n, v in named.items()}}

    def _transpose(self, tensor: Tensor) -> Tensor:
        last = min(self.batch_dim, tensor.dim() - 1)
        return tensor.transpose(0, last) if last else tensor

    def _batch_first(self, nested: Any, size: int, path: tuple[Any, ...] = ()) -> Any:
        if isinstance(nested, Mapping):
            return {
                name: self._batch_first(item, size, (*path, name)) for name, item in nested.items()
            }
        if isinstance(nested, (tuple, list)):
            return tuple(self._batch_first(item, size, (*path, i)) for i, item in enumerate(nested))
        if not isinstance(nested, Tensor) or nested.dim() <= self.batch_dim:
            return nested
        front, there = int(nested.shape[0]), int(nested.shape[self.batch_dim])
        if front != there:
            self.transposed[path] = there == size
        return self._transpose(nested) if self.transposed.get(path) else nested


def _as_tuples(nested: Any) -> Any:
    """A nested dictionary with those of numeric keys as tuples."""
    if not isinstance(nested, dict):
        return nested
    items = {name: _as_tuples(item) for name, item in nested.items()}
    return tuple(items.values()) if all(n.isdigit() for n in items) else items


def check_argument_names(module: nn.Module, spec: InputSpec, label: str) -> None:
    """Raises ImportRefused for names that forward does not have."""
    parameters = inspect.signature(module.forward).parameters
    if any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        return
    names = [one.name.partition(".")[0] for one in spec.inputs if one.name]
    for name in (*names, *spec.arguments):
        if name not in parameters:
            raise ImportRefused(
                label,
                f"has no argument {name}: its forward takes {', '.join(parameters)}.",
                "Use one of these names, or no names for inputs in order.",
            )
