"""The route of the strip on the canvas: for a session's own drawing, and only sound requests."""

import asyncio
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette

from app.process import pool
from app.server.api import sample
from app.services import one_sample
from app.services.document import Document
from core.project import open_project

ROOT = Path(__file__).parents[3]
SEVENTH = {"part": "validation", "index": 7}


def post(token: str, body: Any, question: str = "look") -> tuple[int, Any]:
    """Send one POST to the routes as a server would."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    scope = {"type": "http", "method": "POST", "path": f"/api/ll/sample/{question}",
             "query_string": b"", "headers": [(b"x-ll-token", token.encode())]}  # fmt: skip
    messages: list[Any] = []

    async def receive():
        return {"type": "http.request", "body": data, "more_body": False}

    async def send(message):
        messages.append(message)

    asyncio.run(Starlette(routes=sample.ROUTES)(scope, receive, send))
    sent = b"".join(m.get("body", b"") for m in messages[1:])
    return messages[0]["status"], json.loads(sent)


@pytest.fixture
def document(tmp_path, monkeypatch):
    """An open project on iris, in a workspace of its own."""
    monkeypatch.setenv("LAYERLOOM_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LAYERLOOM_RUNS", str(tmp_path / "runs"))
    path = tmp_path / "iris.loom.json"
    shutil.copy(ROOT / "projects" / "mlp_iris.loom.json", path)
    return Document("iris", open_project(path), path)


@pytest.fixture
def asked(monkeypatch):
    """Note the calls that reach the worker in place of making them."""
    calls: list[Any] = []

    def call(function, *args, timeout_s):
        calls.append((function, args, timeout_s))
        return {"made": True}

    monkeypatch.setattr(pool, "call", call)
    monkeypatch.setattr(Document, "analysed", lambda _: {"source": "class Net: ...\n"})
    return calls


def test_a_sound_request_reaches_the_worker_with_the_drawing_s_network(document, asked):
    status, answer = post(document.channel, {"sample": SEVENTH, "within": ""})
    assert status == 200
    assert answer == {
        "made": True, "weights": "Initial weights: not trained yet", "run": "", "rev": 0,
    }  # fmt: skip
    ((function, (ref, chosen, within), _),) = asked
    assert function == "core.insight.one_sample.asked:look"
    assert (ref[0], ref[2], chosen, within) == ("project", "", SEVENTH, "")
    assert '"block": "Linear"' in ref[1]
    drawing = {"own": {"drawing": "AAAA", "shape": [1, 3]}}
    assert post(document.channel, {"sample": drawing, "within": "stage."})[0] == 200


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b'{"sample": {"part": "validation", "index": NaN}, "within": ""}',
        {"sample": SEVENTH},
        {"sample": {"part": "validation", "index": -1}, "within": ""},
        {"sample": {"part": "validation", "index": True}, "within": ""},
        {"sample": {"part": "validation", "index": 1, "more": 2}, "within": ""},
        {"sample": {"own": {"row": [[1]]}}, "within": ""},
        {"sample": {"own": {"row": [1] * 30_000}}, "within": ""},
        {"sample": SEVENTH, "within": "x" * 1000},
    ],
)
def test_what_is_no_request_is_refused_before_the_worker(document, asked, body):
    assert post(document.channel, body) == (400, {"error": sample.UNKNOWN})
    assert asked == []


def test_only_the_session_of_a_canvas_may_ask(document, asked):
    assert post("another", {"sample": SEVENTH, "within": ""})[0] == 403
    assert post(document.channel, {"sample": SEVENTH, "within": ""}, "secrets")[0] == 400
    assert post(document.channel, b" " * (sample.MAX_BYTES + 1))[0] == 413
    assert asked == []


def test_what_the_worker_refuses_is_one_sentence(document, monkeypatch):
    def call(*_args, **_more):
        raise pool.PoolError("The row needs 4 numbers but has 2.", "Separate them by spaces.")

    monkeypatch.setattr(pool, "call", call)
    monkeypatch.setattr(Document, "analysed", lambda _: {"source": None})
    own = {"sample": {"own": {"row": [1, 2]}}, "within": ""}
    said = "The row needs 4 numbers but has 2. Separate them by spaces."
    assert post(document.channel, own) == (422, {"error": said})


def test_the_weights_are_those_of_the_newest_run_of_the_same_source(document, asked, tmp_path):
    def run(name: str, source: str) -> None:
        folder = tmp_path / "runs" / name
        (folder / "ckpt").mkdir(parents=True)
        spec = {"project": document.project.name, "training": {}, "document": document.address}
        (folder / "spec.json").write_text(json.dumps(spec))
        (folder / "model.py").write_text(source)
        (folder / "ckpt" / "best.pt").write_bytes(b"weights")

    run("iris-001", "class Net: ...\n")
    network = one_sample.network_of(document)
    assert (network.weights, network.run) == ("Best weights of iris-001", "iris-001")
    assert network.ref[0] == "drawn"
    assert network.ref[2].endswith(f" {tmp_path / 'runs' / 'iris-001'}")
    document.change(name="Irises")  # other text, so another look at the runs
    (tmp_path / "runs" / "iris-001" / "model.py").write_text("class Other: ...\n")
    changed = one_sample.network_of(document)
    assert changed.weights == "Initial weights: iris-001 trained another drawing"
    assert changed.ref[0] == "project"
