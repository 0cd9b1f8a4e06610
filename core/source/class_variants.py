"""Uses of a composite to classes: what differs between uses becomes an argument of __init__.

Uses that differ in more than values (another expression or inner class) become another class.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from blocks.parametrize import chosen
from core.common.bounded_cache import cached_by_identity
from core.graph.names import CLASSES_TAKEN
from core.source import loops
from core.source.class_variant import Form, Made
from core.source.loops import rolled
from core.source.parameters import Key, Parameters
from core.source.scope import Scope, Use
from core.source.statement import Argument, arguments, built, template


def make_forms(main: Scope, class_name: str, own: Iterable[str] = ()) -> tuple[list[Form], Made]:
    """Turn all scopes into classes, inner ones first, the main class last.

    own: names of the project's own classes, which no other may have.
    """
    made: Made = {}
    forms: list[Form] = []
    taken = {class_name, *own}
    inline = inline_chains(main)
    waiting = [(name, scopes) for name, scopes in _by_composite(main) if name not in inline]
    while waiting:
        name, scopes = waiting.pop(0)
        groups: dict[Any, list[Scope]] = {}
        for scope in scopes:
            groups.setdefault(_skeleton(scope, made), []).append(scope)
        for skeleton, group in groups.items():
            group += _loops_of(waiting, skeleton, made)
            form = _unify(_class_name(name, taken), tuple(group), made)
            forms.append(form)
            for i, scope in enumerate(group):
                made[id(scope)] = (form.class_name, form.arguments_of(i))
    forms.append(_unify(class_name, (main,), made))
    return forms, made


def own_code(scope: Scope) -> dict[str, str]:
    """Classes that stand in the source word for word, by name, in the order of their first use:
    the project's own, and those of parametrizations."""
    code_of: dict[str, str] = {}
    for use in scope.uses:
        if use.block is not None and use.block.code:
            code_of.setdefault(use.block.name, use.block.code)
        if use.block is not None and use.is_module:
            ways = [chosen(use.block, settings) for settings in use.settings]
            code_of |= {way.class_name: way.code for way in ways if way is not None and way.code}
        for inner in use.inner:
            code_of |= {n: code for n, code in own_code(inner).items() if n not in code_of}
    return code_of


def _loops_of(waiting: list[tuple[str, list[Scope]]], skeleton: Any, made: Made) -> list[Scope]:
    """Loops of other composites that are the same but for their numbers: they share a class."""
    if skeleton[:1] != ("loop",):
        return []
    loops_alike: list[Scope] = []
    for _, scopes in waiting:
        loops_alike += [s for s in scopes if _skeleton(s, made) == skeleton]
        scopes[:] = [s for s in scopes if id(s) not in {id(f) for f in loops_alike}]
    return loops_alike


def inline_chains(main: Scope) -> frozenset[str]:
    """Plain chains that are nn.Sequential(...) where they stand: those that stand in one place
    only, and short ones whose name says no more than the attribute that holds them. Those whose
    layers take further inputs are always an nn.ModuleList: its loop is the forward's."""
    used_in: dict[str, set[tuple[str, str]]] = {}
    kinds: dict[str, list[Scope]] = {}

    def collect(scope: Scope) -> None:
        for use in scope.uses:
            for inner in use.inner:
                used_in.setdefault(inner.name, set()).add((scope.name, use.id))
                kinds.setdefault(inner.name, []).append(inner)
                collect(inner)

    collect(main)
    return frozenset(
        name
        for name, uses in used_in.items()
        if all(scope.is_loop for scope in kinds[name])
        or (
            all(scope.is_chain for scope in kinds[name])
            and (len(uses) == 1 or (_is_nameless(name, uses) and all(map(_is_short, kinds[name]))))
        )
    )


SHORT = 4
"""Layers of a chain that may be written out in several places."""


def _is_short(scope: Scope) -> bool:
    return sum(len(use.settings) for use in scope.uses) <= SHORT


def _is_nameless(name: str, used_in: set[tuple[str, str]]) -> bool:
    """Whether a composite is called after the one attribute that holds it, once in each class."""
    ids = {use.replace("_", "").lower() for _, use in used_in}
    return ids == {name.rstrip("0123456789").lower()} and len({s for s, _ in used_in}) == len(
        used_in
    )


