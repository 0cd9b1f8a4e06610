"""Same-origin check: requests from pages of another site or another port are refused.

Streamlit lets any page of this machine open its channel, whatever port it came from, and the
channel needs no password. A browser says truly where a page came from, and programs, which say
nothing, could do all that the user can anyway. A site whose name was turned to this machine's own
address (DNS rebinding) still says its name as the host it asks, so every route looks at that.
"""

import streamlit as st
from starlette.types import ASGIApp, Receive, Scope, Send

ASKS_ONLY = frozenset({"GET", "HEAD", "OPTIONS"})


OPTION = "server.allowedHosts"
LOCAL = ("localhost", "127.0.0.1")


class SameOrigin:
    """Middleware that refuses other hosts, and messages and channels of other pages."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        why = _refused(scope) if scope["type"] in ("http", "websocket") else b""
        if not why:
            await self.app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        else:
            plain = [(b"content-type", b"text/plain; charset=utf-8")]
            await send({"type": "http.response.start", "status": 403, "headers": plain})
            await send({"type": "http.response.body", "body": why})


def _refused(scope: Scope) -> bytes:
    """Why a request gets nothing; nothing if it may."""
    if not is_known_host(_headers(scope).get(b"host", "")):
        return b"The workbench is not called by this name. --allow-host NAME adds one."
    asks = scope["type"] == "http" and scope["method"] in ASKS_ONLY
    return b"" if asks or not is_foreign(scope) else b"Not from this page."


def is_known_host(host: str) -> bool:
    """Whether the workbench may be called by this name (`server.allowedHosts`), on any port."""
    name, _, port = host.rpartition(":")
    name = (name if port.isdecimal() else host).lower().rstrip(".")
    known = [entry.strip().lower().rstrip(".") for entry in st.get_option(OPTION) or LOCAL]
    ends = tuple(entry[1:] for entry in known if entry.startswith("*."))
    return name in known or "*" in known or bool(ends and name.endswith(ends))


def _headers(scope: Scope) -> dict[bytes, str]:
    return {name: value.decode("latin-1") for name, value in scope["headers"]}


def is_foreign(scope: Scope) -> bool:
    """Whether a request comes from a page of another origin."""
    headers = _headers(scope)
    origin = headers.get(b"origin")
    origin_host = (origin or "").partition("://")[2]
    return origin is not None and origin_host.lower() != headers.get(b"host", "").lower()
