"""The route of the curves: only for the page's own token, only run folders, strict JSON."""

import asyncio
import json
from urllib.parse import unquote, urlsplit

import pytest
from starlette.applications import Starlette

from app.canvas import tokens
from app.server.api import runs
from app.server.api.runs import whole
from app.strict_json import json_safe


@pytest.fixture
def run_dir(tmp_path, monkeypatch):
    monkeypatch.setenv("LAYERLOOM_RUNS", str(tmp_path / "runs"))
    folder = tmp_path / "runs" / "lenet-001"
    folder.mkdir(parents=True)
    (folder / "spec.json").write_text('{"project": "LeNet", "training": {"epochs": 3}}')
    (tmp_path / "secret").mkdir()
    return folder


class Answer:
    """What the route sent: its status, headers and JSON."""

    def __init__(self, messages):
        self.status = messages[0]["status"]
        self.headers = {k.decode(): v.decode() for k, v in messages[0]["headers"]}
        self.body = b"".join(message.get("body", b"") for message in messages[1:])

    def json(self):
        return json.loads(self.body)


async def ask(url, token):
    """Send one GET to the routes as a server would."""
    parts, messages = urlsplit(url), []
    headers = [] if token is None else [(b"x-ll-token", token.encode())]
    scope = {
        "type": "http",
        "method": "GET",
        "path": unquote(parts.path),
        "query_string": parts.query.encode(),
        "headers": headers,
    }

    async def receive():
        return {"type": "http.request", "body": b""}

    async def send(message):
        messages.append(message)

    await Starlette(routes=runs.ROUTES)(scope, receive, send)
    return Answer(messages)


@pytest.fixture
def get(run_dir):
    token = tokens.mint()
    return lambda url, given=token: asyncio.run(ask(url, given))


def write(run_dir, *lines):
    with (run_dir / "metrics.jsonl").open("a") as file:
        file.writelines(line + "\n" for line in lines)


def epoch(number, loss):
    return json.dumps({"attempt": 1, "kind": "epoch", "epoch": [number], "val_loss": [loss]})


@pytest.mark.parametrize("token", [None, "", "guess"])
def test_without_the_pages_token_a_request_is_refused(get, token):
    answer = get("/api/ll/runs/lenet-001", token)
    assert answer.status == 403
    assert answer.json() == {"error": "This page's session has ended; reload the page."}


@pytest.mark.parametrize(
    "name", ["..", "%2e%2e", "..%2fsecret", "%2e%2e%2fsecret", "nothing", "%00"]
)
def test_only_a_run_folder_is_read(get, name):
    assert get(f"/api/ll/runs/{name}").status == 404


def test_a_link_out_of_the_runs_is_not_followed(get, run_dir):
    (run_dir.parent / "link").symlink_to(run_dir.parent.parent / "secret")
    assert get("/api/ll/runs/link").status == 404


def test_a_poll_brings_only_what_is_new(get, run_dir):
    write(run_dir, epoch(1, 0.5))
    first = get("/api/ll/runs/lenet-001").json()
    assert [r["val_loss"] for r in first["records"]] == [[0.5]]
    write(run_dir, epoch(2, 0.25))
    second = get(f"/api/ll/runs/lenet-001?from={first['next']}&attempt=0").json()
    assert [r["epoch"] for r in second["records"]] == [[2]]
    assert second["reset"] is False


@pytest.mark.parametrize("value", ["x", [1], {}, 10**400])
@pytest.mark.parametrize("column", ["loss", "step"])
def test_what_is_not_a_number_is_a_damaged_line_and_not_drawn(
    get, run_dir, monkeypatch, column, value
):
    monkeypatch.setattr(runs, "MUCH", -1)
    good = {"attempt": 1, "kind": "step", "step": list(range(3000)), "loss": [0.5] * 3000}
    write(run_dir, json.dumps(good))
    write(run_dir, json.dumps(good | {column: [value] * 3000}))
    answer = get("/api/ll/runs/lenet-001/steps?low=0&high=9999")
    assert answer.status == 200
    assert answer.json()["steps"]["loss"] == [0.5] * 1000  # as many as are drawn


def test_a_half_written_line_waits(get, run_dir):
    with (run_dir / "metrics.jsonl").open("a") as file:
        file.write(epoch(1, 0.5)[:10])
    answer = get("/api/ll/runs/lenet-001").json()
    assert (answer["records"], answer["next"]) == ([], 0)


@pytest.mark.parametrize("query", ["from=99999&attempt=0", "from=20&attempt=7"])
def test_a_file_cut_back_or_a_new_attempt_starts_over(get, run_dir, query):
    write(run_dir, epoch(1, 0.5))
    answer = get(f"/api/ll/runs/lenet-001?{query}").json()
    assert answer["reset"] is True
    assert len(answer["records"]) == 1


def test_answers_are_not_cached_and_say_how_the_run_stands(get):
    answer = get("/api/ll/runs/lenet-001")
    assert answer.headers["cache-control"] == "no-store"
    view = answer.json()["view"]
    assert (view["name"], view["state"], view["epochs"]) == ("lenet-001", "queued", 3)


def test_numbers_that_are_not_finite_become_null():
    assert json_safe({"a": (1.5, float("nan")), "b": float("inf")}) == {"a": [1.5, None], "b": None}


@pytest.mark.parametrize("text", [None, "", "-1", "1e3", "٣", "9" * 40])
def test_an_offset_that_is_no_number_counts_as_zero(text):
    assert whole(text) == 0
