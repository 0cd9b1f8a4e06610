"""Clients of a server in a process of their own, on one event loop each: they measure, or attack.

    python -m tests.wings.serve.bench.http_clients ask HOST PORT CLIENTS SECONDS MEDIA FILE
    python -m tests.wings.serve.bench.http_clients attack HOST PORT CLIENTS SECONDS MEDIA FILE
        [--how half]

`ask` prints the seconds of each answer as JSON; `attack` prints how often each status was answered.
Threads would measure their own queue for the interpreter, not the server's.
"""

import argparse
import asyncio
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

WARM_S = 0.5


class Asking(asyncio.Protocol):
    """One connection that stays open: the next request goes out when an answer is in."""

    def __init__(self, request: bytes, begin: float, end: float) -> None:
        self.request, self.begin, self.end = request, begin, end
        self.taken, self.got, self.sent = list[float](), b"", 0.0
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.send()

    def send(self) -> None:
        self.got, self.sent = b"", time.perf_counter()
        self.transport.write(self.request)

    def data_received(self, data: bytes) -> None:
        self.got += data
        head, found, body = self.got.partition(b"\r\n\r\n")
        if not found or len(body) < length_of(head):
            return
        now = time.perf_counter()
        if b" 200 " not in head[:20]:
            self.done.set_exception(AssertionError(self.got[:500]))
            self.transport.close()
            return
        if self.sent > self.begin:
            self.taken.append(now - self.sent)
        if now < self.end:
            self.send()
        else:
            self.done.set_result(None)
            self.transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.done.done():
            self.done.set_exception(exc or AssertionError("The server closed the connection."))


def length_of(head: bytes) -> int:
    """The bytes of the body that a head declares; 0 where the connection's end is the body's."""
    lines = head.lower().split(b"\r\n")
    return next((int(line[15:]) for line in lines if line.startswith(b"content-length:")), 0)


def head_of(host: str, port: int, media: str, length: int) -> bytes:
    """The head of a request for a prediction."""
    lines = ("POST /predict HTTP/1.1", f"Host: {host}:{port}", f"Content-Type: {media}",
             f"Content-Length: {length}", "", "")  # fmt: skip
    return "\r\n".join(lines).encode()


async def ask(host: str, port: int, clients: int, seconds: float, request: bytes) -> list[float]:
    """The seconds of each answer, of clients that ask one request after another."""
    loop, begin = asyncio.get_running_loop(), time.perf_counter() + WARM_S
    asking = [
        (await loop.create_connection(lambda: Asking(request, begin, begin + seconds), host, port))
        for _ in range(clients)
    ]
    await asyncio.gather(*(each.done for _, each in asking))
    return [taken for _, each in asking for taken in each.taken]


async def attack(host: str, port: int, how: str, request: bytes) -> str:
    """One hostile request: the status, or how the connection ended."""
    reader, writer = await asyncio.open_connection(host, port)
    try:
        if how == "half":
            writer.write(request[: len(request) // 2])
        elif how == "drops":
            for place in range(0, len(request), 1):
                writer.write(request[place : place + 1])
                await asyncio.sleep(0.2)
        else:
            writer.write(request)
        head = await reader.readuntil(b"\r\n\r\n")
        await reader.readexactly(length_of(head))
        return head.split()[1].decode()
    except (OSError, asyncio.IncompleteReadError):
        return "closed"
    finally:
        writer.transport.abort()


async def attack_on(
    host: str, port: int, clients: int, seconds: float, how: str, request: bytes
) -> Counter[str]:
    """What hostile clients were answered until their time was up."""
    found, end = Counter[str](), time.perf_counter() + seconds

    async def one() -> None:
        while time.perf_counter() < end:
            found[await attack(host, port, how, request)] += 1

    tasks = [asyncio.create_task(one()) for _ in range(clients)]
    _, waiting = await asyncio.wait(tasks, timeout=seconds)
    for task in waiting:
        task.cancel()
    found["still waiting"] = len(waiting)
    return +found


def main(arguments: Sequence[str] | None = None) -> None:
    """Ask or attack, and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("ask", "attack"))
    parser.add_argument("host")
    parser.add_argument("port", type=int)
    parser.add_argument("clients", type=int)
    parser.add_argument("seconds", type=float)
    parser.add_argument("media")
    parser.add_argument("file", type=Path)
    parser.add_argument("--how", choices=("whole", "half", "drops", "raw"), default="whole")
    args = parser.parse_args(arguments)
    body = args.file.read_bytes()
    head = head_of(args.host, args.port, args.media, len(body)) if args.how != "raw" else b""
    request = head + body
    place = (args.host, args.port, args.clients, args.seconds)
    if args.what == "attack":
        os.nice(10)
        found: object = asyncio.run(attack_on(*place, args.how, request))
    else:
        found = asyncio.run(ask(*place, request))
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main()
