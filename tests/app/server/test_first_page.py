"""The first page begins with our script, the start page has its shape; nothing else is changed."""

import asyncio

import pytest
from starlette.responses import HTMLResponse, PlainTextResponse, Response

from app import shell
from app.server.first_page import FirstPage, head, script

PAGE = "<html><head><title>Streamlit</title></head></html>"


def ask(
    answer: Response, accept: bytes = b"text/html,*/*", method: str = "GET", path: str = "/build"
):
    """Send one request through the middleware; return what came in behind it, and the answer."""
    scope = {"type": "http", "method": method, "path": path, "query_string": b""}
    scope["headers"] = [(b"accept", accept), (b"if-none-match", b'"1"')]
    seen, messages = [], []

    async def inner(scope, receive, send):
        seen.extend(scope["headers"])
        await answer(scope, receive, send)

    async def receive():
        return {"type": "http.request", "body": b""}

    async def send(message):
        messages.append(message)

    asyncio.run(FirstPage(inner)(scope, receive, send))
    headers = {k.decode(): v.decode() for k, v in messages[0]["headers"]}
    return dict(seen), headers, b"".join(m.get("body", b"") for m in messages[1:]).decode()


def test_the_script_stands_before_all_others_and_no_older_page_is_taken_for_it() -> None:
    seen, headers, body = ask(HTMLResponse(PAGE, headers={"ETag": '"1"', "Cache-Control": "x"}))
    assert body == PAGE.replace("<head>", "<head>" + head())
    assert (int(headers["content-length"]), headers["cache-control"]) == (len(body), "x")
    assert "etag" not in headers
    assert b"if-none-match" not in seen


def test_the_script_is_a_file_of_this_server() -> None:
    assert script().startswith(f'<script src="./{shell.SCHEME}" data-light="')
    assert shell.SCHEME.startswith("app/static/shell/scheme-")


@pytest.mark.parametrize("answer", [PlainTextResponse(PAGE), HTMLResponse(PAGE, 404)])
def test_what_is_no_page_stays_as_it_is(answer: Response) -> None:
    assert ask(answer)[2] == PAGE


def test_who_asks_for_no_page_gets_the_answer_as_it_is() -> None:
    seen, _, body = ask(HTMLResponse(PAGE), accept=b"*/*")
    assert (body, seen[b"if-none-match"]) == (PAGE, b'"1"')


ROOT = '<div id="root">'
WHOLE = f"<html><head></head><body>{ROOT}</div></body></html>"


def test_the_start_page_has_its_shape_before_all_scripts_and_other_pages_have_none() -> None:
    _, headers, body = ask(HTMLResponse(WHOLE), path="/")
    assert body == WHOLE.replace("<head>", "<head>" + head()).replace(
        ROOT, shell.first_shape() + ROOT
    )
    assert int(headers["content-length"]) == len(body.encode())
    assert "<b>Draw a neural network. Train it. Look inside.</b>" in body
    assert 'id="ll-first"' not in ask(HTMLResponse(WHOLE), path="/data")[2]


def test_a_server_started_on_a_file_goes_to_build_and_shows_no_start_page(monkeypatch) -> None:
    monkeypatch.setenv("LAYERLOOM_OPEN", "a.loom.json")
    assert 'id="ll-first"' not in ask(HTMLResponse(WHOLE), path="/")[2]


def test_the_shape_needs_no_script_and_nothing_from_elsewhere() -> None:
    shape = shell.first_shape()
    assert shape.startswith('<div id="ll-first" aria-hidden="true"><style>')
    for loaded in ("<script", "url(", "src=", "href="):
        assert loaded not in shape
