"""A bounded cache for results of pure functions of immutable values."""

import functools
import weakref
from collections.abc import Callable, Generator, Hashable
from contextlib import contextmanager
from typing import Concatenate, Generic, ParamSpec, TypeVar

Rest = ParamSpec("Rest")
First = TypeVar("First")
Key = TypeVar("Key", bound=Hashable)
Kept = TypeVar("Kept")

_all: "weakref.WeakSet[BoundedCache[object, object]]" = weakref.WeakSet()


class BoundedCache(Generic[Key, Kept]):
    """Remembers at least the last `limit` entries that were used, at most twice as many.

    Two generations: when the young one is full it becomes the old one, and what was old is
    forgotten. Threads may share it without a lock: losing an entry only costs its time.
    A key of `id(value)` needs the value in the entry, which keeps the id from being given anew.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._young: dict[Key, Kept] = {}
        self._old: dict[Key, Kept] = {}
        _all.add(self)  # pyright: ignore[reportArgumentType]

    def get(self, key: Key) -> Kept | None:
        """Return what is remembered under `key`, or None."""
        found = self._young.get(key)
        if found is None and (found := self._old.get(key)) is not None:
            self.put(key, found)
        return found

    def put(self, key: Key, kept: Kept) -> Kept:
        """Remember `kept` under `key`, and return it."""
        if len(self._young) >= self._limit:
            self._old, self._young = self._young, {}
        self._young[key] = kept
        return kept

    def __len__(self) -> int:
        return len(self._young) + len(self._old)

    def _swap(
        self, young: dict[Key, Kept], old: dict[Key, Kept]
    ) -> tuple[dict[Key, Kept], dict[Key, Kept]]:
        before = self._young, self._old
        self._young, self._old = young, old
        return before


def cached_by_identity(
    limit: int,
) -> Callable[[Callable[Concatenate[First, Rest], Kept]], Callable[Concatenate[First, Rest], Kept]]:
    """Remember what a pure function says of one object, whose identity tells it from others.

    All further arguments are given by position and can be hashed.
    """

    def remembering(
        function: Callable[Concatenate[First, Rest], Kept],
    ) -> Callable[Concatenate[First, Rest], Kept]:
        memory: BoundedCache[tuple[object, ...], tuple[First, Kept]] = BoundedCache(limit)

        @functools.wraps(function)
        def wrapper(first: First, /, *rest: Rest.args, **none: Rest.kwargs) -> Kept:
            key = (id(first), *rest)
            entry = memory.get(key) or memory.put(key, (first, function(first, *rest, **none)))
            return entry[1]

        return wrapper

    return remembering


@contextmanager
def without_caches() -> Generator[None]:
    """Run the body as a process that has just started would, then go on as before it."""
    kept = [(memory, memory._swap({}, {})) for memory in list(_all)]  # pyright: ignore[reportPrivateUsage]
    try:
        yield
    finally:
        for memory, (young, old) in kept:
            memory._swap(young, old)  # pyright: ignore[reportPrivateUsage]
