"""Modules whose calls differ, or whose layers are also used from outside, are inlined.

A composite owns its weights, and each of its uses does the same. A module for which that does not
hold is inlined into its parent, where its layers stand side by side.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from core.wings.importing.tracing.symint import Size
from core.wings.importing.tracing.trace_ir import Ref, Step, TraceScope


def dissolve_shared(root: TraceScope, named: Mapping[int, str]) -> None:
    """Inline scopes until all calls of each do the same, and its layers have no other use.

    named: values that are the same in every call (parameters and buffers), by name.
    """
    while paths := {*_differing(root, named), *_used_outside(root)}:
        _dissolve(root, paths)


def _differing(root: TraceScope, named: Mapping[int, str]) -> Iterator[str]:
    """Paths of scopes whose calls differ."""
    calls = Counter(scope.path for scope in root.scopes())
    bodies: dict[str, Any] = {}
    for scope in root.scopes():
        if calls[scope.path] > 1:
            body = _Body(named).of(scope)
            if bodies.setdefault(scope.path, body) != body:
                yield scope.path


class _Body:
    """The body of one call of a scope: steps with arguments, values numbered in order."""

    def __init__(self, named: Mapping[int, str]) -> None:
        self.named = named
        self.seen: dict[int, int] = {}

    def of(self, scope: TraceScope) -> Any:
        """A comparable form of the body; equal ones do the same."""
        return tuple(self._item(item) for item in scope.items)

    def _item(self, item: Step | TraceScope) -> Any:
        if isinstance(item, TraceScope):
            return item.path, self.of(item)
        given = self._arguments((item.args, dict(item.kwargs)))
        return item.path, item.name, given, tuple(self._value(v) for v in item.makes)

    def _arguments(self, nested: Any) -> Any:
        if isinstance(nested, Ref):
            return self._value(nested.value)
        if isinstance(nested, Size):
            return self._calculated(nested.expression)
        if isinstance(nested, Mapping):
            return tuple((name, self._arguments(item)) for name, item in nested.items())
        if isinstance(nested, tuple | list):
            return tuple(self._arguments(item) for item in nested)
        if isinstance(nested, slice):
            return "slice", self._arguments((nested.start, nested.stop, nested.step))
        return repr(nested)

    def _calculated(self, expression: Any) -> Any:
        kind, *rest = expression
        if kind == "int":
            return expression
        if kind == "size":
            return kind, self._value(rest[0]), rest[1]
        return kind, *(self._calculated(side) for side in rest)

    def _value(self, value: int) -> Any:
        return self.named.get(value) or self.seen.setdefault(value, len(self.seen))


def _used_outside(root: TraceScope) -> Iterator[str]:
    """Paths of scopes that own a layer which is called inside and outside of them."""
    around: dict[str, set[str]] = {}
    owners: dict[str, set[str]] = {}
    for layer, inside in _layers(root, ()):
        mine = {path for path in inside if path and layer.startswith(f"{path}.")}
        owners[layer] = owners.get(layer, set()) | mine
        around[layer] = around.get(layer, mine) & mine
    for layer, paths in owners.items():
        yield from paths - around[layer]


def _layers(scope: TraceScope, inside: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Every call of a layer with weights: its path, and the paths of the scopes around it."""
    here = (*inside, scope.path)
    for item in scope.items:
        if isinstance(item, TraceScope):
            yield from _layers(item, here)
        elif item.module is not None and any(True for _ in item.module.parameters()):
            yield item.path, here


def _dissolve(scope: TraceScope, paths: set[str]) -> None:
    items: list[Step | TraceScope] = []
    for item in scope.items:
        if isinstance(item, TraceScope):
            _dissolve(item, paths)
        items += item.items if isinstance(item, TraceScope) and item.path in paths else [item]
    scope.items = items
