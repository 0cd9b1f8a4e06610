"""Wings of core: parts of Layerloom that can be left out. The base finds those that are there."""

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules
from typing import Any

WINGS = "core.wings"


@cache
def names(package: str = WINGS) -> tuple[str, ...]:
    """The wings that are here, in the order of the alphabet."""
    folder = import_module(package).__path__
    return tuple(sorted(each.name for each in iter_modules(folder) if each.ispkg))


def parts(name: str, package: str = WINGS) -> Iterator[tuple[str, Any]]:
    """The wings that have a module of this name, and that module."""
    for wing in names(package):
        module = f"{package}.{wing}.{name}"
        if find_spec(module):
            yield wing, import_module(module)
