"""Pages of other addresses are refused, whatever they ask of the server."""

import asyncio

import pytest

from app.origin import SameOrigin


def sent(kind: str, method: str, **headers: str) -> list[dict]:
    """What the middleware answers; "let through" where it leaves that to the application."""
    told: list[dict] = []

    async def application(scope, receive, send):
        told.append({"type": "let through"})

    async def send(message):
        told.append(message)

    pairs = [(name.encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": kind, "method": method, "path": "/_stcore/stream", "headers": pairs}
    asyncio.run(SameOrigin(application)(scope, None, send))
    return told


@pytest.mark.parametrize(
    "origin",
    ["http://localhost:9999", "http://127.0.0.1:8501", "https://evil.example", "null", "http://["],
)
def test_another_address_opens_no_channel_and_sends_nothing(origin):
    host = "localhost:8501"
    refused = sent("websocket", "", host=host, origin=origin)
    assert refused == [{"type": "websocket.close", "code": 1008}]
    assert sent("http", "POST", host=host, origin=origin)[0]["status"] == 403
    assert sent("http", "PUT", host=host, origin=origin)[0]["status"] == 403


def test_our_own_pages_and_programs_are_let_through():
    through = [{"type": "let through"}]
    own = {"host": "localhost:8501", "origin": "http://LOCALHOST:8501"}
    assert sent("websocket", "", **own) == through
    assert sent("http", "POST", **own) == through
    assert sent("websocket", "", host="localhost:8501") == through
    assert sent("http", "GET", host="localhost:8501", origin="http://localhost:9") == through
    assert sent("lifespan", "") == through
