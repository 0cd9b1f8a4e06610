"""POST /api/ll/ask/{question}: queries of the canvas, answered by the worker.

The canvas sends the graph with the query, so that an answer never depends on the session.
"""

import json
from collections.abc import Callable
from typing import Any, cast

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from app.canvas import protocol, tokens
from app.canvas.custom_ports import without_ports
from app.canvas.message_reader import read
from app.canvas.messages.queries import QUESTIONS, AskAfter, AskCurve
from app.process import pool
from app.server.api import wire
from app.services.calls import drawing

MAX_BYTES = 5 * 2**20
LIMITS_S = {"after": 10.0, "timed": 60.0, "curve": 5.0}

UNKNOWN = "The canvas sent a request that this version does not know; reload the page."

Json = dict[str, Any]
CALLS: dict[str, Callable[..., Json]] = {
    "after": drawing.after,
    "timed": drawing.timed,
    "curve": drawing.curve,
}


async def ask(request: Request) -> Response:
    """Answer one question of a canvas."""
    if not tokens.known(request.headers.get("x-ll-token")) or not wire.is_of_our_page(request):
        return wire.answer({"error": wire.ENDED}, 403)
    if not wire.is_json(request):
        return wire.answer({"error": wire.NO_JSON}, 415)
    question = request.path_params["question"]
    body = _object(await wire.read(request, MAX_BYTES))
    arguments = None if body is None else _arguments(question, body)
    if arguments is None:
        return wire.answer(
            {"error": UNKNOWN},
            400,
        )
    try:
        answer = await run_in_threadpool(
            pool.call, CALLS[question], *arguments, timeout_s=LIMITS_S[question]
        )
    except pool.PoolError as error:
        return wire.answer({"error": str(error)}, 422)
    return wire.answer(answer)


def _object(text: bytes | None) -> Json | None:
    """Read a message as a JSON object; None if it is none, or too large."""
    try:
        message = None if text is None else json.loads(text)
        if isinstance(message, dict):
            protocol.check_size(cast(Json, message))
            return cast(Json, message)
    except (ValueError, RecursionError, protocol.BadMessage):
        return None
    return None


def _arguments(question: str, body: Json) -> tuple[Any, ...] | None:
    """What the function of that name takes, with every part of its kind; None if not."""
    if question not in QUESTIONS:
        return None
    try:
        asked = read(QUESTIONS[question].asks, body)
        if isinstance(asked, AskCurve):
            return asked.block, asked.settings
        protocol.read_graph(asked.graph)
    except protocol.BadMessage:
        return None
    graph = without_ports(asked.graph)
    return (graph, asked.edits) if isinstance(asked, AskAfter) else (graph, "Network", asked.batch)


ROUTES = [Route(f"{wire.PREFIX}/ask/{{question}}", ask, methods=["POST"])]
