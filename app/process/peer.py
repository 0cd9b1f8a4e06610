"""Who is at the other end of a connection: a user of this machine, or another machine.

Browsers send a cookie to every port of a host, so another user's server there receives ours. It
could send it to us, but only from a process of its own user.
"""

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
WAIT_S = 1.0


def peer_of(scope: Mapping[str, Any]) -> str:
    """Words for who sends a request, the same for all requests of one browser."""
    host, port = scope.get("client") or ("", 0)
    if not port:  # as uvicorn marks what a proxy passes on
        return f"through a proxy from {host}"
    user = _user_at((host, port), scope.get("server") or ("", 0))
    return f"from {host}" if user is None else f"from user {user}"


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
