"""POST /api/ll/sample/{question}: one sample through the drawing of a canvas, run by the worker.

The token names the session, as for edits; the drawing is the session's, whose revision the answer
tells. The body is {"sample": {"part", "index"}, {"own"} or {"plane"}, "epoch", "within", ...};
epoch: of the run whose weights are meant, null for right now. The answer tells where in time it is.
Where there is none, "error" is the sentence for the student, "ask" the page that mends it.
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
from app.services.calls import sample as calls
from app.services.document import Document

MAX_BYTES = 8 * 2**20
MAX_INDEX, MAX_PATH, MAX_NUMBERS = 10**9, 500, 20_000
LIMIT_S, FILM_S = 30.0, 180.0
MAX_BLOCKS = 12
NO_DATA = "The project has no data yet, so there is no sample."
UNKNOWN = "The canvas asked for something this version does not know."

Json = dict[str, Any]


async def sample(request: Request) -> Response:
    """Answer one question about a sample."""
    doc = session_of(request.headers.get("x-ll-token"))
    if not isinstance(doc, Document) or not wire.is_of_our_page(request):
        return wire.answer({"error": wire.ENDED}, 403)
    if not wire.is_json(request):
        return wire.answer({"error": wire.NO_JSON}, 415)
    body = await wire.read(request, MAX_BYTES)
    if body is None:
        return wire.answer({"error": f"The sample may have {MAX_BYTES >> 20} MB."}, 413)
    question = QUESTIONS.get(request.path_params["question"])
    arguments = None if question is None else _read(body, question)
    if arguments is None:
        return wire.answer({"error": UNKNOWN}, 400)
    asked = request.path_params["question"]
    return await run_in_threadpool(_answer, doc, asked, arguments[0], arguments[1:])


def _answer(doc: Document, question: str, epoch: int | None, given: tuple[Any, ...]) -> Response:
    made = question == "part" and given[-1] != "sample"  # numbers that need no data
    if not made and not doc.project.data.get("source"):
        return wire.answer({"error": NO_DATA, "ask": "data"}, 422)
    try:
        revision = doc.sem_rev
        network = one_sample.network_of(doc, epoch)
        found = ASKED.get(question, _of_sample)(network, question, given)
    except pool.PoolError as error:
        return wire.answer({"error": str(error)}, 422)
    metadata = {
        "weights": network.weights,
        "run": network.run,
        "time": network.time,
        "rev": revision,
    }
    return wire.answer({**found, **metadata}, is_urgent=question == "look")


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
    "look": calls.look, "probe": calls.probe, "numpy": calls.numpy, "step": calls.step,
}  # fmt: skip
ASKED: dict[str, Callable[[one_sample.Network, str, tuple[Any, ...]], Json]] = {
    "health": _health, "film": _film, "moments": lambda *_: {}, "part": _part,
}  # fmt: skip


def _read(body: bytes, take: "Callable[[Json], tuple[Any, ...] | None]") -> tuple[Any, ...] | None:
    """The epoch, then what the function of the question takes; None for what is no request."""
    try:
        message = json.loads(body, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None
    if not isinstance(message, dict) or not _is_sample(message.get("sample")):
        return None
    given, epoch = take(cast(Json, message)), message.get("epoch")
    right = epoch is None or (type(epoch) is int and 0 <= epoch <= MAX_INDEX)
    return (epoch, message["sample"], *given) if given is not None and right else None


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


def _is_sample(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    found = cast(Json, value)
    if "plane" in found:
        return set(found) == {"plane"} and _path(found, "plane") is not None
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


def _blocks(message: Json) -> tuple[Any, ...] | None:
    blocks, kind = message.get("blocks"), message.get("kind")
    right = isinstance(blocks, list) and 0 < len(cast("list[Any]", blocks)) <= MAX_BLOCKS
    if not right or kind not in ("webp", "gif"):
        return None
    paths = [p for p in cast("list[Any]", blocks) if isinstance(p, str) and len(p) <= MAX_PATH]
    return (paths, kind) if len(paths) == len(cast("list[Any]", blocks)) else None


def _some(message: Json) -> tuple[Any, ...] | None:
    """The composite that is open, blocks in it, and what they are to be fed."""
    within, feed, blocks = _path(message, "within"), _path(message, "feed"), message.get("blocks")
    listed = cast("list[Any]", blocks) if isinstance(blocks, list) else []
    right = 0 < len(listed) <= MAX_NUMBERS and all(type(b) is str for b in listed)
    return (within, listed, feed) if right and within is not None and feed is not None else None


QUESTIONS: dict[str, Callable[[Json], tuple[Any, ...] | None]] = {
    "look": _look, "probe": _probe, "numpy": _numpy, "step": _step, "health": _step,
    "moments": _step, "film": _blocks, "part": _some,
}  # fmt: skip
ROUTES = [Route(f"{wire.PREFIX}/sample/{{question}}", sample, methods=["POST"])]
