"""A bad connection between browser and server: answers come late, twice, out of order or never.

Edits travel over a route of their own (proxy_channel), and by Streamlit's channel where that fails.
Of its WebSockets each whole message is looked at. Tricks are played on what the canvas says and on
what it is answered; what it says is also kept, to be compared with what was done. A lost answer is
an older one in its place, since Streamlit takes away an element that a run does not bring again; so
the first answer of a connection passes.
"""

import asyncio
import json
import threading
from typing import Any

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from app.canvas.protocol import VERSION
from tests.browser import proxy_channel
from tests.browser.mischief import Mischief

Frame = tuple[bytes, bytes]
"""As it travels, and its unmasked payload (b"" where it is only a part of a message)."""


async def read_frame(reader: asyncio.StreamReader) -> Frame:
    head = await reader.readexactly(2)
    size, raw = head[1] & 0x7F, head
    if size >= 126:
        more = await reader.readexactly(2 if size == 126 else 8)
        size, raw = int.from_bytes(more, "big"), raw + more
    mask = await reader.readexactly(4) if head[1] & 0x80 else b""
    body = await reader.readexactly(size)
    whole = head[0] & 0x80 and head[0] & 0x0F in (1, 2)
    return raw + mask + body, (_unmask(body, mask) if whole else b"")


def _unmask(body: bytes, mask: bytes) -> bytes:
    if not mask:
        return body
    key = int.from_bytes((mask * (len(body) // 4 + 1))[: len(body)], "big")
    return (int.from_bytes(body, "big") ^ key).to_bytes(len(body), "big")


def snapshot(payload: bytes) -> dict[str, Any] | None:
    """Return the canvas's message in a frame, if it carries a drawing."""
    start = payload.find(b'{"v":%d,"doc"' % VERSION)
    if start < 0:
        return None
    found, _ = json.JSONDecoder().raw_decode(payload[start:].decode("utf-8", "replace"))
    return found if found["graph"] is not None else None


class Proxy:
    """Listens on `port`, speaks with `upstream`; both on this machine."""

    def __init__(self, port: int, upstream: int, mischief: Mischief) -> None:
        self.port, self.upstream, self.mischief = port, upstream, mischief
        self.snapshots: list[dict[str, Any]] = []
        self._channel = proxy_channel.ChannelProxy(upstream, mischief, self.note)
        self._open: set[asyncio.StreamWriter] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._call(self._listen())

    def _call(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(10)

    async def _listen(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)

    def note(self, payload: bytes) -> bool:
        """Keep what the canvas says of its drawing; False where a message says nothing of it."""
        found = snapshot(payload)
        if found:
            self.snapshots.append(found)
        return found is not None

    def cut(self) -> None:
        """Cut every connection, as a lost network does."""
        self._call(self._cut())

    async def _cut(self) -> None:
        for writer in list(self._open):
            writer.transport.abort()

    def close(self) -> None:
        self._call(self._stop())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)

    async def _stop(self) -> None:
        self._server.close()
        await self._cut()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            if head.startswith(proxy_channel.PATH):
                await self._channel.serve(_closing(head), reader, writer)
                return
            there, to = await asyncio.open_connection("127.0.0.1", self.upstream)
        except (OSError, asyncio.IncompleteReadError):
            writer.close()
            return
        self._open |= {writer, to}
        socket = b"upgrade: websocket" in head.lower()
        to.write(_without_compression(head) if socket else _closing(head))
        work = self._frames if socket else self._bytes
        await asyncio.gather(work(reader, to, False), work(there, writer, True))
        self._open -= {writer, to}

    async def _bytes(self, reader: asyncio.StreamReader, to: asyncio.StreamWriter, _: bool) -> None:
        try:
            while data := await reader.read(65536):
                to.write(data)
                await to.drain()
        except OSError:
            pass  # the other side is gone: so is this connection
        to.close()

    async def _frames(
        self, reader: asyncio.StreamReader, to: asyncio.StreamWriter, down: bool
    ) -> None:
        pipe = _Pipe(self, to, down)
        try:
            if down:
                to.write(await reader.readuntil(b"\r\n\r\n"))
            while True:
                await pipe.take(await read_frame(reader))
                await to.drain()
        except (OSError, asyncio.IncompleteReadError):
            to.close()  # cut, by us or by the other side


class _Pipe:
    """One direction of a WebSocket. What is late makes all behind it late, as in TCP."""

    def __init__(self, proxy: Proxy, to: asyncio.StreamWriter, down: bool) -> None:
        self.proxy, self.to, self.down = proxy, to, down
        self._last, self._held = "", ""

    async def take(self, frame: Frame) -> None:
        raw, payload = frame
        if self.down and b'"ackRev"' in payload:
            raw = await self._answer(raw, payload)
        elif not self.down and self.proxy.note(payload):
            raw = await self._message(raw)
        if raw and not self.to.is_closing():
            self.to.write(raw)

    async def _message(self, raw: bytes) -> bytes:
        trick = self.proxy.mischief.deal("page up")
        if trick == "late":
            await asyncio.sleep(self.proxy.mischief.late_s())
        return {"drop": b"", "twice": raw * 2}.get(trick, raw)

    async def _answer(self, raw: bytes, payload: bytes) -> bytes:
        """Never, or an older one in its place: the page then has what it had before."""
        message = ForwardMsg.FromString(payload)
        part = message.delta.new_element.bidi_component
        trick = self.proxy.mischief.deal("page down") if self._last else "pass"
        if trick == "late":
            await asyncio.sleep(self.proxy.mischief.late_s())
        now = part.json
        if trick == "drop":
            part.json = self._last
        elif trick == "reorder":
            part.json, self._held = self._held or self._last, now
        self._last = part.json
        made = _frame(message.SerializeToString())
        return made * 2 if trick == "twice" else made


def _frame(payload: bytes) -> bytes:
    """A whole binary message of the server, unmasked."""
    size = len(payload)
    if size < 126:
        return bytes([0x82, size]) + payload
    if size < 65536:
        return bytes([0x82, 126]) + size.to_bytes(2, "big") + payload
    return bytes([0x82, 127]) + size.to_bytes(8, "big") + payload


def _without_compression(head: bytes) -> bytes:
    lines = head.split(b"\r\n")
    kept = [line for line in lines if not line.lower().startswith(b"sec-websocket-extensions")]
    return b"\r\n".join(kept)


def _closing(head: bytes) -> bytes:
    """One request for each connection: so the bytes of the next one need no reading."""
    lines = [line for line in head.split(b"\r\n") if not line.lower().startswith(b"connection:")]
    return b"\r\n".join([lines[0], b"Connection: close", *lines[1:]])
