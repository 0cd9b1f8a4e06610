"""The route of the canvas's questions: only with the page's token, only sound questions."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette

from app.canvas import tokens
from app.canvas.custom_ports import with_ports
from app.process import pool
from app.server.api import ask
from app.services.calls import drawing
from core.project import graph_to_json, open_project

GRAPH = {"nodes": {"image": {"block": "Input", "settings": {"shape": [4]}}}, "edges": []}
CUSTOM = Path(__file__).parents[2] / "files" / "v1" / "python.loom.json"
EDITS = [{"op": "remove", "node": "image"}]


def post(
    question: str, body: Any, token: str | None = None, kind: str = "application/json",
    site: str = "same-origin",
) -> tuple[int, Any]:  # fmt: skip
    """Send one POST to the routes as a server would."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    headers = [(b"x-ll-token", (tokens.mint() if token is None else token).encode())]
    headers += [(b"content-type", kind.encode()), (b"sec-fetch-site", site.encode())]
    scope = {"type": "http", "method": "POST", "path": f"/api/ll/ask/{question}",
             "query_string": b"", "headers": headers}  # fmt: skip
    messages: list[Any] = []

    async def receive():
        return {"type": "http.request", "body": data, "more_body": False}

    async def send(message):
        messages.append(message)

    asyncio.run(Starlette(routes=ask.ROUTES)(scope, receive, send))
    sent = b"".join(m.get("body", b"") for m in messages[1:])
    return messages[0]["status"], json.loads(sent)


@pytest.fixture
def asked(monkeypatch):
    """Note the calls that reach the worker in place of making them."""
    calls: list[Any] = []

    def call(function, *args, timeout_s):
        calls.append((function, args, timeout_s))
        return {"made": True}

    monkeypatch.setattr(pool, "call", call)
    return calls


def test_a_sound_question_reaches_the_function_of_its_name(asked):
    assert post("after", {"graph": GRAPH, "edits": EDITS}) == (200, {"made": True})
    assert post("timed", {"graph": GRAPH, "batch": 64}) == (200, {"made": True})
    assert post("curve", {"block": "ReLU", "settings": {}}) == (200, {"made": True})
    assert [(f, args, s) for f, args, s in asked] == [
        (drawing.after, (GRAPH, EDITS), 10.0),
        (drawing.timed, (GRAPH, "Network", 64), 60.0),
        (drawing.curve, ("ReLU", {}), 5.0),
    ]


def test_of_a_custom_block_only_what_the_file_has_reaches_the_worker(asked):
    graph = json.loads(json.dumps(graph_to_json(open_project(CUSTOM).graph)))
    shown = with_ports(graph)
    assert shown["composites"]["Gate"]["nodes"] == {}
    assert post("timed", {"graph": shown, "batch": 64})[0] == 200
    assert post("after", {"graph": shown, "edits": EDITS})[0] == 200
    assert [args[0] for _, args, _ in asked] == [graph, graph]


def test_without_the_pages_token_nothing_is_answered(asked):
    status, found = post("after", {"graph": GRAPH, "edits": EDITS}, token="guessed")
    assert (status, found["error"]) == (403, "This page's session has ended; reload the page.")
    assert asked == []


@pytest.mark.parametrize(
    ("question", "body"),
    [
        ("open", {"graph": GRAPH}),
        ("after", {"graph": GRAPH, "edits": []}),
        ("after", {"graph": GRAPH, "edits": ["remove"]}),
        ("after", {"graph": GRAPH, "edits": [{"op": "add", "id": "import os", "block": "ReLU"}]}),
        ("after", {"graph": {"nodes": 3}, "edits": EDITS}),
        ("timed", {"graph": GRAPH, "batch": 0}),
        ("timed", {"graph": GRAPH, "batch": True}),
        ("timed", {"batch": 4}),
        ("curve", {"block": 3, "settings": {}}),
        ("curve", [1]),
        ("curve", b"{"),
        ("curve", b" " * (5 * 2**20 + 1)),
    ],
)
def test_what_is_no_sound_question_never_reaches_the_worker(asked, question, body):
    status, found = post(question, body)
    assert status == 400
    assert (
        found["error"]
        == "The canvas sent a request that this version does not know; reload the page."
    )
    assert asked == []


def test_a_worker_that_refuses_is_quoted_in_its_words(monkeypatch):
    def call(*_args, **_more):
        raise pool.PoolError("Softmax has no curve.")

    monkeypatch.setattr(pool, "call", call)
    body = {"block": "Softmax", "settings": {}}
    assert post("curve", body) == (422, {"error": "Softmax has no curve."})


def test_what_is_no_json_or_comes_from_another_page_reaches_no_function(asked):
    sound = {"graph": GRAPH, "batch": 64}
    assert post("timed", sound, kind="text/plain")[0] == 415
    assert post("timed", sound, site="cross-site")[0] == 403
    assert post("timed", sound, site="same-site")[0] == 403
    assert post("timed", sound, kind="application/json; charset=utf-8")[0] == 200
    assert len(asked) == 1
