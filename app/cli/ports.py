"""The port of a server: bound and listened at before its address is printed.

A browser that is sent to a name tries each address which that name has, and whoever listens at one
of them is sent what was meant for us. So addresses are written by number, the port of the other
family is held without being served, and a port at which anybody listens already is not taken.
"""

import contextlib
import errno
import socket
from collections.abc import Iterator
from dataclasses import dataclass

from app.cli import output

LOOPBACK = ("127.0.0.1", "::1")
ANY = ("0.0.0.0", "::")
OTHER_FAMILY = dict(zip((*LOOPBACK, *ANY), ("::1", "127.0.0.1", "::", "0.0.0.0"), strict=True))
OUTSIDE = {socket.AF_INET: "192.0.2.1", socket.AF_INET6: "2001:db8::1"}
"""Addresses that nobody has (RFC 5737, RFC 3849), so that the way to them is the way out."""
TAKEN = (errno.EADDRINUSE, errno.EACCES)
BACKLOG = 2048


@dataclass(frozen=True)
class Bound:
    """A port that is ours. number: the address it is bound at. line: what listens there."""

    number: str
    line: socket.socket

    @property
    def port(self) -> int:
        """The number of the port."""
        return int(self.line.getsockname()[1])

    @property
    def address(self) -> str:
        """Where a browser of this machine reaches it, by number."""
        return address_of(self.number, self.port)


def address_of(number: str, port: int) -> str:
    """The address of a server that is bound at a number; one for any is given as other machines
    reach it."""
    reached = _own_number(number) if number in ANY else number
    return f"http://[{reached}]:{port}" if ":" in reached else f"http://{reached}:{port}"


@contextlib.contextmanager
def bound(requested: int | None, first: int, host: str = "127.0.0.1") -> Iterator[Bound]:
    """Take the wanted port, or the first free one from `first` on, until the server has ended.

    Raises UsageError if the wanted one is taken, or is none, and for a host that this machine has
    not.
    """
    if requested is not None and not 1 <= requested <= 65_535:
        hint = f"Use a number from 1 to 65535, or leave it out: the first free one from {first} on."
        raise output.UsageError(f"{requested} is not a port.", hint)
    number = _number(host)
    with contextlib.ExitStack() as kept:
        for port in [requested] if requested else range(first, first + 50):
            try:
                yield Bound(number, _take(number, port, kept))
            except _Taken:
                continue
            return
    raise output.UsageError(
        f"Port {requested} is in use." if requested else "No port is free.",
        "Choose another port with --port, or leave it out.",
    )


class _Taken(Exception):
    """Somebody else is at a port, on one of the addresses that a browser may try."""


def _take(number: str, port: int, kept: contextlib.ExitStack) -> socket.socket:
    """Listen at a port, and hold the other family's, all until `kept` is closed. Raises _Taken,
    UsageError."""
    with contextlib.ExitStack() as opened:
        if number in LOOPBACK:
            for anywhere in ANY:
                with contextlib.ExitStack() as trial:
                    _bind(anywhere, port, trial)
        line = _bind(number, port, opened)
        if line is None:
            raise output.UsageError(
                f"{number} is not an address of this machine.", "Use 127.0.0.1 or 0.0.0.0."
            )
        try:
            line.listen(BACKLOG)
        except OSError as error:
            raise _Taken from error
        if number in OTHER_FAMILY:
            held = _bind(OTHER_FAMILY[number], port, opened)
            if held is not None:  # it never listens, so nobody else may bind there either
                held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 0)
        kept.push(opened.pop_all())
    return line


def _bind(number: str, port: int, kept: contextlib.ExitStack) -> socket.socket | None:
    """A socket at an address; None where this machine has no such one. Raises _Taken.

    What is left of connections of an earlier server, for a minute, may be there. Somebody else may
    then bind, too, until it listens.
    """
    family = socket.AF_INET6 if ":" in number else socket.AF_INET
    try:
        # asyncio turns off Nagle's delay only where the protocol is stated.
        line = kept.enter_context(socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP))
        if family == socket.AF_INET6:
            line.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        if exclusive := getattr(socket, "SO_EXCLUSIVEADDRUSE", None):  # Windows
            line.setsockopt(socket.SOL_SOCKET, exclusive, 1)
        else:
            line.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        line.bind((number, port))
    except OSError as error:
        if error.errno in TAKEN:
            raise _Taken from error
        return None
    return line


def _number(host: str) -> str:
    """The first address of a host, by number. Raises UsageError."""
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise output.UsageError(
            f"{host} is not an address of this machine.", "Use 127.0.0.1 or 0.0.0.0."
        ) from None
    numbers = [str(each[4][0]) for each in found]
    return next((n for n in numbers if n == LOOPBACK[0]), numbers[0])


def _own_number(anywhere: str) -> str:
    """An address at which other machines reach this one: that of the way out, or of its name."""
    family = socket.AF_INET6 if ":" in anywhere else socket.AF_INET
    with contextlib.suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as way:
        way.connect((OUTSIDE[family], 9))  # sends nothing: only chooses where it would leave
        return str(way.getsockname()[0])
    with contextlib.suppress(OSError, UnicodeError):
        return str(socket.getaddrinfo(socket.gethostname(), None, family)[0][4][0])
    return LOOPBACK[ANY.index(anywhere)]
