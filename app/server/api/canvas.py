"""POST /api/ll/canvas: an edit of the canvas up, the report on it down, without a run of the page.

The token in the header belongs to one session of one tab and is told to that page only; another
site could neither know it nor, without our leave, send a header of its own.
"""

import json
import time
from typing import NoReturn

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from app.canvas.session import DocSession, session_of
from app.process import low_latency
from app.server.api import wire

MAX_BYTES = 4_000_000


async def edit(request: Request) -> Response:
    """Answer one message of a canvas."""
    doc = session_of(request.headers.get("x-ll-token"))
    if doc is None or not wire.is_of_our_page(request):
        return wire.answer({"error": wire.ENDED}, 403)
    if not wire.is_json(request):
        return wire.answer({"error": wire.NO_JSON}, 415)
    body = await wire.read(request, MAX_BYTES)
    if body is None:
        return wire.answer({"error": f"The message must not exceed {MAX_BYTES} bytes."}, 413)
    return await run_in_threadpool(_answer, doc, body)


def _answer(doc: DocSession, body: bytes) -> Response:
    started = time.perf_counter()
    try:
        message = json.loads(body, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return wire.answer({"error": "The message is not JSON."}, 400)
    if not isinstance(message, dict) or message.get("action") is not None:
        return wire.answer({"error": "This action must be sent through the page."}, 409)
    if not doc.receive(message):
        return wire.answer({"error": "The message is not for this session."}, 400)
    low_latency.tidy.worked()
    taken = time.perf_counter()
    doc.analysed()
    checked = time.perf_counter()
    text = json.dumps(doc.down(), allow_nan=False, separators=(",", ":"))
    spent = {
        "take": taken - started,
        "check": checked - taken,
        "write": time.perf_counter() - checked,
    }
    timing = ", ".join(f"{name};dur={1000 * seconds:.1f}" for name, seconds in spent.items())
    return Response(text, 200, {**wire.HEADERS, "Server-Timing": timing}, "application/json")


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number")


ROUTES = [Route(f"{wire.PREFIX}/canvas", edit, methods=["POST"])]
