"""How much a server takes: `core.wings.serve.limits`, for requests of starlette."""

from starlette.requests import Request

from core.wings.serve.limits import Limits, Room, body_within

__all__ = ["Limits", "body_of"]


async def body_of(request: Request, limits: Limits) -> bytes:
    """The body of a request. Raises RequestError where it is too large, too slow or broken off."""
    with Room(limits).share() as share:
        length = request.headers.get("content-length", "")
        return await body_within(request.receive, length, share)
