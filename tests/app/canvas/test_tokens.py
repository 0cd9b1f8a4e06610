"""The route of the canvas: one session's own token, bounded JSON, no action, nothing on a GET."""

import asyncio
import copy
import gc
import json
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette

from app.canvas.session import DocSession, session_of
from app.process.pool import PoolError
from app.server.api import canvas as route
from core.project import read_text

FIXTURE: dict[str, Any] = json.loads((Path(__file__).parent / "protocol.json").read_text("utf-8"))
REPORT = {"nodes": {"conv1": {"state": "ok", "outputs": {}, "params": 80}}, "source": "x = 1\n"}


def session() -> DocSession:
    project = read_text(json.dumps(FIXTURE["project"]))
    return DocSession("two.loom.json", project, None, lambda graph: copy.deepcopy(REPORT))


class Answer:
    def __init__(self, messages: list[Any]) -> None:
        self.status = messages[0]["status"]
        self.headers = {k.decode(): v.decode() for k, v in messages[0]["headers"]}
        self.body = b"".join(message.get("body", b"") for message in messages[1:])

    def json(self) -> Any:
        return json.loads(self.body)


def send(body: bytes, method: str = "POST", **headers: str) -> Answer:
    """Send one request as a server would, the body in pieces of 100 kB."""
    given = {
        "content-type": "application/json",
        **{k.replace("_", "-"): v for k, v in headers.items()},
    }
    scope = {"type": "http", "method": method, "path": "/api/ll/canvas", "query_string": b"",
             "headers": [(k.encode(), v.encode()) for k, v in given.items()]}  # fmt: skip
    pieces = [body[i : i + 100_000] for i in range(0, len(body), 100_000)] or [b""]
    messages: list[Any] = []

    async def receive() -> dict[str, Any]:
        piece = pieces.pop(0) if pieces else b""
        return {"type": "http.request", "body": piece, "more_body": bool(pieces)}

    async def keep(message: Any) -> None:
        messages.append(message)

    asyncio.run(Starlette(routes=route.ROUTES)(scope, receive, keep))
    return Answer(messages)


def up(doc: DocSession, **changes: Any) -> bytes:
    return json.dumps({**FIXTURE["up"], "sid": doc.sid, **changes}).encode()


def test_an_edit_is_taken_and_the_report_comes_back():
    doc = session()
    answer = send(up(doc), x_ll_token=doc.channel)
    down = answer.json()
    assert answer.status == 200
    assert doc.project.graph.nodes["conv1"].settings["out_channels"] == 8
    assert (down["ackRev"], down["annRev"], down["sid"], down["told"]) == (1, 1, doc.sid, 1)
    assert down["annotations"]["nodes"]["conv1"]["params"] == 80
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["server-timing"].startswith("take;dur=")


def test_the_answer_after_the_next_edit_holds_only_what_changed():
    doc = session()
    send(up(doc), x_ll_token=doc.channel)
    down = send(up(doc, rev=2, semRev=2, have=1), x_ll_token=doc.channel).json()
    assert (down["ackRev"], down["told"], down["annotations"], down["changes"]) == (
        2,
        1,
        None,
        None,
    )


@pytest.mark.parametrize("token", ["", "guessed"])
def test_without_the_token_of_a_session_nothing_is_taken(token: str):
    doc = session()
    assert send(up(doc), x_ll_token=token).status == 403
    assert doc.rev == 0


def test_the_token_of_one_session_does_not_open_another():
    mine, other = session(), session()
    answer = send(up(other), x_ll_token=mine.channel)
    assert answer.status == 200
    assert (mine.rev, other.rev) == (0, 0)


def test_a_token_ends_with_its_session():
    doc = session()
    token = doc.channel
    assert session_of(token) is doc
    del doc
    gc.collect()
    assert session_of(token) is None


def test_another_site_is_refused_even_with_the_token():
    doc = session()
    assert send(up(doc), x_ll_token=doc.channel, sec_fetch_site="cross-site").status == 403
    assert send(up(doc), x_ll_token=doc.channel, sec_fetch_site="same-origin").status == 200


def test_a_get_changes_nothing():
    doc = session()
    assert send(up(doc), method="GET", x_ll_token=doc.channel).status == 405
    assert doc.rev == 0


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"no json", 400),
        (b"[1, 2]", 409),
        (b'{"v": NaN}', 400),
        (b"[" * 200_000, 400),
        (b'{"v": 3}', 400),
        (b"\xff\xfe", 400),
        (b"1" * (route.MAX_BYTES + 1), 413),
    ],
)
def test_what_is_no_message_is_refused(body: bytes, status: int):
    doc = session()
    assert send(body, x_ll_token=doc.channel).status == status
    assert doc.rev == 0


def test_a_form_of_another_site_has_the_wrong_type():
    doc = session()
    assert send(up(doc), x_ll_token=doc.channel, content_type="text/plain").status == 415


def test_an_action_goes_through_the_page():
    doc = session()
    action = {"id": "tab-1", "name": "train", "args": {}}
    assert send(up(doc, action=action), x_ll_token=doc.channel).status == 409
    assert doc.take_action() is None
    assert doc.rev == 0


def test_a_check_that_failed_is_reported_and_the_edit_is_kept():
    doc = session()

    def fails(graph: Any) -> Any:
        raise PoolError("The check took longer than 10 s and was stopped.")

    doc.analysis._analyse = fails  # pyright: ignore[reportPrivateUsage]
    down = send(up(doc), x_ll_token=doc.channel).json()
    assert down["ackRev"] == 1
    assert down["annotations"]["failed"] == "The check took longer than 10 s and was stopped."
