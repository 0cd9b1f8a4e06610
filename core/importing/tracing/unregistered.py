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


PLACES = (
    (list, "list", "nn.ModuleList"),
    (tuple, "tuple", "nn.ModuleList"),
    (Mapping, "dictionary", "nn.ModuleDict"),
)
"""Where torch does not look for layers, and what it does look into."""


def hidden_layers(module: nn.Module) -> tuple[str, ...]:
    """One sentence for each plain list, tuple or dictionary of layers, and for each plain tensor
    that is meant to learn: torch neither trains nor saves them."""
    known = {id(part) for part in module.modules()}
    learned = {id(p) for p in module.parameters()}
    sentences: list[str] = []
    for path, part in module.named_modules():
        for name, value in vars(part).items():
            if name in OF_EVERY_MODULE:
                continue
            label = f"{path}.{name}" if path else name
            if isinstance(value, Tensor) and value.requires_grad and value.is_leaf:
                if id(value) not in learned:
                    sentences.append(
                        f"{label} is a plain tensor, which torch neither trains nor saves: make it "
                        "an nn.Parameter"
                    )
                continue
            for kind, word, wanted in PLACES:
                if isinstance(value, kind) and _has_layers(value, known):
                    sentences.append(
                        f"{label} holds layers in a plain {word}, whose weights torch neither "
                        f"trains nor saves: make it an {wanted}"
                    )
    return tuple(sentences)


def _has_layers(value: Any, known: set[int]) -> bool:
    if isinstance(value, nn.Module):
        return id(value) not in known
    items = value.values() if isinstance(value, Mapping) else value
    nested = items if isinstance(value, Mapping | list | tuple) else ()
    return any(_has_layers(item, known) for item in nested)  # pyright: ignore
