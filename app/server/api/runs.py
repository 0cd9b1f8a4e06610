"""Metrics and state of a run, from an offset on.

GET /api/ll/runs/{run}?from=BYTES&attempt=N, thinned where there is much to tell;
GET /api/ll/runs/{run}/steps?low=STEP&high=STEP, every step of a part, as far as a screen shows it;
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from app.canvas import tokens
from app.server.api import wire
from app.services import paths
from core.runs import listing
from core.runs.history import Histories

MUCH = 256 << 10  # bytes of metrics that are thinned instead of sent as they are
HISTORIES = Histories()


def whole(text: str | None) -> int:
    """Read a number of bytes; anything but a plain non-negative integer counts as 0."""
    plain = text is not None and text.isascii() and text.isdecimal() and len(text) < 16
    return int(text) if plain and text else 0


def chunk(run_dir: Path, start: int, attempt: int) -> dict[str, Any]:
    """Return the records after byte `start`; all, from the beginning, when it began again."""
    view = listing.view_run(run_dir)
    size = metrics_size(run_dir)
    again = start > size or (start > 0 and attempt != view.attempt)
    start = 0 if again else start
    if size - start > MUCH:
        records, offset = HISTORIES.window(run_dir / "metrics.jsonl", view.attempt)
        return {"view": view, "records": records, "next": offset, "reset": True}
    records, offset = listing.read_metrics(run_dir, start)
    return {"view": view, "records": records, "next": offset, "reset": again}


def part(run_dir: Path, low: int, high: int) -> dict[str, Any]:
    """Return the steps from `low` to `high`."""
    attempt = listing.view_run(run_dir).attempt
    return {"steps": HISTORIES.between(run_dir / "metrics.jsonl", attempt, low, high)}


def metrics_size(run_dir: Path) -> int:
    """Return the size of the run's metrics file in bytes, 0 before there is one."""
    try:
        return (run_dir / "metrics.jsonl").stat().st_size
    except FileNotFoundError:
        return 0


def _run_folder(request: Request) -> Path | Response:
    """Return the run's folder, or why this request gets nothing."""
    if not tokens.known(request.headers.get("x-ll-token")):
        return wire.answer({"error": wire.ENDED}, 403)
    run_dir = paths.find_run(request.path_params["run"])
    return run_dir or wire.answer({"error": "There is no such run."}, 404)


async def _answer(tell: Callable[..., dict[str, Any]], *of: Any) -> Response:
    """Answer with the metrics of a run; an error if its files are not those of a run."""
    try:
        return wire.answer(await run_in_threadpool(tell, *of))
    except listing.MALFORMED:
        return wire.answer({"error": "The metrics of this run cannot be read."}, 422)


async def poll(request: Request) -> Response:
    """Answer one poll of the curves."""
    run_dir = _run_folder(request)
    if isinstance(run_dir, Response):
        return run_dir
    start = whole(request.query_params.get("from"))
    attempt = whole(request.query_params.get("attempt"))
    return await _answer(chunk, run_dir, start, attempt)


async def steps(request: Request) -> Response:
    """Answer with every step of a range."""
    run_dir = _run_folder(request)
    if isinstance(run_dir, Response):
        return run_dir
    low, high = (whole(request.query_params.get(name)) for name in ("low", "high"))
    return await _answer(part, run_dir, low, high)


ROUTES = [
    Route(f"{wire.PREFIX}/runs/{{run}}", poll, methods=["GET"]),
    Route(f"{wire.PREFIX}/runs/{{run}}/steps", steps, methods=["GET"]),
]
