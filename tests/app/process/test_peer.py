"""Whose socket is at the other end of a connection of this machine."""

import asyncio
import encodings.idna  # noqa: F401  read before another user, who may not, needs it
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import uvicorn

from app.process.peer import peer_of
from app.server import main

NOBODY = 65_534


@contextmanager
def asked_by(user: int, number: str) -> Iterator[dict[str, tuple[str, int]]]:
    """A request of another process, of a user, as a server sees it."""
    family = socket.AF_INET6 if ":" in number else socket.AF_INET
    with socket.create_server((number, 0), family=family) as server:
        child = os.fork()
        if child == 0:
            os.setuid(user)
            with socket.socket(family) as line:
                line.connect(server.getsockname())
                line.recv(1)
            os._exit(0)
        line, address = server.accept()
        with line:
            yield {"client": address[:2], "server": line.getsockname()[:2]}
        os.waitpid(child, 0)


@pytest.mark.gate
@pytest.mark.parametrize("number", ["127.0.0.1", "::1"])
def test_a_process_of_this_machine_is_known_by_its_user(number: str) -> None:
    with asked_by(os.getuid(), number) as scope:
        assert peer_of(scope) == f"from user {os.getuid()}"


@pytest.mark.gate
@pytest.mark.skipif(os.getuid() != 0, reason="only root becomes another user")
@pytest.mark.parametrize("number", ["127.0.0.1", "::1"])
def test_another_user_is_told_from_this_one(number: str) -> None:
    with asked_by(NOBODY, number) as scope:
        assert peer_of(scope) == "from user 65534"


@pytest.mark.parametrize(
    ("client", "words"),
    [
        (("192.0.2.7", 5000), "from 192.0.2.7"),
        (("fe80::1%eth0", 5000), "from fe80::1%eth0"),
        (("192.0.2.7", 0), "from 192.0.2.7"),
        (None, "from "),
    ],
)
def test_another_machine_is_known_by_its_address(
    client: tuple[str, int] | None, words: str
) -> None:
    server = ("fe80::2", 8501) if client and ":" in client[0] else ("192.0.2.8", 8501)
    assert peer_of({"client": client, "server": server}) == words


@pytest.mark.parametrize(
    ("said", "sender"),
    [
        ([b"203.0.113.5"], "203.0.113.5"),
        ([b"10.0.0.1, 203.0.113.5:4711"], "203.0.113.5"),
        ([b"10.0.0.1", b"2001:db8::7"], "2001:db8::7"),
        ([b"[2001:db8::7]:4711"], "2001:db8::7"),
        ([b"a strange one"], "a strange one"),
    ],
)
def test_who_is_passed_on_is_who_the_nearest_proxy_names(said: list[bytes], sender: str) -> None:
    headers = [(b"x-forwarded-for", value) for value in said]
    scope = {"client": ("192.0.2.7", 5000), "server": ("192.0.2.8", 8501), "headers": headers}
    assert peer_of(scope) == f"from 192.0.2.7, passed on for {sender}"


async def say_peer(scope: Any, _receive: Any, send: Any) -> None:
    words = peer_of(scope).encode()
    length = [(b"content-length", str(len(words)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": length})
    await send({"type": "http.response.body", "body": words})


async def heard(config: uvicorn.Config) -> list[str]:
    """What the server says of an owner's connection, and of one that claims to be that one."""
    server = uvicorn.Server(config)
    config.load()
    server.lifespan = config.lifespan_class(config)
    await server.startup()
    port, words = server.servers[0].sockets[0].getsockname()[1], list[str]()
    owner = await asyncio.open_connection("127.0.0.1", port)
    mine = "127.0.0.1:{}".format(owner[1].get_extra_info("sockname")[1])
    stranger = await asyncio.open_connection("127.0.0.1", port)
    for (_, writer), more in ((owner, ""), (stranger, f"X-Forwarded-For: {mine}\r\n")):
        writer.write(f"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n{more}\r\n".encode())
    for reader, writer in (owner, stranger):
        words.append((await reader.read()).decode().partition("\r\n\r\n")[2])
        writer.close()
    server.should_exit = True
    await server.shutdown()
    return words


def test_a_header_makes_nobody_the_owner_of_another_connection() -> None:
    assert main.app  # the workbench's server, which says to uvicorn whom it shall believe
    config = uvicorn.Config(say_peer, port=0, log_level="critical", lifespan="off")
    owner, stranger = asyncio.run(heard(config))
    assert owner == f"from user {os.getuid()}"
    assert stranger == f"from user {os.getuid()}, passed on for 127.0.0.1"
