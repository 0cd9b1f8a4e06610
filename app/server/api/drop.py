"""POST /api/ll/drop: files dropped onto the workbench come in, are recognised, kept and read.

The message is one line of JSON, [{"name": "pets/cats/1.png", "size": 1234}, ...], and then the
bytes of these files one after another: so that a browser streams them from its disk, and nothing
here holds more than a piece of them. The answer names what came of it, which the page then takes.
"""

import json
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from app.canvas import tokens
from app.server.api import wire
from app.services import drop_store, staging, uploads
from app.services.file_drop import open_dropped
from app.services.staging import Staged
from core.data import DataError

KIND = "application/x-layerloom-drop"
LONGEST_LIST, LONGEST_NAME = 8 << 20, 1024
Listed = list[tuple[str, int]]


async def drop(request: Request) -> Response:
    """Take what was dropped."""
    token = request.headers.get("x-ll-token")
    if token is None or not tokens.known(token):
        return wire.answer({"error": wire.ENDED}, 403)
    if not wire.is_of_our_page(request):
        return wire.answer({"error": wire.ENDED}, 403)
    if request.headers.get("content-type", "") != KIND:
        return wire.answer({"error": f"The message must be {KIND}."}, 415)
    try:
        with staging.staging() as folder:
            files = await _received(request.stream(), folder)
            opened = await run_in_threadpool(open_dropped, files)
    except DataError as error:
        return wire.answer({"error": str(error)}, 422)
    except ClientDisconnect:  # cancelled: what had come is gone with its folder
        return wire.answer({"error": "The upload was cancelled."}, 400)
    return wire.answer({"drop": drop_store.keep(token, opened)})


async def _received(stream: AsyncIterator[bytes], folder: Path) -> list[Staged]:
    """Write the files of a message into a folder, under numbers. Raises DataError."""
    listed, rest = await _list(stream)
    with uploads.refusals():
        return await _written(listed, rest, stream, folder)


async def _written(
    listed: Listed, rest: bytes, stream: AsyncIterator[bytes], folder: Path
) -> list[Staged]:
    staged: list[Staged] = []
    for number, (name, size) in enumerate(listed):
        path = folder / str(number)
        with path.open("xb") as file:
            rest = await _fill(file, size, rest, stream)
        staged.append(Staged(name, path))
    if rest:
        raise DataError("The upload is larger than announced.", "Drop it again.")
    return staged


async def _fill(file: BinaryIO, size: int, rest: bytes, stream: AsyncIterator[bytes]) -> bytes:
    """Write so many bytes of the stream; returns those that came beyond them."""
    while True:
        file.write(rest[:size])
        if len(rest) >= size:
            return rest[size:]
        size -= len(rest)
        rest = await anext(stream, b"")
        if not rest:
            raise DataError("The upload ended early.", "Drop it again.")


async def _list(stream: AsyncIterator[bytes]) -> tuple[Listed, bytes]:
    """The names and sizes that a message begins with, and what came after them."""
    head = b""
    async for piece in stream:
        head += piece
        if b"\n" in piece:
            line, _, rest = head.partition(b"\n")
            return _checked(line), rest
        if len(head) > LONGEST_LIST:
            break
    raise DataError("The message is not an upload.", "Reload the page.")


def _checked(line: bytes) -> Listed:
    try:
        listed = json.loads(line)
    except (ValueError, RecursionError):
        listed = None
    if not isinstance(listed, list) or not listed or not all(map(_is_file, listed)):
        raise DataError("The message is not an upload.", "Reload the page.")
    files = [(str(file["name"]), int(file["size"])) for file in listed]
    _check_sizes(files)
    return files


def _check_sizes(files: Sequence[tuple[str, int]]) -> None:
    if len(files) > uploads.MOST_FILES or sum(size for _, size in files) > uploads.LARGEST_BYTES:
        raise uploads.too_much()


def _is_file(file: Any) -> bool:
    named = isinstance(file, dict) and isinstance(file.get("name"), str)
    sized = named and type(file.get("size")) is int and file["size"] >= 0
    return sized and len(file["name"]) <= LONGEST_NAME


ROUTES = [Route(f"{wire.PREFIX}/drop", drop, methods=["POST"])]
