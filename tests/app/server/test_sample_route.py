"""The route of the strip on the canvas: for a session's own drawing, and only sound requests."""

import asyncio
import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save
from starlette.applications import Starlette

from app.process import pool
from app.server.api import sample
from app.services import one_sample
from app.services.calls import sample as sample_calls
from app.services.document import Document
from core.common.network_ref import DrawnRef, Moment, ProjectRef
from core.project import open_project
from core.runs import epoch_weights, listing

ROOT = Path(__file__).parents[3]
SEVENTH = {"part": "validation", "index": 7}


def post(
    token: str, body: Any, question: str = "look", kind: str = "application/json",
    site: str = "same-origin",
) -> tuple[int, Any]:  # fmt: skip
    """Send one POST to the routes as a server would."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    scope = {"type": "http", "method": "POST", "path": f"/api/ll/sample/{question}",
             "query_string": b"", "headers": [
                 (b"x-ll-token", token.encode()), (b"content-type", kind.encode()),
                 (b"sec-fetch-site", site.encode())]}  # fmt: skip
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
    status, answer = post(document.session.channel, {"sample": SEVENTH, "within": ""})
    assert status == 200
    assert answer == {
        "made": True, "weights": "Initial weights: not trained yet", "run": "", "rev": 0,
        "time": None, "runs": [],
    }  # fmt: skip
    ((function, (ref, chosen, within, moment), _),) = asked
    assert moment is None
    assert function == sample_calls.look
    assert (type(ref), chosen, within) == (ProjectRef, SEVENTH, "")
    assert '"block": "Linear"' in ref.text
    drawing = {"own": {"drawing": "AAAA", "shape": [1, 3]}}
    assert post(document.session.channel, {"sample": drawing, "within": "stage."})[0] == 200


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
        {"sample": SEVENTH, "within": "", "epoch": -1},
        {"sample": SEVENTH, "within": "", "epoch": "3"},
    ],
)
def test_what_is_no_request_is_refused_before_the_worker(document, asked, body):
    assert post(document.session.channel, body) == (400, {"error": sample.UNKNOWN})
    assert asked == []


def test_only_the_session_of_a_canvas_may_ask(document, asked):
    assert post("another", {"sample": SEVENTH, "within": ""})[0] == 403
    assert post(document.session.channel, {"sample": SEVENTH, "within": ""}, "secrets")[0] == 400
    assert post(document.session.channel, b" " * (sample.MAX_BYTES + 1))[0] == 413
    assert asked == []


def test_what_the_worker_refuses_is_one_sentence(document, monkeypatch):
    def call(*_args, **_more):
        raise pool.PoolError("The row needs 4 numbers but has 2.", "Separate them by spaces.")

    monkeypatch.setattr(pool, "call", call)
    monkeypatch.setattr(Document, "analysed", lambda _: {"source": None})
    own = {"sample": {"own": {"row": [1, 2]}}, "within": ""}
    message = "The row needs 4 numbers but has 2. Separate them by spaces."
    assert post(document.session.channel, own) == (422, {"error": message})


@pytest.mark.parametrize("weights", ["best.pt", "best.safetensors"])
def test_the_weights_are_those_of_the_last_run_of_the_same_drawing(
    document, asked, tmp_path, weights
):
    folder = tmp_path / "runs" / "iris-001"
    (folder / "ckpt").mkdir(parents=True)
    spec = {"project": document.project.name, "training": {}, "document": document.address}
    # one that came in a bundle has no model.py
    (folder / "spec.json").write_text(json.dumps({**spec, "brought": weights != "best.pt"}))
    (folder / "project.loom.json").write_text(document.text())
    (folder / "ckpt" / weights).write_bytes(b"weights")
    network = one_sample.network_of(document)
    assert (network.weights, network.run) == ("Best weights of iris-001", "iris-001")
    assert isinstance(network.ref, DrawnRef)
    assert network.ref.run == tmp_path / "runs" / "iris-001"
    document.change(name="Irises")  # other text, so another look at the runs
    assert one_sample.network_of(document).weights == "Best weights of iris-001"
    graph = document.project.graph
    fc1 = replace(graph.nodes["fc1"], settings={"out_features": 5})
    document.change(graph=replace(graph, nodes={**graph.nodes, "fc1": fc1}))
    changed = one_sample.network_of(document)
    assert changed.weights == "Initial weights: iris-001 was trained on another drawing"
    assert isinstance(changed.ref, ProjectRef)
    assert asked[-1][:2] == (sample_calls.fits, (document.text(), str(folder)))


def test_a_drawing_without_its_relu_keeps_the_weights_that_fit(document, monkeypatch, tmp_path):
    folder = tmp_path / "runs" / "iris-001"
    (folder / "ckpt").mkdir(parents=True)
    spec = {"project": document.project.name, "training": {}, "document": document.address}
    (folder / "spec.json").write_text(json.dumps(spec))
    (folder / "project.loom.json").write_text(document.text())
    (folder / "ckpt" / "best.pt").write_bytes(b"weights")
    (folder / "status.json").write_text(json.dumps({"state": "finished", "epoch": 2, "beat": 1}))
    monkeypatch.setattr(pool, "call", lambda *_args, **_more: {"fits": True})
    monkeypatch.setattr(Document, "analysed", lambda _: {"source": "class Net: ...\n"})
    assert one_sample.has_finished_run(document)
    graph = document.project.graph
    nodes = {name: node for name, node in graph.nodes.items() if name != "relu1"}
    document.change(graph=replace(graph, nodes=nodes))
    network = one_sample.network_of(document)
    assert network.weights == "Best weights of iris-001, drawing changed since"
    assert (type(network.ref), network.run) == (DrawnRef, "iris-001")
    assert not one_sample.has_finished_run(document)


def test_a_drawing_opens_with_values_after_its_run_not_before(document, asked, run, monkeypatch):
    monkeypatch.setattr(listing, "alive", lambda _: True)
    (run / "ckpt").mkdir()
    (run / "ckpt" / "best.pt").write_bytes(b"weights")
    assert not one_sample.has_finished_run(document)
    monkeypatch.setattr(listing, "alive", lambda _: False)
    assert one_sample.has_finished_run(document)


@pytest.fixture
def run(document, tmp_path) -> Path:
    """A run of the drawing that says it trains, has no checkpoint yet and kept three epochs."""
    folder = tmp_path / "runs" / "iris-001"
    (folder / "weights").mkdir(parents=True)
    (folder / "live").mkdir()
    spec = {"project": document.project.name, "training": {}, "document": document.address}
    (folder / "spec.json").write_text(json.dumps(spec))
    (folder / "project.loom.json").write_text(document.text())
    (folder / "status.json").write_text(json.dumps({"state": "running", "epoch": 2, "beat": 1}))
    for epoch in range(3):
        written(epoch_weights.path_of(folder, epoch), epoch, 20 * epoch)
    return folder


def written(path: Path, epoch: int, step: int) -> None:
    notes = json.dumps({"epoch": epoch, "step": step, "lr": 0.1, "norms": {}})
    path.write_bytes(save({"w": torch.zeros(1)}, {"notes": notes}))


def test_while_a_run_trains_its_newest_weights_are_asked_for_and_shown(
    document, asked, run, monkeypatch
):
    monkeypatch.setattr(listing, "alive", lambda _: True)  # a lock of another process
    status, answer = post(document.session.channel, {"sample": SEVENTH}, "moments")
    assert (status, answer["weights"]) == (200, "Weights of iris-001 after epoch 2")
    assert (run / "follower").exists()
    written(run / epoch_weights.LIVE, 2, 47)
    answer = post(document.session.channel, {"sample": SEVENTH}, "moments")[1]
    assert answer["weights"] == "Weights of iris-001 at step 47"
    assert answer["time"] == {
        "run": "iris-001", "epochs": [0, 1, 2], "fewer": "", "going": True, "best": None,
        "epoch": 2, "step": 47, "live": True,
    }  # fmt: skip
    assert asked == []  # none of that needs the worker
    post(document.session.channel, {"sample": SEVENTH, "within": "", "epoch": 1})
    assert asked[0][1][-1] == Moment(run, 1)


def test_health_and_film_are_of_the_run(document, asked, run):
    post(document.session.channel, {"sample": SEVENTH, "epoch": 1}, "health")
    at = Moment(run, 1)
    assert asked[0][:1] + asked[0][1][1:] == (
        sample_calls.health, str(run), at, at,
    )  # fmt: skip
    film = {"sample": SEVENTH, "epoch": 0, "blocks": ["fc1"], "kind": "gif"}
    post(document.session.channel, film, "film")
    assert asked[1][1][1:] == (SEVENTH, ["fc1"], "gif", str(run), [0, 1, 2])
    assert post(document.session.channel, {**film, "kind": "mp4"}, "film")[0] == 400
    assert post(document.session.channel, {**film, "blocks": []}, "film")[0] == 400


def test_a_drawing_that_never_trained_is_not_sick_and_has_no_film(document, asked):
    answer = post(document.session.channel, {"sample": SEVENTH}, "health")[1]
    assert (answer["marks"], answer["time"]) == ([], None)
    film = {"sample": SEVENTH, "epoch": 0, "blocks": ["fc1"], "kind": "webp"}
    message = "There are no epochs to film. Train this drawing first."
    assert post(document.session.channel, film, "film") == (422, {"error": message})
    assert asked == []


def test_without_data_the_page_that_has_some_is_named(document, asked):
    document.session.update(data={})
    expected = {"error": "The project has no data yet, so there is no sample.", "ask": "data"}
    assert post(document.session.channel, {"sample": SEVENTH, "within": ""}) == (422, expected)
    assert asked == []


def test_a_part_is_asked_with_its_blocks_and_what_feeds_it(document, asked):
    body = {"sample": SEVENTH, "within": "", "blocks": ["fc1", "relu1"], "feed": "zeros"}
    assert post(document.session.channel, body, "part")[0] == 200
    ((function, (_ref, chosen, within, blocks, feed, moment), _),) = asked
    assert function == sample_calls.calculate_part
    assert (chosen, within, blocks, feed) == (SEVENTH, "", ["fc1", "relu1"], "zeros")
    assert moment is None
    document.session.update(data={})
    assert post(document.session.channel, body, "part")[0] == 200
    assert post(document.session.channel, {**body, "feed": "sample"}, "part")[0] == 422
    for wrong in ({"blocks": []}, {"blocks": [1]}, {"blocks": "fc1"}, {"feed": 1}):
        assert post(document.session.channel, {**body, **wrong}, "part")[0] == 400


def test_a_part_is_kept_beside_the_other_projects_with_its_weights(document, monkeypatch, tmp_path):
    from app.services import paths
    from core.common.errors import ProjectError

    text = json.dumps({"layerloom": 1, "name": "iris: fc1", "graph": {"nodes": {}, "edges": []}})
    calls: list[Any] = []

    def call(function, *args, timeout_s):
        calls.append((function, *args))
        Path(args[-1]).write_bytes(save({"fc1.weight": torch.zeros(1)}))
        return {"project": text}

    monkeypatch.setattr(pool, "call", call)
    monkeypatch.setattr(Document, "analysed", lambda _: {"source": "class Net: ...\n"})
    monkeypatch.setattr(paths, "workspace", lambda: tmp_path)
    path = one_sample.keep_part(document, {"within": "", "blocks": ["fc1"], "epoch": None})
    assert path.name == "mlp-on-iris_fc1_fc1.loom.json"
    assert open_project(path).name == "iris: fc1"
    assert path.with_name("mlp-on-iris_fc1_fc1.safetensors").exists()
    assert calls[0][0] == sample_calls.keep_part
    with pytest.raises(ProjectError, match="No blocks are selected"):
        one_sample.keep_part(document, {"within": "", "blocks": [7]})


def test_what_is_no_json_or_comes_from_another_page_reaches_no_function(document, asked):
    sound = {"sample": SEVENTH, "within": ""}
    assert post(document.session.channel, sound, kind="text/plain")[0] == 415
    assert post(document.session.channel, sound, site="same-site")[0] == 403
    assert post(document.session.channel, sound)[0] == 200
    assert len(asked) == 1
