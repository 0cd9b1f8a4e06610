"""Who is at the other end of a connection: a user of this machine, or another machine.

Browsers send a cookie to every port of a host, so another user's server there receives ours. It
could send it to us, but only from a process of its own user.

Headers of a request add to that and never replace it: servers that ask here do not let uvicorn take
the address out of X-Forwarded-For, which could name the port of another user's connection.
"""

import re
import socket
import struct
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

SOCK_DIAG, BY_FAMILY, REQUEST = 4, 20, 1
OPEN_STATES = (1, 4, 8)
"""Established, and half closed at one end: in the others, Linux names no user."""
ANY_SOCKET = 0xFFFFFFFF
ID = "!HH16s16sI"
ADDRESS = re.compile(r"\[(.*)\](?::\d*)?|([^:]*):\d*")
"""An address with a port, which is another for each connection of a browser."""
WAIT_S = 1.0


def peer_of(scope: Mapping[str, Any]) -> str:
    """Words for who sends a request, the same for all requests of one browser."""
    host, port = scope.get("client") or ("", 0)
    user = _user_at((host, port), scope.get("server") or ("", 0)) if port else None
    words = f"from {host}" if user is None else f"from user {user}"
    sender = _passed_on(scope)
    return f"{words}, passed on for {sender}" if sender else words


def _passed_on(scope: Mapping[str, Any]) -> str:
    """For whom a proxy asks, as it says itself at the end of what others said; "" for no proxy."""
    names = [value for name, value in scope.get("headers", ()) if name == b"x-forwarded-for"]
    last = b",".join(names).decode("latin-1").rpartition(",")[2].strip()
    found = ADDRESS.fullmatch(last)
    return (found[1] or found[2]) if found else last


def _user_at(client: tuple[str, int], server: tuple[str, int]) -> int | None:
    """The user who has the socket at the other end, None if it is of another machine, or unknown.

    Looks up the one socket by netlink (sock_diag), which takes some ten microseconds.
    """
    family = socket.AF_INET6 if ":" in client[0] else socket.AF_INET
    with suppress(OSError, AttributeError, struct.error):
        ends = [socket.inet_pton(family, end[0].partition("%")[0]) for end in (client, server)]
        which = struct.pack(ID, client[1], server[1], *ends, 0) + struct.pack(
            "=II", *[ANY_SOCKET] * 2
        )
        query = struct.pack("=BBBBI", family, socket.IPPROTO_TCP, 0, 0, ANY_SOCKET) + which
        head = struct.pack("=IHHII", 16 + len(query), BY_FAMILY, REQUEST, 0, 0)
        with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, SOCK_DIAG) as line:
            line.settimeout(WAIT_S)
            line.send(head + query)
            answer = line.recv(4096)
        if struct.unpack_from("=H", answer, 4)[0] == BY_FAMILY and answer[17] in OPEN_STATES:
            return int(struct.unpack_from("=I", answer, 16 + 4 + 48 + 12)[0])
    return None
