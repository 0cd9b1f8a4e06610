"""GET /api/ll/sweeps/{name}: how a sweep stands, its trials with their curves."""

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from app.canvas import tokens
from app.server.api import wire
from app.wings.sweep import service as sweeps
from core.common.errors import SweepError
from core.runs import listing


async def sweep(request: Request) -> Response:
    """Answer one look at a sweep."""
    if not tokens.known(request.headers.get("x-ll-token")):
        return wire.answer({"error": wire.ENDED}, 403)
    try:
        view = await run_in_threadpool(sweeps.look, request.path_params["name"])
    except SweepError as error:
        return wire.answer({"error": str(error)}, 404)
    except listing.MALFORMED:
        return wire.answer({"error": "The files of this sweep cannot be read."}, 422)
    return wire.answer({"sweep": view, "keys": view.keys, "powers": view.powers})


ROUTES = [Route(f"{wire.PREFIX}/sweeps/{{name}}", sweep, methods=["GET"])]
