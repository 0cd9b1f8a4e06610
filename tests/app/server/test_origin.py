"""Pages of other addresses are refused, whatever they ask of the server."""

import asyncio
import base64
import hashlib

import pytest
import streamlit as st

from app.server.middleware import SecurityHeaders
from app.server.origin import SameOrigin, is_known_host


def sent(kind: str, method: str, **headers: str) -> list[dict]:
    """What the middleware answers; "let through" where it leaves that to the application."""
    messages: list[dict] = []

    async def application(scope, receive, send):
        messages.append({"type": "let through"})

    async def send(message):
        messages.append(message)

    pairs = [(name.encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": kind, "method": method, "path": "/_stcore/stream", "headers": pairs}
    asyncio.run(SameOrigin(application)(scope, None, send))
    return messages


@pytest.mark.parametrize(
    "origin",
    [
        "http://localhost:9999",
        "http://127.0.0.1:8501",
        "http://evil@localhost:8501",
        "",
        "http://localhost:8501.evil.example",
        "https://evil.example",
        "null",
        "http://[",
        "http://evil-localhost:8501",
        "http://localhost:8501.",
        "http://localhost",
        "localhost:8501",
        "http://[::1]:8501",
    ],
)
def test_another_address_opens_no_channel_and_sends_nothing(origin):
    host = "localhost:8501"
    refused = sent("websocket", "", host=host, origin=origin)
    assert refused == [{"type": "websocket.close", "code": 1008}]
    assert sent("http", "POST", host=host, origin=origin)[0]["status"] == 403
    assert sent("http", "PUT", host=host, origin=origin)[0]["status"] == 403


@pytest.mark.parametrize("origin", ["http://[::1]:8502", "http://a[::1]:8501", "http://1]:8501"])
def test_an_address_by_number_is_compared_whole(origin):
    assert sent("websocket", "", host="[::1]:8501", origin=origin)[0]["code"] == 1008
    own = sent("websocket", "", host="[::1]:8501", origin="http://[::1]:8501")
    assert own == sent("websocket", "", host="[::1]:8501")


def test_our_own_pages_and_programs_are_let_through():
    through = [{"type": "let through"}]
    own = {"host": "localhost:8501", "origin": "http://LOCALHOST:8501"}
    assert sent("websocket", "", **own) == through
    assert sent("http", "POST", **own) == through
    assert sent("websocket", "", host="localhost:8501") == through
    assert sent("http", "GET", host="localhost:8501", origin="http://localhost:9") == through
    assert sent("lifespan", "") == through


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8501", "localhost.evil.example", ""]
)
def test_a_name_that_is_not_the_workbenchs_gets_nothing_from_any_route(host: str):
    for method in ("GET", "HEAD", "POST"):
        assert sent("http", method, host=host)[0]["status"] == 403
    assert sent("websocket", "", host=host) == [{"type": "websocket.close", "code": 1008}]


def test_names_that_the_server_is_started_with_are_known(monkeypatch: pytest.MonkeyPatch):
    assert is_known_host("LOCALHOST.:9")
    allowed = ["hub.example", "*.lab.example"]
    monkeypatch.setattr(st, "get_option", {"server.allowedHosts": allowed}.__getitem__)
    known = ["hub.example", "a.lab.example:80", "lab.example", "localhost", "ahub.example"]
    assert [is_known_host(name) for name in known] == [True, True, False, False, False]


def test_every_answer_says_that_no_frame_may_show_it_and_what_may_run_on_it():
    async def application(scope, receive, send):
        headers = [(b"X-Frame-Options", b"ALLOWALL"), (b"content-type", b"text/html")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})

    messages: list[dict] = []

    async def send(message):
        messages.append(message)

    asyncio.run(SecurityHeaders(application)({"type": "http"}, None, send))
    headers = {key.decode(): value.decode() for key, value in messages[0]["headers"]}
    assert [key for key in headers if key.lower() == "x-frame-options"] == ["x-frame-options"]
    assert headers["x-frame-options"] == "DENY"
    assert headers["x-content-type-options"] == "nosniff"
    policy = dict(part.split(" ", 1) for part in headers["content-security-policy"].split("; "))
    assert policy["frame-ancestors"] == policy["default-src"] == "'none'"
    inline = base64.b64encode(
        hashlib.sha256(b"\n      window.prerenderReady = false\n    ").digest()
    ).decode()
    assert policy["script-src"] == f"'self' blob: 'sha256-{inline}'"
    assert "unsafe-eval" not in headers["content-security-policy"]
