"""GET /api/ll/fonts/{file}: a typeface of the workbench, which browsers keep."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from app.server.api import wire
from core.common import fonts

KEPT = "private, max-age=604800"  # a week: they change about once in years
FILES = frozenset(face.file for face in fonts.FACES)
FOLDER = f"{wire.PREFIX}/fonts/"


def font(request: Request) -> Response:
    """The file."""
    name = request.path_params["file"]
    if name not in FILES:
        return Response("There is no font of this name.", 404, media_type="text/plain")
    return Response(fonts.content(name), headers={"Cache-Control": KEPT}, media_type="font/woff2")


ROUTES = [Route(f"{FOLDER}{{file}}", font)]
