"""Only our own pages may speak to the server: not those of another site, nor of another port.

Streamlit lets any page of this machine open its channel, whatever port it came from, and the
channel needs no password. A browser says truly where a page came from, and programs, which say
nothing, could do all that the user can anyway.
"""

from starlette.types import ASGIApp, Receive, Scope, Send

ASKS_ONLY = frozenset({"GET", "HEAD", "OPTIONS"})


class SameOrigin:
    """Middleware that refuses messages and channels of pages from another address."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket" and is_foreign(scope):
            await send({"type": "websocket.close", "code": 1008})
        elif scope["type"] == "http" and scope["method"] not in ASKS_ONLY and is_foreign(scope):
            await send({"type": "http.response.start", "status": 403, "headers": []})
            await send({"type": "http.response.body", "body": b"Not from this page."})
        else:
            await self.app(scope, receive, send)


def is_foreign(scope: Scope) -> bool:
    """Whether a page of another address than the one it asks for sends this."""
    said = {name: value.decode("latin-1") for name, value in scope["headers"]}
    origin = said.get(b"origin")
    place = (origin or "").partition("://")[2]
    return origin is not None and place.lower() != said.get(b"host", "").lower()
