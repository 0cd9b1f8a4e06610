"""What a server and the process that reads for it tell each other: JSON and plain bytes.

A frame is a line of JSON, [what is said, [size, ...]], then as many bytes as each size says.
Nothing in it can run code, whatever became of the process that reads files of strangers.
Needs numpy.
"""

import json
from collections.abc import Sequence
from typing import IO, Any

import numpy as np

from core.samples.inputs import SentRequest


def put(line: IO[bytes], said: Any, parts: Sequence[Any] = ()) -> None:
    """Write a frame. parts: bytes, or arrays. Raises OSError."""
    views = [memoryview(part).cast("B") for part in parts]
    line.write(json.dumps([said, [len(view) for view in views]]).encode() + b"\n")
    for view in views:
        line.write(view)
    line.flush()


def get(line: IO[bytes], most: int) -> tuple[Any, list[bytearray]]:
    """Read a frame of at most so many bytes. Raises EOFError at the end, ValueError for others."""
    head = line.readline(most)
    if not head:
        raise EOFError
    said, sizes = json.loads(head)
    if sum(sizes) > most:
        raise ValueError(f"A frame has {sum(sizes)} bytes.")
    return said, [_part(line, size) for size in sizes]


def _part(line: IO[bytes], size: int) -> bytearray:
    part = bytearray(size)
    if line.readinto(part) < size:  # type: ignore[attr-defined]
        raise EOFError
    return part


def said_of(request: SentRequest) -> tuple[dict[str, Any], list[np.ndarray]]:
    """A request that was read, as what is said and its arrays."""
    arrays = [np.ascontiguousarray(each) for each in request.columns if each is not None]
    kinds = [None if c is None else [c.dtype.name, c.shape] for c in request.columns]
    said = {
        "columns": kinds,
        "text_lengths": request.text_lengths,
        "raw": request.raw,
        "as_is": request.as_is,
    }
    return said, arrays


def request_of(said: dict[str, Any], parts: Sequence[bytearray]) -> SentRequest:
    """The reverse. Raises ValueError, TypeError or KeyError for what `said_of` does not say."""
    left = iter(parts)
    columns = [
        None if kind is None else np.frombuffer(next(left), kind[0]).reshape(kind[1])
        for kind in said["columns"]
    ]
    return SentRequest(tuple(columns), tuple(said["text_lengths"]), said["raw"], said["as_is"])
