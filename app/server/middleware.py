"""ASGI middleware around Streamlit: security headers, and its own error dialogs switched off.

Pages are shown in no frame and load nothing from elsewhere. In a frame of another site, the page
under the user's pointer could be our question whether to trust some Python. A script that slipped
into a page could neither come from elsewhere nor tell elsewhere.
Error dialogs: the pages say what is wrong, where it matters. When the server is away, Streamlit's
"Connection error" lies over the page until the server is back and takes the keyboard; the canvas
goes on drawing meanwhile, and says that edits are kept.
"""

import base64
import hashlib
import json
import re
from pathlib import Path
from typing import Any

import streamlit
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LONGEST_PATH, LONGEST_PART = 2000, 255  # bytes; a file system has no longer part
HOST_CONFIG = "/_stcore/host-config"
INLINE = re.compile(rb"<script>(.*?)</script>", re.DOTALL)
OWN = (
    b"content-security-policy",
    b"x-frame-options",
    b"x-content-type-options",
    b"cross-origin-resource-policy",
    b"referrer-policy",
)


class SecurityHeaders:
    """Adds the headers of OWN to every response."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        values = (content_security_policy(), "DENY", "nosniff", "same-origin", "no-referrer")
        self.headers = [(k, v.encode()) for k, v in zip(OWN, values, strict=True)]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                others = [(k, v) for k, v in message["headers"] if k.lower() not in OWN]
                message = {**message, "headers": [*others, *self.headers]}
            await send(message)

        await self.app(scope, receive, send_with_headers if scope["type"] == "http" else send)


class ShortPaths:
    """Answers 404 for a path that is longer than any of a file."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not _is_too_long(scope["path"]):
            await self.app(scope, receive, send)
            return
        plain = [(b"content-type", b"text/plain; charset=utf-8")]
        await send({"type": "http.response.start", "status": 404, "headers": plain})
        await send({"type": "http.response.body", "body": b"There is no page of this name."})


def _is_too_long(path: str) -> bool:
    text = path.encode("utf-8", "surrogateescape")
    return len(text) > LONGEST_PATH or max(map(len, text.split(b"/"))) > LONGEST_PART


def content_security_policy() -> str:
    """The policy: scripts of this server, of its components (blob:), and those of its first page.

    Styles are written into the page by Streamlit and by the drawings.
    """
    page = Path(streamlit.__file__).parent / "static" / "index.html"
    digests = (hashlib.sha256(text).digest() for text in INLINE.findall(page.read_bytes()))
    inline = " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)
    parts = {
        "default-src": "'none'",
        "script-src": f"'self' blob: {inline}",
        "style-src": "'self' 'unsafe-inline'",
        "img-src": "'self' data: blob:",
        "font-src": "'self' data:",
        "media-src": "'self' blob:",
        "connect-src": "'self' blob:",  # a recording is read back before it is sent
        "worker-src": "'self' blob:",
        "manifest-src": "'self'",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": "'none'",
    }
    return "; ".join(f"{name} {value.strip()}" for name, value in parts.items())


class WithoutDialogs:
    """Adds one setting to the configuration that Streamlit's page reads when it starts."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not scope["path"].endswith(HOST_CONFIG):
            await self.app(scope, receive, send)
            return
        plain = [(k, v) for k, v in scope["headers"] if k != b"accept-encoding"]
        messages: list[Message] = []

        async def keep(message: Message) -> None:
            messages.append(message)

        await self.app({**scope, "headers": plain}, receive, keep)
        for message in _without_dialogs(messages):
            await send(message)


def _without_dialogs(messages: list[Message]) -> list[Message]:
    """The response with the setting in it; one that is no JSON object stays as it is."""
    start, body = messages[0], b"".join(message.get("body", b"") for message in messages[1:])
    try:
        config: Any = json.loads(body)
    except ValueError:
        return messages
    if start["status"] != 200 or not isinstance(config, dict):
        return messages
    body = json.dumps({**config, "blockErrorDialogs": True}).encode()
    other_headers = [(k, v) for k, v in start["headers"] if k.lower() != b"content-length"]
    headers = [*other_headers, (b"content-length", str(len(body)).encode())]
    return [{**start, "headers": headers}, {"type": "http.response.body", "body": body}]
