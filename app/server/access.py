"""Who may use the workbench: whoever has its token.

Every user of this machine reaches a port of it, and what the workbench runs, it runs as its owner.
So each start makes a token, which is in the address that `layerloom` prints and opens. The first
request with it gets a cookie, and the address is asked for again without the token. Anything else,
page, file, route or WebSocket, is refused. LAYERLOOM_TOKEN sets the token; an empty one leaves it
to a proxy with a login of its own to say who may come.

Browsers send the cookie to every port of the host, so it is of one port and of one browser: another
user who receives it there cannot use it here.
"""

import functools
import hashlib
import hmac
import html
import os
import secrets
import threading
from collections.abc import Iterator
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, quote, urlencode

from app.process import peer

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

VARIABLE = "LAYERLOOM_TOKEN"
PARAMETER = "token"
NONCE, PROOF = "x-layerloom-nonce", "x-layerloom-proof"
LONGEST_NONCE = 64
KEPT_S = 30 * 86_400
REFUSAL = "This workbench is private: open the address with the token that `layerloom` printed."
PAGE = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>Layerloom</title>'
    '<meta http-equiv="refresh" content="0;url={}"></html>'
)
"""What asks for an address again from a page of this server: a redirect would not bear the cookie
where another program began it."""
_lock = threading.Lock()
_made: list[str] = []


@functools.cache
def _start() -> bytes:
    """The secret of this start: not made at the import, which forks of one process share."""
    return secrets.token_bytes(32)


def token() -> str:
    """The token of this server; "" where a proxy says who may use it.

    It is taken out of the environment, which processes of the server inherit.
    """
    with _lock:
        given = os.environ.pop(VARIABLE, None)
        if given is not None:
            _made[:] = [given.strip()]
        elif not _made:
            _made.append(secrets.token_urlsafe(24))
        return _made[0]


def address_with_token(address: str) -> str:
    """The address at which a browser gets the cookie."""
    return f"{address}/?{urlencode({PARAMETER: token()})}" if token() else address


def proof(nonce: str, number: str, port: int) -> str:
    """What only the server of this process can answer to a nonce, at the address it is asked at.

    The address is in it, as somebody in between could ask us for an answer to pass on.

    It is made of a secret of the start and not of the token, which may be a short word that could
    be guessed from the answer.
    """
    return hmac.new(
        _start(), f"proof of {nonce} at {number} {port}".encode(), hashlib.sha256
    ).hexdigest()


def is_proof(given: str, nonce: str, number: str, port: int) -> bool:
    """Whether an answer to a nonce came from the server of this process."""
    return _is_right(given, proof(nonce, number, port))


class Access:
    """Middleware that lets in who bears the token or the cookie, and refuses all others."""

    def __init__(self, app: "ASGIApp") -> None:
        self.app = app

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        send = _with_proof(scope, send)
        if scope["type"] not in ("http", "websocket") or not token():
            await self.app(scope, receive, send)
        elif scope["type"] == "http" and _is_right(_asked(scope).get(PARAMETER, ""), token()):
            await _answer(send, HTTPStatus.OK, *_welcome(scope))
        elif _is_known(scope):
            await self.app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        else:
            kind = (b"content-type", b"text/plain; charset=utf-8")
            await _answer(send, HTTPStatus.FORBIDDEN, [kind], REFUSAL)


def cookie_name() -> str:
    """The name of the cookie: cookies are the same on all ports, and several may be served."""
    import streamlit as st

    return f"layerloom-{st.get_option('server.port')}"


def cookie_value(scope: "Scope") -> str:
    """The cookie of this token at this port for one browser, which does not reveal the token."""
    words = f"cookie of the workbench {cookie_name()} {peer.peer_of(scope)}"
    return hmac.new(token().encode(), words.encode(), hashlib.sha256).hexdigest()


def _with_proof(scope: "Scope", send: "Send") -> "Send":
    """Where a request brings a nonce, answer it with the proof, whatever else is answered."""
    nonce = dict(scope.get("headers", ())).get(NONCE.encode(), b"").decode("latin-1")
    if scope["type"] != "http" or not 0 < len(nonce) <= LONGEST_NONCE:
        return send

    number, port = scope.get("server") or ("", 0)
    value = proof(nonce, number, port or 0).encode()

    async def send_with_proof(message: "Message") -> None:
        if message["type"] == "http.response.start":
            head = [*message.get("headers", ()), (PROOF.encode(), value)]
            message = {**message, "headers": head}
        await send(message)

    return send_with_proof


async def _answer(
    send: "Send", status: HTTPStatus, headers: list[tuple[bytes, bytes]], body: str
) -> None:
    head = [*headers, (b"cache-control", b"no-store")]
    await send({"type": "http.response.start", "status": status.value, "headers": head})
    await send({"type": "http.response.body", "body": body.encode()})


def _welcome(scope: "Scope") -> tuple[list[tuple[bytes, bytes]], str]:
    """Headers with the cookie, and the page that asks for the same address without the token."""
    from app.server.base_path import base_path

    rest = urlencode([(k, v) for k, v in _pairs(scope) if k != PARAMETER])
    there = "/" + quote(scope["path"].lstrip("/")) + (f"?{rest}" if rest else "")
    secure = "; Secure" if _is_encrypted(scope) else ""
    cookie = (
        f"{cookie_name()}={cookie_value(scope)}; Path={base_path() or '/'}; Max-Age={KEPT_S}; "
        f"HttpOnly; SameSite=Strict{secure}"
    )
    kind = (b"content-type", b"text/html; charset=utf-8")
    return [kind, (b"set-cookie", cookie.encode())], PAGE.format(html.escape(there))


def _is_encrypted(scope: "Scope") -> bool:
    """Whether the browser asks by https, as a proxy says that passes it on."""
    said = dict(scope["headers"]).get(b"x-forwarded-proto", b"").strip()
    return b"https" in (said, scope.get("scheme", "").encode())


def _is_known(scope: "Scope") -> bool:
    """Whether a request bears the cookie, or the token as programs send it."""
    from starlette.requests import cookie_parser

    for name, value in scope["headers"]:
        text = value.decode("latin-1")
        if name == b"cookie" and _is_right(
            cookie_parser(text).get(cookie_name(), ""), cookie_value(scope)
        ):
            return True
        if name == b"authorization" and _is_right(text.removeprefix("Bearer "), token()):
            return True
    return False


def _is_right(given: str, right: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), right.encode())


def _asked(scope: "Scope") -> dict[str, str]:
    return dict(_pairs(scope))


def _pairs(scope: "Scope") -> Iterator[tuple[str, str]]:
    """What an address asks for, behind its ?."""
    text = scope.get("query_string", b"").decode("latin-1")
    return iter(parse_qsl(text, keep_blank_values=True))
