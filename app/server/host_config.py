"""Streamlit's own error dialogs are switched off: the pages say what is wrong, where it matters.

When the server is away, its "Connection error" lies over the page until the server is back and
takes the keyboard; the canvas goes on drawing meanwhile, and says that edits are kept.
"""

import json
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

PATH = "/_stcore/host-config"


class WithoutDialogs:
    """Middleware that adds one setting to what Streamlit tells its page when it starts."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not scope["path"].endswith(PATH):
            await self.app(scope, receive, send)
            return
        plain = [(k, v) for k, v in scope["headers"] if k != b"accept-encoding"]
        messages: list[Message] = []

        async def keep(message: Message) -> None:
            messages.append(message)

        await self.app({**scope, "headers": plain}, receive, keep)
        for message in _changed(messages):
            await send(message)


def _changed(messages: list[Message]) -> list[Message]:
    """The answer with the setting in it; one that is no JSON object stays as it is."""
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
