"""Who may ask: a token where one is wanted, known names of this machine, no pages of other sites.

A page whose site's name was turned to this machine (DNS rebinding) still says that name as the host
it asks. One of another site says so as its origin. There is no CORS: no other page reads an answer.
"""

import hmac
from collections.abc import Sequence
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs

from starlette.responses import JSONResponse, RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.process import peer
from core.samples.inputs import RequestError

OPEN_PATHS = ("/health", "/ready")
LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
HEADERS = (
    (b"x-frame-options", b"DENY"),
    (b"x-content-type-options", b"nosniff"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"referrer-policy", b"no-referrer"),
)


class Guard:
    """Middleware. token: "" for none. hosts: names it may be called by, none for any."""

    def __init__(self, app: ASGIApp, token: str, hosts: Sequence[str]) -> None:
        self.app, self.token, self.hosts = app, token, [host.lower() for host in hosts]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message["headers"], *HEADERS]}
            await send(message)

        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        if refused := self._refused(scope, headers):
            app: ASGIApp = JSONResponse(refused.json(), refused.status)
            if refused.status == 401:
                app.headers["www-authenticate"] = "Bearer"
        elif self._brings_token(scope):
            app = RedirectResponse(".", 303)
            app.set_cookie(*self._cookie(scope), httponly=True, samesite="strict")
        else:
            app = self.app
        await app(scope, receive, send_with_headers)

    def _refused(self, scope: Scope, headers: dict[bytes, str]) -> RequestError | None:
        """Why a request gets nothing; None if it may."""
        host = headers.get(b"host", "").lower()
        if self.hosts and _name(host) not in self.hosts:
            return RequestError(
                403,
                "The server does not answer to this host name.",
                "Start it with --allow-host NAME.",
            )
        origin = headers.get(b"origin")
        if origin is not None and origin.partition("://")[2].lower() != host:
            return RequestError(403, "The request comes from a page of another site.")
        if not self.token or scope["path"] in OPEN_PATHS or self._brings_token(scope):
            return None
        name, value = self._cookie(scope)
        if self._is_token(_bearer(headers)) or _is_same(_cookie(headers, name), value):
            return None
        hint = "Open the address that it printed, or send the header Authorization: Bearer TOKEN."
        return RequestError(401, "The server requires its token.", hint)

    def _brings_token(self, scope: Scope) -> bool:
        """Whether the page is opened with its token in the address, as the server prints it."""
        if not self.token or scope["path"] != "/" or scope["method"] != "GET":
            return False
        asked = parse_qs(scope["query_string"].decode("latin-1"))
        return self._is_token(asked.get("token", [""])[0])

    def _is_token(self, given: str) -> bool:
        return _is_same(given, self.token)

    def _cookie(self, scope: Scope) -> tuple[str, str]:
        """Name and value of the cookie, which every server of this host is sent: they are of this
        port and this browser alone, and do not tell the token."""
        port = (scope.get("server") or ("", 0))[1]
        words = f"cookie of layerloom serve at {port} {peer.peer_of(scope)}".encode()
        return f"layerloom_serve_{port}", hmac.digest(self.token.encode(), words, "sha256").hex()


def _is_same(given: str, right: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), right.encode())


def _name(host: str) -> str:
    """A host without its port."""
    name, _, port = host.rpartition(":")
    return (name if port.isdecimal() else host).rstrip(".")


def _bearer(headers: dict[bytes, str]) -> str:
    kind, _, token = headers.get(b"authorization", "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else ""


def _cookie(headers: dict[bytes, str], name: str) -> str:
    try:
        found = SimpleCookie(headers.get(b"cookie", "")).get(name)
    except CookieError:
        return ""
    return found.value if found else ""
