"""What a browser may do with our pages: show them in no frame, and load nothing from elsewhere.

In a frame of another site, the page under the user's pointer could be our question whether to trust
some Python. A script that slipped into a page could neither come from elsewhere nor tell elsewhere.
"""

import base64
import hashlib
import re
from pathlib import Path

import streamlit
from starlette.types import ASGIApp, Message, Receive, Scope, Send

INLINE = re.compile(rb"<script>(.*?)</script>", re.DOTALL)
OWN = (b"content-security-policy", b"x-frame-options", b"x-content-type-options",
       b"cross-origin-resource-policy", b"referrer-policy")  # fmt: skip


class SecurityHeaders:
    """Middleware that says so in every answer."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        values = (content_security_policy(), "DENY", "nosniff", "same-origin", "no-referrer")
        self.headers = [(k, v.encode()) for k, v in zip(OWN, values, strict=True)]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def told(message: Message) -> None:
            if message["type"] == "http.response.start":
                others = [(k, v) for k, v in message["headers"] if k.lower() not in OWN]
                message = {**message, "headers": [*others, *self.headers]}
            await send(message)

        await self.app(scope, receive, told if scope["type"] == "http" else send)


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
        "connect-src": "'self'",
        "worker-src": "'self' blob:",
        "manifest-src": "'self'",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": "'none'",
    }
    return "; ".join(f"{name} {value.strip()}" for name, value in parts.items())
