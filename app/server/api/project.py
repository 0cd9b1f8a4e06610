"""POST /api/ll/project: the open project as its file, for a download from the canvas.

The token names the session, as for edits.
"""

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from app.canvas.messages.workbench import ProjectFile
from app.server.api import wire
from app.services.document import ENDING, Document, document_of

MAX_BYTES = 1_000
"""Of a message that says nothing but whose project."""


async def project(request: Request) -> Response:
    """Answer with the name of the file and its text."""
    doc = document_of(request.headers.get("x-ll-token"))
    if doc is None or not wire.is_of_our_page(request):
        return wire.answer({"error": wire.ENDED}, 403)
    if not wire.is_json(request):
        return wire.answer({"error": wire.NO_JSON}, 415)
    if await wire.read(request, MAX_BYTES) is None:
        return wire.answer({"error": f"The message must not exceed {MAX_BYTES} bytes."}, 413)
    return wire.answer({**await run_in_threadpool(_file, doc)})


def _file(doc: Document) -> ProjectFile:
    return {"name": f"{doc.stem}{ENDING}", "text": doc.text()}


ROUTES = [Route(f"{wire.PREFIX}/project", project, methods=["POST"])]
