"""From the uses of a composite to one class: what differs becomes an argument of its constructor.

Uses that differ in more than values (another expression or inner class) become another class.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from core.source.scope import Scope, Use
from core.source.statement import Argument, arguments, built, template

Key = tuple[str, int, str]
"""A place where a literal stands: (use id, repetition, argument name)."""


@dataclass(frozen=True)
class Form:
    """One class to write. holes: places filled by a parameter. scopes: all instances.

    Parameters come with their values per instance.
    """

    class_name: str
    scopes: tuple[Scope, ...]
    parameters: Mapping[str, tuple[Any, ...]] = field(default_factory=lambda: {})
    holes: Mapping[Key, str] = field(default_factory=lambda: {})

    @property
    def scope(self) -> Scope:
        return self.scopes[0]


Made = dict[int, tuple[str, dict[str, Any]]]
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
                values = {p: vector[i] for p, vector in form.parameters.items()}
                made[id(scope)] = (form.class_name, values)
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
    return tuple(Argument(k, v) for k, v in made[id(use.inner[index])][1].items())


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
    parameters: dict[str, tuple[Any, ...]] = {}
    holes: dict[Key, str] = {}
    ids = {use.id for use in scopes[0].uses} | {name for name, _ in scopes[0].inputs}
    for key, vector in _vectors(scopes, made):
        if all(_same(v, vector[0]) for v in vector):
            continue
        name = _parameter(key, vector, scopes, parameters, ids)
        parameters[name] = vector
        holes[key] = name
    return Form(class_name, scopes, parameters, holes)


def _vectors(scopes: tuple[Scope, ...], made: Made) -> Iterator[tuple[Key, tuple[Any, ...]]]:
    for i, use in enumerate(scopes[0].uses):
        for index in range(len(use.settings)):
            columns = [use_arguments(scope.uses[i], made, index) for scope in scopes]
            for row in zip(*columns, strict=True):
                yield (use.id, index, row[0].name), tuple(a.value for a in row)


def _same(a: Any, b: Any) -> bool:
    return type(a) is type(b) and a == b


def _parameter(
    key: Key, vector: tuple[Any, ...], scopes: tuple[Scope, ...],
    parameters: Mapping[str, tuple[Any, ...]], ids: set[str],
) -> str:  # fmt: skip
    def equal(other: tuple[Any, ...]) -> bool:
        return all(_same(a, b) for a, b in zip(vector, other, strict=True))

    for name, values in parameters.items():
        if equal(values):
            return name
    settings = {n: tuple(s.given.get(n) for s in scopes) for n in scopes[0].given}
    last = key[2].rpartition(":")[2]
    wanted = next((n for n, values in settings.items() if equal(values)), last)
    free: Callable[[str], bool] = lambda n: n not in ids and n not in parameters  # noqa: E731
    candidates = [wanted, f"{key[0]}_{last}", *(f"{wanted}_{i}" for i in range(2, 1000))]
    return next(n for n in candidates if free(n))
