"""The bad connection for the canvas's HTTP channel: each edit is a request of its own.

A lost connection is told to the browser at once; then the edit goes through the page. A request
that is overtaken reaches the server later than that, as one does that a network held back.
"""

import asyncio
import re
from collections.abc import Callable
from typing import Any

from tests.browser.mischief import Mischief

PATH = b"POST /api/ll/canvas "
OVERTAKEN_S = 0.8
_LENGTH = re.compile(rb"^content-length: *(\d+)", re.I | re.M)
_TOKEN = re.compile(rb"^x-ll-token: *(\S+)", re.I | re.M)


class ChannelProxy:
    """Plays tricks on the requests for an edit, and on the answers to them."""

    def __init__(self, upstream: int, mischief: Mischief, sent: Callable[[bytes], Any]) -> None:
        self.upstream, self.mischief, self._sent = upstream, mischief, sent
        self._last: dict[bytes, bytes] = {}
        self._held: dict[bytes, bytes] = {}
        self._late: set[asyncio.Task] = set()

    async def serve(
        self, head: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        found = _LENGTH.search(head)
        request = head + await reader.readexactly(int(found[1]) if found else 0)
        self._sent(request[len(head) :])
        answer = await self._request(request)
        if answer:
            token = _TOKEN.search(head)
            answer = await self._answer(answer, token[1] if token else b"")
        if not answer:
            writer.transport.abort()
            return
        writer.write(answer)
        await writer.drain()
        writer.close()

    async def _request(self, request: bytes) -> bytes:
        """What the server answers; nothing where the request is lost on its way."""
        trick = self.mischief.deal("channel up")
        if trick == "drop":
            return b""
        if trick == "reorder":
            task = asyncio.create_task(self._overtaken(request))
            self._late.add(task)
            task.add_done_callback(self._late.discard)
            return b""
        if trick == "late":
            await asyncio.sleep(self.mischief.late_s())
        if trick == "twice":
            await self._ask(request)
        return await self._ask(request)

    async def _overtaken(self, request: bytes) -> None:
        await asyncio.sleep(OVERTAKEN_S)
        await self._ask(request)

    async def _ask(self, request: bytes) -> bytes:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", self.upstream)
            writer.write(request)
            answer = await reader.read()
            writer.close()
        except OSError:
            return b""  # the server is dead: so is the connection
        return answer

    async def _answer(self, now: bytes, token: bytes) -> bytes:
        """Nothing, or an older answer in its place, where it is lost on its way."""
        last = self._last.get(token, b"")
        trick = self.mischief.deal("channel down", but=() if last else ("reorder",))
        if trick == "drop":
            return b""
        if trick == "late":
            await asyncio.sleep(self.mischief.late_s())
        given = now
        if trick == "reorder":
            given = self._held.get(token) or last
            self._held[token] = now
        self._last[token] = given
        return given
