"""Pass requests and channels on to the workbench of an account.

A workbench asks for its token, which only the front door knows; what a browser says of itself in
the headers that the workbench trusts is left out.
"""

from collections.abc import AsyncIterator, Iterable

import anyio
import httpx
from starlette.requests import ClientDisconnect, HTTPConnection, Request, cookie_parser
from starlette.responses import Response, StreamingResponse
from starlette.websockets import WebSocket, WebSocketDisconnect
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.typing import Origin, Subprotocol

from core.wings.class_server.seats import Seat

OF_A_HOP = frozenset(
    {
        "connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "te", "trailer",
        "transfer-encoding", "upgrade",
    }
)  # fmt: skip
"""Headers that are about one connection (RFC 9110, 7.6.1)."""
SAID_ANEW = frozenset({"host", "origin", "authorization", "cookie", "forwarded"})
START_S = 60.0
"""In which a workbench has started to answer, on a slow machine."""
AWAY = "The workbench of this account has ended. Load the page again."
_client = httpx.AsyncClient(
    timeout=httpx.Timeout(None, connect=START_S),
    limits=httpx.Limits(max_connections=None, max_keepalive_connections=0),
    trust_env=False,
)
"""No connection is kept: a workbench that ends closes those that it has, perhaps just then."""


async def request_to(seat: Seat, request: Request, own_cookie: str) -> Response:
    """The answer of a workbench to a request."""
    has_body = "content-length" in request.headers or "transfer-encoding" in request.headers
    sent = _client.build_request(
        request.method,
        f"http://127.0.0.1:{seat.port}{_target(request)}",
        headers=_headers(seat, request, own_cookie),
        content=request.stream() if has_body else None,
    )
    try:
        answer = await _client.send(sent, stream=True)
    except httpx.TransportError:
        return Response(AWAY, 503)
    except ClientDisconnect:  # in the middle of an upload; nobody reads the answer
        return Response(status_code=400)
    passed = StreamingResponse(_body(answer), answer.status_code)
    passed.raw_headers = [
        (name.lower(), value)
        for name, value in answer.headers.raw
        if name.decode("latin-1").lower() not in OF_A_HOP
    ]
    return passed


async def _body(answer: httpx.Response) -> AsyncIterator[bytes]:
    """The body as it comes; the connection ends with it, also where the browser goes away."""
    try:
        async for part in answer.aiter_raw():
            yield part
    finally:
        with anyio.CancelScope(shield=True):
            await answer.aclose()


async def channel_to(seat: Seat, outer: WebSocket, own_cookie: str) -> None:
    """Pass messages both ways until one side ends."""
    headers = [h for h in _headers(seat, outer, own_cookie) if not h[0].startswith("sec-websocket")]
    try:
        inner = await connect(
            f"ws://127.0.0.1:{seat.port}{_target(outer)}",
            origin=Origin(_origin(seat)),
            subprotocols=[Subprotocol(each) for each in outer.scope["subprotocols"]] or None,
            additional_headers=[h for h in headers if h[0] not in ("host", "origin", "user-agent")],
            user_agent_header=outer.headers.get("user-agent"),
            compression=None,
            max_size=None,
            ping_interval=None,
            open_timeout=START_S,
            proxy=None,
        )
    except (OSError, InvalidHandshake, TimeoutError):
        await outer.close(1013)
        return
    async with inner:
        await outer.accept(inner.subprotocol)
        seat.channels += 1
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(_outwards, inner, outer, tasks.cancel_scope)
                await _inwards(outer, inner)
                tasks.cancel_scope.cancel()
        finally:
            seat.channels -= 1


async def _inwards(outer: WebSocket, inner: ClientConnection) -> None:
    while True:
        message = await outer.receive()
        if message["type"] != "websocket.receive":
            return
        data = message.get("bytes")
        try:
            await inner.send(message["text"] if data is None else data)
        except ConnectionClosed:
            return


async def _outwards(inner: ClientConnection, outer: WebSocket, ends: anyio.CancelScope) -> None:
    try:
        async for data in inner:
            await (outer.send_text(data) if isinstance(data, str) else outer.send_bytes(data))
        await outer.close(inner.close_code or 1000)
    except (ConnectionClosed, WebSocketDisconnect, RuntimeError):
        pass  # the browser went away first
    ends.cancel()


def _target(connection: HTTPConnection) -> str:
    """Path and query as they came, not decoded and encoded again."""
    path: bytes = connection.scope["raw_path"].partition(b"?")[0]
    query: bytes = connection.scope["query_string"]
    return (path + (b"?" + query if query else b"")).decode("latin-1")


def _headers(seat: Seat, connection: HTTPConnection, own_cookie: str) -> list[tuple[str, str]]:
    """What a workbench reads of a request: as if its own page on this machine had sent it."""
    kept = [
        (name, value)
        for name, value in connection.headers.items()
        if name not in OF_A_HOP | SAID_ANEW and not name.startswith("x-forwarded-")
    ]
    said = [("host", f"127.0.0.1:{seat.port}"), ("authorization", f"Bearer {seat.token}")]
    if "origin" in connection.headers:
        said.append(("origin", _origin(seat)))
    if cookies := _cookies(connection.headers.getlist("cookie"), own_cookie):
        said.append(("cookie", cookies))
    return [*kept, *said]


def _origin(seat: Seat) -> str:
    return f"http://127.0.0.1:{seat.port}"


def _cookies(given: Iterable[str], own: str) -> str:
    """All cookies but that of the front door."""
    pairs = [pair for text in given for pair in cookie_parser(text).items()]
    return "; ".join(f"{name}={value}" for name, value in pairs if name != own)
