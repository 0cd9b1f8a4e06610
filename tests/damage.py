"""A good file damaged in a hundred ways, by a fixed rule."""

import json
import random
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

ODD = (None, [], {}, "x", -1, 1e300, True, [[1]], {"run": []}, "\0", "a" * 300)


def mutations(content: bytes, count: int = 100) -> Iterator[bytes]:
    """The same bytes with a fault each."""
    rng = random.Random(7)
    for _ in range(count):
        broken, at = bytearray(content), rng.randrange(len(content))
        match rng.randrange(4):
            case 0:
                broken[at] ^= 1 << rng.randrange(8)
            case 1:
                del broken[at:]
            case 2:
                del broken[at : at + rng.randrange(1, 9)]
            case _:
                broken[at:at] = bytes(rng.randrange(256) for _ in range(4))
        yield bytes(broken)


def otherwise(value: Any) -> Iterator[Any]:
    """A JSON value with other kinds of values in each of its places, one at a time."""

    def changed(inner: Any) -> Iterator[Any]:
        yield from ODD
        keys = list(inner) if isinstance(inner, dict) else []
        for key in keys or (range(len(inner)) if isinstance(inner, list) else ()):
            part = inner[key]
            for new in changed(part):
                if isinstance(inner, dict):
                    yield {**inner, key: new}
                else:
                    yield [*inner[:key], new, *inner[key + 1 :]]

    yield from changed(value)


def texts(value: Any, step: int = 1) -> Iterator[bytes]:
    """JSON damaged as values, of which every `step`-th is taken, then as bytes."""
    yield from (json.dumps(other).encode() for other in islice(otherwise(value), 0, None, step))
    yield from mutations(json.dumps(value).encode())


def tried(path: Path, contents: Iterator[bytes], read: Callable[[], Any], typed: Any) -> int:
    """Read every content; how many were refused. Any other error ends the test."""
    refused = 0
    path.parent.mkdir(parents=True, exist_ok=True)
    for content in contents:
        path.write_bytes(content)
        try:
            read()
        except typed:
            refused += 1
    return refused
