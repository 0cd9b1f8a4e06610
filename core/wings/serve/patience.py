"""Who waits: slow and half requests end, and refused ones wait while others are served.

ASGI and asyncio alone: no server library is imported.
"""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from core.samples.request_error import RequestError
from core.wings.serve.few_parts import FewParts, pause_for

Message = MutableMapping[str, Any]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Any, Any, Any], Awaitable[None]]
MOST_REQUESTS = 1024
ALWAYS = ("/health", "/ready")
"""Asked by who would start a server anew that does not answer."""
HEAD_S, WRITE_S = 10.0, 30.0
UNREAD_BYTES, UNREAD_PIECE_BYTES = 64 << 20, 64 << 10
"""Of a body that goes on after its answer: where the connection ends, and where it begins to wait
for the others: 32 clients that each send 20 MB which nobody reads took the event loop for
themselves."""
UNREAD_PAUSE_S, LONGEST_PAUSE_S = 0.005, 0.2
"""For each connection, and at most. The system hands over 256 kB at once: one client sends 50 MB
in a second, and so do 32."""
MOST_OPEN_FILES = 4096
"""What the system is asked to let this process have open: its usual 256 or 1024 are few."""


class Patience:
    """Middleware: bounds the requests under way, and lets the refused wait while others are served.

    Alone, a client gets the reason of a refusal at once. Beside others it waits longer, the
    more there are: who sends refused requests without end gets no more than a small share.
    """

    def __init__(self, app: App, most: int = MOST_REQUESTS) -> None:
        self.app, self.most, self.requests = app, most, 0

    async def __call__(self, scope: Message, receive: Any, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        if self.requests >= self.most and scope["path"] not in ALWAYS:
            await _refuse(send, self.requests)
            return
        self.requests += 1

        async def patient(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] >= 400:
                await asyncio.sleep(pause_for(self.requests - 1))
            await send(message)

        try:
            await self.app(scope, receive, patient)
        finally:
            self.requests -= 1


async def _refuse(send: Send, requests: int) -> None:
    error = RequestError(503, f"{requests} requests are under way.", "Try again in a second.")
    headers = [
        (b"content-type", b"application/json"),
        (b"retry-after", b"1"),
        (b"connection", b"close"),
    ]
    body = json.dumps(error.json()).encode()
    headers.append((b"content-length", str(len(body)).encode()))
    await send({"type": "http.response.start", "status": error.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


class Deadlines(FewParts):
    """Mixed into an HTTP protocol of uvicorn: ends connections on which nothing comes of it. No
    whole head of a request within HEAD_S, an answer that is not taken within WRITE_S, a body that
    goes on and on after its answer. Where there are too many, one without a request gives way: a
    process that may open nothing more would accept nobody."""

    head_s, write_s = HEAD_S, WRITE_S
    most_connections = 128
    _head: asyncio.TimerHandle | None = None
    _write: asyncio.TimerHandle | None = None
    _unread = 0

    def connection_made(self: Any, transport: Any) -> None:
        super().connection_made(transport)  # type: ignore[misc]
        self.await_head()
        if len(self.connections) > self.most_connections:
            idle = (each for each in self.connections if each.is_between() and each is not self)
            next(idle, self).transport.abort()

    def connection_lost(self: Any, exc: Exception | None) -> None:
        for timer in (self._head, self._write):
            if timer:
                timer.cancel()
        super().connection_lost(exc)  # type: ignore[misc]

    def data_received(self: Any, data: bytes) -> None:
        self._unread = self._unread + len(data) if self.is_between() else 0
        if self._unread > UNREAD_BYTES:
            self.transport.abort()
            return
        super().data_received(data)  # type: ignore[misc]
        if self._unread > UNREAD_PIECE_BYTES and self.is_between():
            self.transport.pause_reading()
            pause = min(UNREAD_PAUSE_S * len(self.connections), LONGEST_PAUSE_S)
            self.loop.call_later(pause, self.transport.resume_reading)

    def on_response_complete(self: Any) -> None:
        super().on_response_complete()  # type: ignore[misc]
        self.await_head()

    def pause_writing(self: Any) -> None:
        super().pause_writing()  # type: ignore[misc]
        self._write = self.loop.call_later(self.write_s, self.transport.abort)

    def resume_writing(self: Any) -> None:
        super().resume_writing()  # type: ignore[misc]
        if self._write:
            self._write.cancel()

    def is_between(self: Any) -> bool:
        """Whether no request is under way."""
        return self.cycle is None or self.cycle.response_complete

    def await_head(self: Any) -> None:
        """Wait for the head of a request from now on."""
        if self._head:
            self._head.cancel()
        self._head = self.loop.call_later(self.head_s, self.end_if_late)

    def end_if_late(self: Any) -> None:
        """End the connection unless a request is under way."""
        if self.is_between():
            self.transport.abort()


def allow_connections() -> None:
    """Let this process have many, where the system can say so. Call once before it serves."""
    if sys.platform != "win32":
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = MOST_OPEN_FILES if hard == resource.RLIM_INFINITY else min(MOST_OPEN_FILES, hard)
        if soft != resource.RLIM_INFINITY:
            soft = max(soft, wanted)
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        Deadlines.most_connections = wanted // 2
