"""Whoever does not bear the token gets nothing of the workbench; whoever does gets a cookie."""

import asyncio
import os
import re
import stat
import webbrowser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.routing import BaseRoute, Mount, Route

from app.cli import workbench
from app.server import access
from app.server.main import app

GOOD = "a-token-of-this-test"
LOCAL = (b"host", b"localhost:8501")


@pytest.fixture
def token(monkeypatch: pytest.MonkeyPatch) -> str:
    """A server that was started with a token."""
    monkeypatch.setattr(access, "_made", [])
    monkeypatch.setenv("LAYERLOOM_TOKEN", GOOD)
    return GOOD


def sent(path: str, query: str = "", kind: str = "http", method: str = "GET", **more: str) -> Any:
    """What the whole server answers: messages, each a dict."""
    pairs = [(name.encode(), value.encode()) for name, value in more.items()]
    scope = {"type": kind, "method": method, "path": path, "raw_path": path.encode(),
             "query_string": query.encode(), "headers": [LOCAL, *pairs], "scheme": "http",
             "root_path": "", "http_version": "1.1", "server": ("127.0.0.1", 8501),
             "client": ("127.0.0.1", 1), "subprotocols": []}  # fmt: skip
    messages: list[Any] = []

    coming = iter([{"type": "http.request", "body": b"", "more_body": False}])

    async def receive():
        await asyncio.sleep(0)
        return next(coming, {"type": "http.disconnect"})

    async def send(message):
        messages.append(message)

    asyncio.run(app(scope, receive, send))
    return messages


def answer(path: str, query: str = "", **more: str) -> tuple[int, dict[str, str], str]:
    """Status, headers and text of an answer."""
    first, *rest = sent(path, query, **more)
    headers = {key.decode().lower(): value.decode() for key, value in first["headers"]}
    return first["status"], headers, b"".join(m.get("body", b"") for m in rest).decode()


def paths(routes: list[BaseRoute]) -> Iterator[tuple[str, str]]:
    """A path and a method of every route of the server."""
    for route in routes:
        if isinstance(route, Mount):
            yield f"{route.path}/x", "GET"
        elif isinstance(route, Route):
            for method in route.methods or ():
                yield re.sub(r"{[^}]*}", "x", route.path), method


def every_path() -> list[tuple[str, str]]:
    starlette: Any = app._build_starlette_app() if hasattr(app, "_build_starlette_app") else app
    ours = [("/", "GET"), ("/build", "GET"), ("/app/static/canvas/index.js", "GET")]
    ours += [("/static/js/index.js", "GET"), ("/_stcore/health", "GET"), ("/favicon.png", "GET")]
    return [*ours, *paths(list(starlette.routes))]


def test_without_it_every_route_answers_403_in_one_sentence(token: str) -> None:
    asked = every_path()
    assert len(asked) > 15
    for path, method in asked:
        status, headers, text = answer(path, method=method)
        assert (status, text) == (403, access.REFUSAL), path
        assert headers["cache-control"] == "no-store"
        assert headers["x-frame-options"] == "DENY"


def test_without_it_the_channel_is_closed_before_it_opens(token: str) -> None:
    messages = sent("/_stcore/stream", kind="websocket")
    assert messages == [{"type": "websocket.close", "code": 1008}]


@pytest.mark.parametrize("query", ["token=", "token=a-token", "token=%FF", f"Token={GOOD}"])
def test_another_token_gets_nothing(token: str, query: str) -> None:
    assert answer("/", query)[0] == 403


@pytest.mark.parametrize("value", ["", GOOD, "0" * 64, "\u00ff"])
def test_another_cookie_gets_nothing(token: str, value: str) -> None:
    assert answer("/", cookie=f"{access.cookie_name()}={value}")[0] == 403


def test_the_address_with_it_gets_a_cookie_and_loses_it(token: str) -> None:
    status, headers, text = answer("/build", f"a=1&token={GOOD}&file=net.loom.json")
    assert status == 200
    name, _, rest = headers["set-cookie"].partition("=")
    value, *terms = rest.split("; ")
    assert name.startswith("layerloom-")
    assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= set(terms)
    assert GOOD not in headers["set-cookie"]
    assert 'content="0;url=/build?a=1&amp;file=net.loom.json"' in text
    assert GOOD not in text
    assert answer("/_stcore/health", cookie=f"other=1; {name}={value}")[0] == 200


def test_the_cookie_is_of_one_port_and_of_one_user(
    token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asks = "from user 1000"
    monkeypatch.setattr(access.peer, "peer_of", lambda _: asks)
    given = {}
    for port in (8501, 8502):
        monkeypatch.setattr(access, "cookie_name", lambda port=port: f"layerloom-{port}")
        given[port] = answer("/", f"token={GOOD}")[1]["set-cookie"].partition(";")[0]
    name, _, other = given[8501].partition("=")
    assert answer("/_stcore/health", cookie=f"layerloom-8502={other}")[0] == 403
    assert answer("/_stcore/health", cookie=given[8502])[0] == 200
    asks = "from user 1001"  # whose server at another port was sent it
    assert answer("/_stcore/health", cookie=given[8502])[0] == 403
    assert name == "layerloom-8501"


def test_a_path_cannot_lead_the_browser_elsewhere(token: str) -> None:
    _, _, text = answer('//evil.example/"><script>', f"token={GOOD}")
    assert 'content="0;url=/evil.example/%22%3E%3Cscript%3E"' in text


def test_programs_send_it_in_a_header(token: str) -> None:
    assert answer("/_stcore/health", authorization=f"Bearer {GOOD}")[0] == 200
    assert answer("/_stcore/health", authorization="Bearer no")[0] == 403


def test_an_empty_one_leaves_it_to_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access, "_made", [])
    monkeypatch.setenv("LAYERLOOM_TOKEN", "")
    assert answer("/_stcore/health")[0] == 200
    assert access.address_with_token("http://localhost:1") == "http://localhost:1"


def test_each_start_makes_another_and_no_process_inherits_it(
    monkeypatch: pytest.MonkeyPatch, token: str
) -> None:
    assert access.token() == GOOD
    assert "LAYERLOOM_TOKEN" not in os.environ
    made = set[str]()
    for _ in range(2):
        monkeypatch.setattr(access, "_made", [])
        made.add(access.token())
        assert access.token() in made
    assert len(made) == 2
    assert min(map(len, made)) >= 32


def test_a_browser_is_called_with_a_page_that_only_its_user_reads(
    token: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    called = list[str]()
    monkeypatch.setattr(webbrowser, "open", called.append)
    page = tmp_path / "home" / "open-8501.html"
    workbench.open_browser(f"http://localhost:8501/?token={GOOD}", page)
    assert called == [page.as_uri()]
    assert stat.S_IMODE(page.stat().st_mode) == 0o600
    assert f"url=http://localhost:8501/?token={GOOD}" in page.read_text("utf-8")


@pytest.mark.parametrize("letters", [300, 5000])
@pytest.mark.parametrize("start", ["/", "/app/static/", "/static/", "/api/ll/runs/"])
def test_a_path_that_no_file_has_is_a_404(start: str, letters: int) -> None:
    status, _, _ = answer(start + "x" * letters, accept="text/html")
    assert status == 404
