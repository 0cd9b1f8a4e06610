"""Tensors that a model keeps as plain attributes: neither parameters nor buffers.

They do not move with the model and are not in its state_dict. A drawing has them as buffers.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from torch import Tensor, nn

MOST_WRITTEN = 16
"""Numbers of the largest of them that is written into the source instead."""
OF_EVERY_MODULE = frozenset(vars(nn.Module()))


def unregistered(module: nn.Module) -> dict[str, Tensor]:
    """Tensors in modules' attributes, or in lists and dictionaries there, by path."""
    known = {id(t) for t in (*module.parameters(), *module.buffers())}
    result: dict[str, Tensor] = {}
    for path, part in module.named_modules():
        for name, value in vars(part).items():
            if name.startswith("_") and name in OF_EVERY_MODULE:
                continue
            for end, tensor in _inside(name, value):
                plain = id(tensor) not in known and not tensor.is_complex()
                if plain and tensor.numel() > MOST_WRITTEN and not isinstance(tensor, nn.Parameter):
                    known.add(id(tensor))
                    result[f"{path}.{end}" if path else end] = tensor
    return result


def _inside(name: str, value: Any) -> Iterator[tuple[str, Tensor]]:
    if isinstance(value, Tensor):
        yield name, value
    elif isinstance(value, list | tuple):
        yield from ((f"{name}.{i}", t) for i, t in enumerate(value) if isinstance(t, Tensor))  # pyright: ignore
    elif isinstance(value, Mapping):
        yield from ((f"{name}.{k}", t) for k, t in value.items() if isinstance(t, Tensor))  # pyright: ignore