def _class_name(name: str, taken: set[str]) -> str:
    candidate, number = name[:1].upper() + name[1:], 1
    while candidate in taken or candidate in CLASSES_TAKEN:
        number += 1
        candidate = f"{name[:1].upper()}{name[1:]}{number}"
    taken.add(candidate)
    return candidate


def _by_composite(main: Scope) -> list[tuple[str, list[Scope]]]:
    scopes_of: dict[str, list[Scope]] = {}

    def collect(scope: Scope) -> None:
        for use in scope.uses:
            for inner in use.inner if use.owner == use.id else ():
                collect(inner)
                scopes_of.setdefault(inner.name, []).append(inner)

    collect(main)
    depth: dict[str, int] = {}

    def height(scope: Scope) -> int:
        tall = 1 + max((height(i) for u in scope.uses for i in u.inner), default=0)
        depth[scope.name] = max(depth.get(scope.name, 0), tall)
        return tall

    height(main)
    return sorted(scopes_of.items(), key=lambda item: depth[item[0]])


def _skeleton(scope: Scope, made: Made) -> Any:
    if (roll := rolled(scope, made)) is not None:
        return "loop", loops.skeleton(roll, made)
    return tuple((use.id, tuple(use.wires), _shape_of(use, made)) for use in scope.uses)


def _shape_of(use: Use, made: Made) -> Any:
    if use.block is None:
        return tuple(
            made[id(inner)][0] if id(inner) in made else _skeleton(inner, made)
            for inner in use.inner
            if use.owner == use.id
        )
    return _statements_of(use)


@cached_by_identity(10_000)
def _statements_of(use: Use) -> Any:
    assert use.block is not None
    return (
        tuple(template(use.block, s, frozenset(use.wires)) for s in use.settings),
        tuple(built(use.block, s) for s in use.settings),
        tuple(chosen(use.block, s) for s in use.settings),
        use.block.after and use.block.after(use.settings[0], frozenset(use.wires)),
        tuple(use.outputs),
    )


def use_arguments(use: Use, made: Made, index: int) -> tuple[Argument, ...]:
    """All arguments of one repetition of a use: the constructor's, then the call's."""
    if use.block is not None:
        return _own_arguments(use, index)
    if use.owner != use.id:
        return ()
    if id(use.inner[index]) not in made:
        return tuple(_inner_arguments(use.inner[index], made))
    return made[id(use.inner[index])][1]


@cached_by_identity(10_000)
def _own_arguments(use: Use, index: int) -> tuple[Argument, ...]:
    assert use.block is not None
    init = arguments(use.block, use.settings[index], False) if use.is_module else ()
    if not use.block.init:
        return arguments(use.block, use.settings[index], False)
    return (*init, *arguments(use.block, use.settings[index], True))


def _inner_arguments(scope: Scope, made: Made) -> Iterator[Argument]:
    """Arguments of everything in an inline chain, named USE:REPETITION:ARGUMENT."""
    for use in scope.uses:
        for index in range(len(use.settings)):
            for argument in use_arguments(use, made, index):
                yield replace(argument, name=f"{use.id}:{index}:{argument.name}")


def _unify(class_name: str, scopes: tuple[Scope, ...], made: Made) -> Form:
    if len(scopes) == 1:
        return Form(class_name, scopes)  # nothing differs from anything
    columns = [list(_inline(scope, made)) for scope in scopes]
    inline = list(zip(*columns, strict=True))
    parameters = Parameters(scopes, inline, list(_vectors(scopes, made)))
    return Form(class_name, scopes, parameters.ordered(), parameters.holes, parameters.defaults)


def _inline(scope: Scope, made: Made) -> Iterator[Scope]:
    """Chains that are written where they stand."""
    for use in scope.uses:
        for inner in use.inner if use.owner == use.id else ():
            if id(inner) not in made:
                yield inner
                yield from _inline(inner, made)


def _vectors(scopes: tuple[Scope, ...], made: Made) -> Iterator[tuple[Key, tuple[Any, ...]]]:
    rolls = [rolled(scope, made) for scope in scopes]
    if rolls[0] is not None:
        tables = [list(loops.rows(roll, made)) for roll in rolls if roll is not None]
        for row in zip(*tables, strict=True):
            yield row[0][0], tuple(value for _, value in row)
        return
    for i, use in enumerate(scopes[0].uses):
        for index in range(len(use.settings)):
            columns = [use_arguments(scope.uses[i], made, index) for scope in scopes]
            for row in zip(*columns, strict=True):
                yield (use.id, index, row[0].name), tuple(a.value for a in row)
