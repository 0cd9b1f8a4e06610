"""Streamlit's error dialogs are off, and nothing else of what it tells its page is changed."""

import asyncio
import json

import pytest
from starlette.responses import JSONResponse, PlainTextResponse, Response

from app.server.access import Access
from app.server.base_path import BasePath
from app.server.first_page import FirstPage
from app.server.main import app
from app.server.middleware import HOST_CONFIG, SecurityHeaders, ShortPaths, WithoutDialogs
from app.server.origin import SameOrigin

CONFIG = {"allowedOrigins": [], "metricsUrl": "", "blockErrorDialogs": False}


def ask(answer: Response, path: str = HOST_CONFIG) -> tuple[int, dict[str, str], bytes]:
    """Send one GET through the middleware to what always answers the same."""
    scope = {"type": "http", "method": "GET", "path": path, "query_string": b""}
    scope["headers"] = [(b"accept-encoding", b"gzip")]
    messages = []

    async def inner(scope, receive, send):
        assert path != HOST_CONFIG or scope["headers"] == []
        await answer(scope, receive, send)

    async def receive():
        return {"type": "http.request", "body": b""}

    async def send(message):
        messages.append(message)

    asyncio.run(WithoutDialogs(inner)(scope, receive, send))
    headers = {k.decode(): v.decode() for k, v in messages[0]["headers"]}
    return messages[0]["status"], headers, b"".join(m.get("body", b"") for m in messages[1:])


def test_the_dialogs_are_switched_off_and_the_rest_stays() -> None:
    status, headers, body = ask(JSONResponse(CONFIG, headers={"Cache-Control": "no-cache"}))
    assert (status, headers["cache-control"]) == (200, "no-cache")
    assert json.loads(body) == {**CONFIG, "blockErrorDialogs": True}
    assert int(headers["content-length"]) == len(body)


@pytest.mark.parametrize("text", ["no JSON", "[1]"])
def test_an_answer_that_is_not_understood_stays_as_it_is(text: str) -> None:
    assert ask(PlainTextResponse(text))[2] == text.encode()


def test_a_refusal_stays_a_refusal() -> None:
    status, _, body = ask(JSONResponse({"detail": "no"}, 403))
    assert (status, json.loads(body)) == (403, {"detail": "no"})


def test_other_addresses_pass_untouched() -> None:
    assert json.loads(ask(JSONResponse(CONFIG), "/other")[2]) == CONFIG


def test_the_workbench_has_it_behind_the_look_at_who_asks() -> None:
    assert [m.cls for m in app._user_middleware] == [
        SecurityHeaders,
        SameOrigin,
        Access,
        ShortPaths,
        BasePath,
        WithoutDialogs,
        FirstPage,
    ]
