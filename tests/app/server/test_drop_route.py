"""The route of drops: only for the page's own token, streamed, bounded, and nothing left behind."""

import asyncio
import json
from pathlib import Path

import pytest
from starlette.applications import Starlette

from app.canvas import tokens
from app.process import pool
from app.server.api import drop, wire
from app.services import drop_store, uploads

TABLE = b"a,kind\n" + b"".join(b"%d.5,%s\n" % (i, b"xy"[i % 2 : i % 2 + 1]) for i in range(12))
pytestmark = pytest.mark.usefixtures("workspace")


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(pool, "run", lambda function, *args, timeout_s: function(*args))


async def send(pieces: list[bytes], headers: dict[str, str], left: bool = False):
    """Post pieces as a server would; left: the browser goes away after them."""
    scope = {"type": "http", "method": "POST", "path": "/api/ll/drop", "query_string": b"",
             "headers": [(k.encode(), v.encode()) for k, v in headers.items()]}  # fmt: skip
    last = len(pieces) - 1
    queue = [
        {"type": "http.request", "body": piece, "more_body": left or number < last}
        for number, piece in enumerate(pieces)
    ]
    messages: list[dict] = []

    async def receive():
        return queue.pop(0) if queue else {"type": "http.disconnect"}

    async def answer(message):
        messages.append(message)

    await Starlette(routes=drop.ROUTES)(scope, receive, answer)
    body = b"".join(message.get("body", b"") for message in messages[1:])
    return messages[0]["status"], json.loads(body)


def post(pieces: list[bytes], left: bool = False, **headers: str):
    token = tokens.mint()
    usual = {"x-ll-token": token, "content-type": drop.KIND}
    return token, *asyncio.run(send(pieces, {**usual, **headers}, left))


def message(*files: tuple[str, bytes]) -> bytes:
    listed = [{"name": name, "size": len(content)} for name, content in files]
    return json.dumps(listed).encode() + b"\n" + b"".join(content for _, content in files)


def kept(workspace: Path) -> list[str]:
    files = [p for p in (workspace / "data").rglob("*")] if (workspace / "data").exists() else []
    return sorted(p.name for p in files)


@pytest.mark.parametrize("piece", [1, 7, 100_000])
def test_a_file_comes_in_pieces_of_any_size_and_is_read(workspace: Path, piece: int):
    whole = message(("t.csv", TABLE))
    parts = [whole[i : i + piece] for i in range(0, len(whole), piece)]
    token, status, answer = post(parts)
    assert status == 200
    opened = drop_store.take(token, answer["drop"])
    assert opened is not None
    assert opened.data == {"source": "CSV", "file": "data/t.csv"}
    assert (workspace / "data/t.csv").read_bytes() == TABLE
    assert list((workspace / ".layerloom/dropped").iterdir()) == []


@pytest.mark.parametrize(
    ("headers", "status", "why"),
    [
        ({"x-ll-token": "guess"}, 403, wire.ENDED),
        ({"sec-fetch-site": "cross-site"}, 403, wire.ENDED),
        ({"content-type": "text/plain"}, 415, f"The message must be {drop.KIND}."),
    ],
)
def test_only_the_page_itself_may_send(workspace: Path, headers, status, why):
    _, *answer = post([message(("t.csv", TABLE))], **headers)
    assert answer == [status, {"error": why}]
    assert kept(workspace) == []


NO_DROP = "The message is not an upload. Reload the page."


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b"", NO_DROP),
        (b"{}\n", NO_DROP),
        (b"[]\n", NO_DROP),
        (b"[" * 100_000 + b"\n", NO_DROP),
        (b'[{"name": "t.csv"}]\n', NO_DROP),
        (b'[{"name": 1, "size": 1}]\nx', NO_DROP),
        (b'[{"name": "t.csv", "size": -1}]\n', NO_DROP),
        (b'[{"name": "t.csv", "size": true}]\nx', NO_DROP),
        (b'[{"name": "%s.csv", "size": 1}]\nx' % (b"n" * 1024), NO_DROP),
        (b'[{"name": "t.csv", "size": 9}]\nx',
         "The upload ended early. Drop it again."),
        (b'[{"name": "t.csv", "size": 1}]\nxyz',
         "The upload is larger than announced. Drop it again."),
        (json.dumps([{"name": "t.csv", "size": uploads.LARGEST_BYTES + 1}]).encode() + b"\n",
         "An upload can have at most 20,000 files and 1,024 MB. Copy a larger folder into "
         "the workspace yourself."),
    ],
)  # fmt: skip
def test_what_is_no_drop_is_refused_in_a_sentence(workspace: Path, body: bytes, why: str):
    _, *answer = post([body])
    assert answer == [422, {"error": why}]
    assert kept(workspace) == []


def test_an_upload_that_is_cancelled_leaves_nothing(workspace: Path):
    whole = message(("t.csv", TABLE))
    _, status, answer = post([whole[:60]], left=True)
    assert (status, answer) == (400, {"error": "The upload was cancelled."})
    assert kept(workspace) == []
    assert list((workspace / ".layerloom/dropped").iterdir()) == []
