"""A class of the generated source: the uses it covers, and the arguments in which they differ."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from core.source.parameters import Key, is_sized, same
from core.source.scope import Scope
from core.source.statement import Argument, Text

BY_POSITION = 3
"""Sizes that are given by position; of more, each is named."""


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

    def arguments_of(self, instance: int) -> tuple[Argument, ...]:
        """The arguments that an instance is constructed with."""
        sizes = [n for n in self.parameters if is_sized(n) and n not in self.defaults]
        few = len(sizes) <= BY_POSITION
        return tuple(
            Argument(
                n,
                v[instance],
                few and n in sizes,
                n in self.defaults and same(v[instance], self.defaults[n]),
            )
            for n, v in self.parameters.items()
        )


Made = dict[int, tuple[str, tuple[Argument, ...]]]
"""Scope identity to the class it became and the arguments it passes; inline scopes have none."""
