"""POST /api/ll/sample/{question}: one sample through the drawing of a canvas, run by the worker.

The token names the session, as for edits; the drawing is the session's, whose revision the answer
tells. The body is {"sample": {"part", "index"} or {"own"}, "within", ...}.
"""

import json
from collections.abc import Callable
from typing import Any, NoReturn, cast

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from app.canvas.session import session_of
from app.process import pool
from app.server.api import wire
from app.services import one_sample
from app.services.document import Document

MAX_BYTES = 8 * 2**20
MAX_INDEX, MAX_PATH, MAX_NUMBERS = 10**9, 500, 20_000
LIMIT_S = 30.0
UNKNOWN = "The canvas asked for something this version does not know."

Json = dict[str, Any]


async def sample(request: Request) -> Response:
    """Answer one question about a sample."""
    doc = session_of(request.headers.get("x-ll-token"))
    same = request.headers.get("sec-fetch-site", "same-origin") == "same-origin"
    if not isinstance(doc, Document) or not same:
        return wire.answer({"error": wire.ENDED}, 403)
    body = await wire.read(request, MAX_BYTES)
    if body is None:
        return wire.answer({"error": f"The sample may have {MAX_BYTES >> 20} MB."}, 413)
    question = QUESTIONS.get(request.path_params["question"])
    arguments = None if question is None else _read(body, question)
    if arguments is None:
        return wire.answer({"error": UNKNOWN}, 400)
    return await run_in_threadpool(_answer, doc, request.path_params["question"], arguments)


def _answer(doc: Document, question: str, arguments: tuple[Any, ...]) -> Response:
    try:
        revision = doc.sem_rev
        network = one_sample.network_of(doc)
        found = pool.call(
            f"core.insight.one_sample.asked:{question}", network.ref, *arguments, timeout_s=LIMIT_S
        )
    except pool.PoolError as error:
        return wire.answer({"error": str(error)}, 422)
    return wire.answer({**found, "weights": network.weights, "run": network.run, "rev": revision})


def _read(body: bytes, take: "Callable[[Json], tuple[Any, ...] | None]") -> tuple[Any, ...] | None:
    """What the function of the question takes after the network; None for what is no request."""
    try:
        message = json.loads(body, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None
    if not isinstance(message, dict) or not _is_sample(message.get("sample")):
        return None
    given = take(cast(Json, message))
    return None if given is None else (message["sample"], *given)


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


def _is_sample(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    found = cast(Json, value)
    if "own" in found:
        return set(found) == {"own"} and _is_own(found["own"])
    index = found.get("index")
    right = type(index) is int and 0 <= index <= MAX_INDEX
    return right and set(found) == {"part", "index"} and isinstance(found["part"], str)


def _is_own(value: Any) -> bool:
    """Whether it has one level of plain values: what is no sample, the worker says in words."""
    return isinstance(value, dict) and all(map(_is_plain, cast(Json, value).values()))


def _is_plain(value: Any) -> bool:
    if isinstance(value, list):
        numbers = cast("list[Any]", value)
        return len(numbers) <= MAX_NUMBERS and all(type(n) in (int, float) for n in numbers)
    return isinstance(value, str)


def _path(message: Json, key: str) -> str | None:
    value = message.get(key)
    return value if isinstance(value, str) and len(value) <= MAX_PATH else None


def _look(message: Json) -> tuple[Any, ...] | None:
    within = _path(message, "within")
    return None if within is None else (within,)


def _probe(message: Json) -> tuple[Any, ...] | None:
    path, port, page = _path(message, "path"), _path(message, "port"), message.get("page")
    right = type(page) is int and 0 <= page <= MAX_INDEX
    return (path, port, page) if path is not None and port is not None and right else None


def _numpy(message: Json) -> tuple[Any, ...] | None:
    path, port, gradient = _path(message, "path"), _path(message, "port"), message.get("gradient")
    right = path is not None and port is not None and isinstance(gradient, bool)
    return (path, port, gradient) if right else None


def _step(_message: Json) -> tuple[Any, ...]:
    return ()


QUESTIONS: dict[str, Callable[[Json], tuple[Any, ...] | None]] = {
    "look": _look, "probe": _probe, "numpy": _numpy, "step": _step,
}  # fmt: skip
ROUTES = [Route(f"{wire.PREFIX}/sample/{{question}}", sample, methods=["POST"])]
