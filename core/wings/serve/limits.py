"""How much a server takes, and the bodies of its requests within that. No server library."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from core.samples.request_error import RequestError

Receive = Callable[[], Awaitable[Any]]
"""The next message of a request, as ASGI has it."""
QUICK_BYTES = 32 << 10
"""A longer body counts as large: it is held within `held_bytes`, comes piece by piece in turn with
other large ones, and is read in a process of its own."""
PIECE_BYTES, PIECE_S, LONGEST_PAUSE_S = 64 << 10, 0.001, 0.15
"""After each piece of a large body, for each of those that come, and at most: at 0.05 s 32 bodies
of 15 MB that came together made others wait up to three times as long, at 0.15 up to 1.5 times."""


@dataclass(frozen=True)
class Limits:
    """What one server takes, and why no more."""

    most: int = 64
    """Samples of a batch and of a request: the network runs a batch to its end, all others wait."""
    window_s: float = 0.002
    """How long a sample waits for others, which then cost little more than it does alone."""
    waiting: int = 1024
    """Samples that may wait: more would be given up by whoever asked before it is their turn."""
    body_bytes: int = 16 << 20
    """Of a request: a batch of 64 pictures of 3 x 128 x 128 as raw float32 is 12 MB."""
    read_s: float = 30.0
    """Until a body has come: one byte after another would hold what came before for hours."""
    answer_s: float = 60.0
    """Until an answer is found: programs give up by then, and what is held is needed."""
    idle_s: float = 10.0
    """Until the next piece of a body: half a request, whose sender has gone, ends."""
    held_bytes: int = 128 << 20
    """Of all large requests at once, and what was read of them, unless it is one alone."""
    memory_bytes: int = 512 << 20
    """For reading a large request, or an answer: 50 megapixels take about 400 MB."""
    large_waiting: int = 16
    """Large requests that may wait to be read: each holds its body, and takes up to 30 s."""


class Room:
    """What the large bodies of a server hold at once."""

    def __init__(self, limits: Limits) -> None:
        self.limits, self.held, self.coming = limits, 0, 0

    @contextmanager
    def share(self) -> Iterator["Share"]:
        """One request's share, given back at the end."""
        share = Share(self)
        try:
            yield share
        finally:
            self.held -= share.held


class Share:
    """What one request holds."""

    def __init__(self, room: Room) -> None:
        self.room, self.held = room, 0

    def hold(self, size: int) -> None:
        """Hold a body of this size, and what was read of it. Raises RequestError where others hold
        too much."""
        room, most = self.room, self.room.limits.held_bytes
        more = size - self.held if size > QUICK_BYTES else 0
        if room.held > self.held and room.held + more > most:
            message = f"The server holds {room.held:,} of at most {most:,} bytes of requests."
            raise RequestError(503, message, "Try again in a second.")
        room.held += more
        self.held += more


async def body_within(receive: Receive, content_length: str, share: Share) -> bytes:
    """The body of a request. Raises RequestError where it is too large, too slow or broken off."""
    limits = share.room.limits
    if content_length.isdecimal() and int(content_length[:18]) > limits.body_bytes:
        raise _large(limits)
    share.room.coming += 1
    try:
        async with asyncio.timeout(limits.read_s):
            return await _collected(receive, share)
    except TimeoutError:
        raise RequestError(
            408, f"The request body did not arrive within {limits.read_s:g} seconds."
        ) from None
    finally:
        share.room.coming -= 1


async def _collected(receive: Receive, share: Share) -> bytes:
    """All pieces. Large bodies take turns, so that they do not fill the server's time together."""
    limits, parts, size, paused = share.room.limits, list[bytes](), 0, 0
    while True:
        message = await _next(receive, limits)
        if message["type"] == "http.disconnect":
            raise RequestError(400, "The request body ended early.")
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > limits.body_bytes:
            raise _large(limits)
        share.hold(size)
        if not message.get("more_body", False):
            return b"".join(parts)
        if size - paused > PIECE_BYTES:
            pieces, paused = (size - paused) // PIECE_BYTES, size
            await asyncio.sleep(min(PIECE_S * pieces * share.room.coming, LONGEST_PAUSE_S))


async def _next(receive: Receive, limits: Limits) -> Any:
    try:
        async with asyncio.timeout(limits.idle_s):
            return await receive()
    except TimeoutError:
        message = f"No more of the request body came for {limits.idle_s:g} seconds."
        raise RequestError(408, message) from None


def _large(limits: Limits) -> RequestError:
    message = f"A request body must not exceed {limits.body_bytes:,} bytes."
    return RequestError(413, message, "Send fewer samples at once, or raw float32 instead of JSON.")
