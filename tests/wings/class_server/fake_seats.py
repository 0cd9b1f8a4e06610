"""A workbench that says what it was sent, in place of one that takes seconds to start."""

import hashlib
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from core.wings.class_server.seats import ClassRules, Full, Seat, Seats

TOKEN = "the token of the workbench"


class NoProcess:
    """What stands where a workbench's process would."""

    stdin, pid = None, 0

    def poll(self) -> None:
        return None


async def echo(request: Request) -> Response:
    body = await request.body()
    sent = {"path": request.scope["raw_path"].decode(), "query": request.url.query}
    sent |= {"method": request.method, "headers": dict(request.headers), "bytes": len(body)}
    answer = JSONResponse({**sent, "sha256": hashlib.sha256(body).hexdigest()}, 201)
    answer.set_cookie("_streamlit_xsrf", "x")
    answer.set_cookie("second", "y")
    return answer


async def channel(socket: WebSocket) -> None:
    await socket.accept(socket.scope["subprotocols"][0])
    await socket.send_json(dict(socket.headers))
    async for content in socket.iter_bytes():
        await socket.send_bytes(content)
        if content.startswith(b"\x00"):
            await socket.close(1000)
            return


class FakeSeats(Seats):
    """Seats that are all one process of the test's own."""

    def __init__(self, folder: Path, line: socket.socket, seats: int) -> None:
        super().__init__(folder, "", ClassRules(seats=seats))
        self.line, self.taken = line, list[str]()

    def take(self, name: str, teacher: bool) -> Seat:
        if len({*self.taken, name}) > self.rules.seats:
            raise Full
        self.taken.append(name)
        process: Any = NoProcess()
        return Seat(name, self.line, TOKEN, process)


@contextmanager
def fake_seats(folder: Path, seats: int = 2) -> Iterator[FakeSeats]:
    """Serve the workbench that echoes."""
    line = socket.create_server(("127.0.0.1", 0))
    routes = [
        Route("/{path:path}", echo, methods=["GET", "POST", "PUT"]),
        WebSocketRoute("/{path:path}", channel),
    ]
    server = uvicorn.Server(uvicorn.Config(Starlette(routes=routes), log_level="error"))
    thread = threading.Thread(target=server.run, args=([line],), daemon=True)
    thread.start()
    try:
        yield FakeSeats(folder, line, seats)
    finally:
        server.should_exit = True
        thread.join()
        line.close()
