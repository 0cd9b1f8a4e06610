"""ASGI middleware: what is ours in the page that Streamlit begins with.

A script at its top knows whether the reader chose light or dark (app/shell), and has to before
anything is drawn. The start page has its shape in it, which is there before all scripts are.
"""

import html

import streamlit as st
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app import shell
from app.server.api import fonts as fonts_route
from app.server.base_path import base_path
from app.services import paths
from core.common import fonts

FIRST_FONT = next(face.file for face in fonts.FACES if face.family == fonts.SANS)
_ANCHOR = b"<head>"
_ROOT = b'<div id="root">'
_OF_THE_FILE = (b"content-length", b"etag", b"last-modified")
_CONDITIONS = (b"accept-encoding", b"if-none-match", b"if-modified-since", b"range")


class FirstPage:
    """Puts the script into every HTML page that is answered, and its shape into the start page."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "GET" or not _wants_page(scope):
            await self.app(scope, receive, send)
            return
        plain = [(k, v) for k, v in scope["headers"] if k not in _CONDITIONS]
        shape = shell.first_shape() if _is_start(scope["path"]) else ""
        await self.app({**scope, "headers": plain}, receive, _Rewriting(send, shape))


def _is_start(path: str) -> bool:
    """Whether the start page is at an address; a server started on a file goes on to Build."""
    return path.rstrip("/") == base_path() and paths.first_file() is None


def _wants_page(scope: Scope) -> bool:
    return any(k == b"accept" and b"text/html" in v for k, v in scope["headers"])


class _Rewriting:
    """Sends an answer on; one that is HTML when all of it is there, with the script in it."""

    def __init__(self, send: Send, shape: str) -> None:
        self.send, self.shape = send, shape
        self.start: Message | None = None
        self.body = b""

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start" and _is_page(message):
            self.start = message
        elif self.start is None:
            await self.send(message)
        else:
            self.body += message.get("body", b"")
            if not message.get("more_body", False):
                await self._send_page(self.start)

    async def _send_page(self, start: Message) -> None:
        body = self.body.replace(_ANCHOR, _ANCHOR + head().encode(), 1)
        body = body.replace(_ROOT, self.shape.encode() + _ROOT, 1)
        kept = [(k, v) for k, v in start["headers"] if k.lower() not in _OF_THE_FILE]
        length = (b"content-length", str(len(body)).encode())
        await self.send({**start, "headers": [*kept, length]})
        await self.send({"type": "http.response.body", "body": body})


def _is_page(start: Message) -> bool:
    kinds = [v for k, v in start["headers"] if k.lower() == b"content-type"]
    return start["status"] == 200 and any(kind.startswith(b"text/html") for kind in kinds)


def head() -> str:
    """What stands first in the page: its typefaces, fetched before a style asks for them, and the
    script."""
    folder = f".{fonts_route.FOLDER}"
    early = (
        f'<link rel="preload" href="{folder}{FIRST_FONT}" as="font" type="font/woff2" crossorigin>'
    )
    return f"{early}<style>{fonts.rules(folder)}</style>{script()}"


def script() -> str:
    """The element: the script, and the colours behind the pages of the theme."""
    colours = {
        name: html.escape(str(st.get_option(f"theme.{name}.backgroundColor") or ""))
        for name in ("light", "dark")
    }
    return (
        f'<script src="./{shell.SCHEME}" data-light="{colours["light"]}" '
        f'data-dark="{colours["dark"]}"></script>'
    )
