"""Modules that cannot be drawn as one: called twice for different things, or used from outside.

A composite owns its weights, and each of its uses does the same. A module for which that does not
hold is dissolved into the one around it, where its layers stand side by side.
"""

from collections.abc import Iterator
from typing import Any

from core.importing.steps import Scope, Step


def dissolve_shared(root: Scope) -> None:
    """Dissolve scopes until every call of one does the same, and nobody else uses its layers."""
    while paths := {*_differing(root), *_used_outside(root)}:
        _dissolve(root, paths)


def _differing(root: Scope) -> Iterator[str]:
    """Paths of scopes whose calls consist of different steps."""
    bodies: dict[str, Any] = {}
    for scope in root.scopes():
        if bodies.setdefault(scope.path, _body(scope)) != _body(scope):
            yield scope.path


def _body(scope: Scope) -> Any:
    return tuple(
        (item.path, item.name) if isinstance(item, Step) else (item.path, _body(item))
        for item in scope.items
    )


def _used_outside(root: Scope) -> Iterator[str]:
    """Paths of scopes that own a layer which is called inside and outside of them."""
    around: dict[str, set[str]] = {}
    owners: dict[str, set[str]] = {}
    for layer, inside in _layers(root, ()):
        mine = {path for path in inside if path and layer.startswith(f"{path}.")}
        owners[layer] = owners.get(layer, set()) | mine
        around[layer] = around.get(layer, mine) & mine
    for layer, paths in owners.items():
        yield from paths - around[layer]


def _layers(scope: Scope, inside: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Every call of a layer with weights: its path, and those of the scopes around it."""
    here = (*inside, scope.path)
    for item in scope.items:
        if isinstance(item, Scope):
            yield from _layers(item, here)
        elif item.module is not None and any(True for _ in item.module.parameters()):
            yield item.path, here


def _dissolve(scope: Scope, paths: set[str]) -> None:
    items: list[Step | Scope] = []
    for item in scope.items:
        if isinstance(item, Scope):
            _dissolve(item, paths)
        items += item.items if isinstance(item, Scope) and item.path in paths else [item]
    scope.items = items
