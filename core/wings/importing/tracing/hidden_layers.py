"""Layers and weights that a model uses and torch does not know of: neither trained nor saved."""

from collections import deque
from collections.abc import Iterator, Mapping
from functools import partial
from types import FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple

from torch import Tensor, nn

from core.common.article import an
from core.wings.importing.tracing.outside_values import held_by, reached
from core.wings.importing.tracing.unregistered import OF_EVERY_MODULE

PLACES = (
    (list, "list", "List"),
    (tuple, "tuple", "List"),
    (Mapping, "dictionary", "Dict"),
)
"""Where torch does not look for layers, and the end of the name of what it does look into."""
NEITHER = "torch neither trains nor saves"
ATTRIBUTE = "make each an attribute of the model"
DEEP = 5
"""So far lists and objects in each other are looked into."""


class Registered(NamedTuple):
    """Ids of the layers and of the weights that torch knows of."""

    layers: frozenset[int]
    weights: frozenset[int]


def hidden_layers(module: nn.Module) -> tuple[str, ...]:
    """One sentence for each attribute, and each value outside of the model, that has such."""
    known = Registered(
        frozenset(map(id, module.modules())), frozenset(map(id, module.parameters()))
    )
    sentences = dict[str, None]()
    for path, part in module.named_modules():
        for name, value in vars(part).items():
            label = f"{path}.{name}" if path else name
            if name not in OF_EVERY_MODULE and (words := _of_attribute(value, known)):
                sentences[f"{label} {words}"] = None
    for words, getter in reached(module).items():
        if what := _what(getter(), known):
            sentences[
                f"{words} holds {what} outside of the model, {_which(what)} {NEITHER}: {ATTRIBUTE}"
            ] = None
    return tuple(sentences)


def _of_attribute(value: Any, known: Registered) -> str:
    what = _what(value, known)
    if not what:
        return ""
    if isinstance(value, Tensor):
        return f"is a plain tensor, which {NEITHER}: make it an nn.Parameter"
    if isinstance(value, nn.Module):
        return f"is a layer that is not registered, whose weights {NEITHER}: set it by its name"
    for kind, word, end in PLACES:
        if isinstance(value, kind):
            wanted = f"nn.{'Module' if what == 'layers' else 'Parameter'}{end}"
            return f"holds {what} in a plain {word}, {_which(what)} {NEITHER}: make it an {wanted}"
    return f"holds {what} in {an(type(value).__name__)}, {_which(what)} {NEITHER}: {ATTRIBUTE}"


def _which(what: str) -> str:
    return "whose weights" if what == "layers" else "which"


def _what(value: Any, known: Registered, depth: int = 0) -> str:
    """layers or weights, "" where a value has none that torch does not know of."""
    if isinstance(value, nn.Module):
        own = any(id(p) not in known.weights for p in value.parameters())
        return "layers" if own and id(value) not in known.layers else ""
    if isinstance(value, Tensor):
        learns = value.requires_grad and value.is_leaf and id(value) not in known.weights
        return "weights" if learns else ""
    found = [_what(item, known, depth + 1) for item in _inside(value)] if depth < DEEP else []
    return next((kind for kind in ("layers", "weights") if kind in found), "")


def _inside(value: Any) -> Iterator[Any]:
    if isinstance(value, Mapping):
        yield from value.values()  # pyright: ignore
    elif isinstance(value, list | tuple | set | frozenset | deque):
        yield from value  # pyright: ignore
    elif isinstance(value, partial):
        yield from (value.func, *value.args, *value.keywords.values())
    elif isinstance(value, MethodType):
        yield value.__self__
    elif not isinstance(value, type | ModuleType | FunctionType):
        yield from held_by(value).values()
