"""POST /api/ll/sample/{question}: one sample through the drawing of a canvas, run by the worker.

The token names the session, as for edits; the drawing is the session's, whose revision the answer
tells. The body is {"sample": {"part", "index"}, {"own"} or {"plane"}, "epoch", "within", ...};
epoch: of the run whose weights are meant, null for right now. The answer tells where in time it is.
Where there is none, "error" is the sentence for the student, "ask" the page that mends it.
"""

import json
from collections.abc import Callable
from typing import Any, NoReturn

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from app.canvas.message_reader import BadMessage, read
from app.canvas.messages.sample_questions import (
    SAMPLE_QUESTIONS,
    AskPart,
    SampleQuestion,
    arguments,
)
from app.process import pool
from app.server.api import wire
from app.services import one_sample
from app.services.calls import sample as calls
from app.services.document import Document, document_of

MAX_BYTES = 8 * 2**20
LIMIT_S, FILM_S = 30.0, 180.0
NO_DATA = "The project has no data yet, so there is no sample."
UNKNOWN = "The canvas sent a request that this version does not know; reload the page."

Json = dict[str, Any]


async def sample(request: Request) -> Response:
    """Answer one question about a sample."""
    doc = document_of(request.headers.get("x-ll-token"))
    if doc is None or not wire.is_of_our_page(request):
        return wire.answer({"error": wire.ENDED}, 403)
    if not wire.is_json(request):
        return wire.answer({"error": wire.NO_JSON}, 415)
    body = await wire.read(request, MAX_BYTES)
    if body is None:
        return wire.answer({"error": f"The sample must not exceed {MAX_BYTES >> 20} MB."}, 413)
    name = request.path_params["question"]
    question = _read(name, body)
    if question is None:
        return wire.answer({"error": UNKNOWN}, 400)
    return await run_in_threadpool(_answer, doc, name, question)


def _answer(doc: Document, name: str, question: SampleQuestion) -> Response:
    made = isinstance(question, AskPart) and question.feed != "sample"  # needs no data
    if not made and not doc.project.data.get("source"):
        return wire.answer({"error": NO_DATA, "ask": "data"}, 422)
    try:
        revision = doc.session.sem_rev
        network = one_sample.network_of(doc, question.epoch)
        found = ASKED.get(name, _of_sample)(network, name, arguments(question))
    except pool.PoolError as error:
        return wire.answer({"error": str(error)}, 422)
    metadata = {
        "weights": network.weights,
        "run": network.run,
        "runs": network.runs,
        "time": network.time,
        "rev": revision,
    }
    return wire.answer({**found, **metadata}, is_urgent=name == "look")


def _of_sample(network: one_sample.Network, question: str, given: tuple[Any, ...]) -> Json:
    return pool.call(OF_SAMPLE[question], network.ref, *given, network.moment, timeout_s=LIMIT_S)


def _health(network: one_sample.Network, _question: str, _given: tuple[Any, ...]) -> Json:
    """How the network does over all samples; {} for one that never trained: nothing is sick yet."""
    if not network.run:
        return {"marks": [], "vitals": {}, "samples": 0, "step": None}
    of_run = network.folder, network.moment, network.noted
    return pool.call(calls.health, network.ref, *of_run, timeout_s=LIMIT_S)


def _film(network: one_sample.Network, _question: str, given: tuple[Any, ...]) -> Json:
    if network.time is None or not network.time.epochs:
        why = network.time.fewer if network.time else "Train this drawing first."
        raise pool.PoolError(f"There are no epochs to film. {why}")
    chosen, blocks, kind = given
    of_run = network.folder, list(network.time.epochs)
    return pool.call(calls.film, network.ref, chosen, blocks, kind, *of_run, timeout_s=FILM_S)


def _part(network: one_sample.Network, _question: str, given: tuple[Any, ...]) -> Json:
    chosen, within, blocks, feed = given
    selected = chosen, within, blocks, feed, network.moment
    return pool.call(calls.calculate_part, network.ref, *selected, timeout_s=LIMIT_S)


OF_SAMPLE: dict[str, Callable[..., Json]] = {
    "look": calls.look,
    "probe": calls.probe,
    "numpy": calls.numpy,
    "magnitudes": calls.magnitudes,
    "step": calls.step,
}
ASKED: dict[str, Callable[[one_sample.Network, str, tuple[Any, ...]], Json]] = {
    "health": _health,
    "film": _film,
    "moments": lambda *_: {},
    "part": _part,
}


def _read(name: str, body: bytes) -> SampleQuestion | None:
    """The question of that name; None for what is none."""
    if name not in SAMPLE_QUESTIONS:
        return None
    try:
        message = json.loads(body, parse_constant=_refuse)
        return read(SAMPLE_QUESTIONS[name].asks, message)
    except (ValueError, RecursionError, BadMessage):
        return None


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number")


ROUTES = [Route(f"{wire.PREFIX}/sample/{{question}}", sample, methods=["POST"])]
