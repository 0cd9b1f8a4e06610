"""Modules that wings bring to their base, by the package of the wings. Imports no torch.

`app.wing` lists those that the pages and commands look for. In `core.wings` there are these:

    formats    `FORMATS` of export, with no import of torch; see `core.export.formats`
    look       `VIEWS` of `layerloom look`, with no import of torch; see `core.insight.look.view`
    companions  `of(project)`, files and folders that go where a project's file goes, when it is
            deleted and restored
    account_files  `files()` of this account that are neither in its workspace nor in its home; they
            count as `core.runs.quota` says
    launchers  what starts a run on several processes or elsewhere; see `core.worker.launchers`
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules
from typing import Any, TypeVar

WINGS = "core.wings"
Thing = TypeVar("Thing")


@cache
def names(package: str = WINGS) -> tuple[str, ...]:
    """The wings of a package, in the order of the alphabet."""
    folder = import_module(package).__path__
    return tuple(sorted(found.name for found in iter_modules(folder) if found.ispkg))


def parts(name: str, package: str = WINGS) -> Iterator[tuple[str, Any]]:
    """The wings that have a module of this name, and that module."""
    for wing in names(package):
        if name in _modules(f"{package}.{wing}"):
            yield wing, import_module(f"{package}.{wing}.{name}")


@cache
def _modules(wing: str) -> frozenset[str]:
    """Names of a wing's modules. Its package is not imported, which may need torch."""
    spec = find_spec(wing)
    folders = spec.submodule_search_locations if spec else None
    return frozenset(found.name for found in iter_modules(folders or ()))


def placed(own: Mapping[str, Thing], of_wings: Iterable[tuple[str, str, Thing]]) -> list[Thing]:
    """Those of the base and of wings, in order. of_wings: each with its name, and that of the one
    which it stands behind; where that is not here, it stands at the end."""
    found = dict(own)
    left = {name: (after, thing) for name, after, thing in of_wings}
    while near := [name for name, (after, _) in left.items() if after in found]:
        for name in near:
            (after, thing), order = left.pop(name), list(found.items())
            order.insert(list(found).index(after) + 1, (name, thing))
            found = dict(order)
    return [*found.values(), *(thing for _, thing in left.values())]
