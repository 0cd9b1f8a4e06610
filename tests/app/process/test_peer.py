"""Whose socket is at the other end of a connection of this machine."""

import encodings.idna  # noqa: F401  read before another user, who may not, needs it
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from app.process.peer import peer_of

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
        (("192.0.2.7", 0), "through a proxy from 192.0.2.7"),
        (("127.0.0.1", 0), "through a proxy from 127.0.0.1"),
        (None, "through a proxy from "),
    ],
)
def test_another_machine_is_known_by_its_address(
    client: tuple[str, int] | None, words: str
) -> None:
    server = ("fe80::2", 8501) if client and ":" in client[0] else ("192.0.2.8", 8501)
    assert peer_of({"client": client, "server": server}) == words
