"""From the uses of a composite to one class: what differs becomes an argument of its constructor.

Uses that differ in more than values (another expression or inner class) become another class.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from core.source.parameters import Key, Parameters, same
from core.source.scope import Scope, Use
from core.source.statement import Argument, Text, arguments, built, template

BY_POSITION = 3
"""Arguments without a default that are given by position; of more, each is named."""


@dataclass(frozen=True)
class Form:
    """One class to write. holes: places filled by a parameter. scopes: all instances.

    Parameters come with their values per instance; defaults are of those that have one.
    """

    class_name: str
    scopes: tuple[Scope, ...]
    parameters: Mapping[str, tuple[Any, ...]] = field(default_factory=lambda: {})
    holes: Mapping[Key, Text] = field(default_factory=lambda: {})
    defaults: Mapping[str, Any] = field(default_factory=lambda: {})

    @property
    def scope(self) -> Scope:
        return self.scopes[0]

    def given(self, instance: int) -> tuple[Argument, ...]:
        """What an instance is constructed with."""
        few = len(self.parameters) - len(self.defaults) <= BY_POSITION
        return tuple(
            Argument(n, v[instance], few and n not in self.defaults,
                     n in self.defaults and same(v[instance], self.defaults[n]))
            for n, v in self.parameters.items()
        )  # fmt: skip


Made = dict[int, tuple[str, tuple[Argument, ...]]]
"""Scope identity to the class it became and the arguments it passes; inline scopes have none."""


def make_forms(main: Scope, class_name: str) -> tuple[list[Form], Made]:
    """Turn all scopes into classes, inner ones first, the main class last."""
    made: Made = {}
    forms: list[Form] = []
    taken = {class_name}
    inline = inline_chains(main)
    for name, scopes in _by_composite(main):
        if name in inline:
            continue
        groups: dict[Any, list[Scope]] = {}
        for scope in scopes:
            groups.setdefault(_skeleton(scope, made), []).append(scope)
        for group in groups.values():
            form = _unify(_class_name(name, taken), tuple(group), made)
            forms.append(form)
            for i, scope in enumerate(group):
                made[id(scope)] = (form.class_name, form.given(i))
    forms.append(_unify(class_name, (main,), made))
    return forms, made


def inline_chains(main: Scope) -> frozenset[str]:
    """Composites that are plain chains and stand in one place only: nn.Sequential(...) there."""
    places: dict[str, set[tuple[str, str]]] = {}
    chains: dict[str, bool] = {}

    def collect(scope: Scope) -> None:
        for use in scope.uses:
            for inner in use.inner:
                places.setdefault(inner.name, set()).add((scope.name, use.id))
                chains[inner.name] = chains.get(inner.name, True) and inner.is_chain
                collect(inner)

    collect(main)
    return frozenset(name for name, found in places.items() if chains[name] and len(found) == 1)


def _class_name(name: str, taken: set[str]) -> str:
    candidate, number = name[:1].upper() + name[1:], 1
    while candidate in taken:
        number += 1
        candidate = f"{name[:1].upper()}{name[1:]}{number}"
    taken.add(candidate)
    return candidate


def _by_composite(main: Scope) -> list[tuple[str, list[Scope]]]:
    found: dict[str, list[Scope]] = {}

    def collect(scope: Scope) -> None:
        for use in scope.uses:
            for inner in use.inner if use.owner == use.id else ():
                collect(inner)
                found.setdefault(inner.name, []).append(inner)

    collect(main)
    depth: dict[str, int] = {}

    def height(scope: Scope) -> int:
        tall = 1 + max((height(i) for u in scope.uses for i in u.inner), default=0)
        depth[scope.name] = max(depth.get(scope.name, 0), tall)
        return tall

    height(main)
    return sorted(found.items(), key=lambda item: depth[item[0]])


def _skeleton(scope: Scope, made: Made) -> Any:
    return tuple(
        (use.id, tuple(use.wires), _shape_of(use, made)) for use in scope.uses
    )  # fmt: skip


def _shape_of(use: Use, made: Made) -> Any:
    if use.block is None:
        return tuple(
            made[id(inner)][0] if id(inner) in made else _skeleton(inner, made)
            for inner in use.inner if use.owner == use.id
        )  # fmt: skip
    return _templates(use)


@lru_cache(20_000)
def _templates(use: Use) -> Any:
    assert use.block is not None
    return (
        tuple(template(use.block, s, frozenset(use.wires)) for s in use.settings),
        tuple(built(use.block, s) for s in use.settings),
        use.block.after and use.block.after(use.settings[0], frozenset(use.wires)),
        tuple(use.outputs),
    )


def use_arguments(use: Use, made: Made, index: int) -> tuple[Argument, ...]:
    """All arguments of one repetition of a use: the constructor's, then the call's."""
    if use.block is not None:
        return _block_arguments(use, index)
    if use.owner != use.id:
        return ()
    if id(use.inner[index]) not in made:
        return tuple(_inner_arguments(use.inner[index], made))
    return made[id(use.inner[index])][1]


@lru_cache(20_000)
def _block_arguments(use: Use, index: int) -> tuple[Argument, ...]:
    assert use.block is not None
    if not use.block.init:
        return arguments(use.block, use.settings[index], False)
    init = arguments(use.block, use.settings[index], False) if use.is_module else ()
    return (*init, *arguments(use.block, use.settings[index], True))


def _inner_arguments(scope: Scope, made: Made) -> Iterator[Argument]:
    """Arguments of everything in an inline chain, named USE:REPETITION:ARGUMENT."""
    for use in scope.uses:
        for index in range(len(use.settings)):
            for argument in use_arguments(use, made, index):
                yield replace(argument, name=f"{use.id}:{index}:{argument.name}")


def _unify(class_name: str, scopes: tuple[Scope, ...], made: Made) -> Form:
    if len(scopes) == 1:
        return Form(class_name, scopes)  # nothing can differ
    columns = [list(_inline(scope, made)) for scope in scopes]
    inline = list(zip(*columns, strict=True))
    found = Parameters(scopes, inline, list(_vectors(scopes, made)))
    return Form(class_name, scopes, found.ordered(), found.holes, found.defaults)


def _inline(scope: Scope, made: Made) -> Iterator[Scope]:
    """Chains that are written where they stand."""
    for use in scope.uses:
        for inner in use.inner if use.owner == use.id else ():
            if id(inner) not in made:
                yield inner
                yield from _inline(inner, made)


def _vectors(scopes: tuple[Scope, ...], made: Made) -> Iterator[tuple[Key, tuple[Any, ...]]]:
    for i, use in enumerate(scopes[0].uses):
        for index in range(len(use.settings)):
            columns = [use_arguments(scope.uses[i], made, index) for scope in scopes]
            for row in zip(*columns, strict=True):
                yield (use.id, index, row[0].name), tuple(a.value for a in row)
