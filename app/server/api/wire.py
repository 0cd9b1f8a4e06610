"""Shared by all routes: read a message up to its limit, answer in strict JSON."""

import json
from dataclasses import asdict, is_dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from app.strict_json import json_safe

PREFIX = "/api/ll"
"""What the path of each of our routes begins with."""
HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
NO_JSON = "The message must be JSON."
ENDED = "This page's session has ended; reload the page."


def is_of_our_page(request: Request) -> bool:
    """Whether the request comes from a page of this server; programs send no such header."""
    return request.headers.get("sec-fetch-site", "same-origin") == "same-origin"


def is_json(request: Request) -> bool:
    """Whether a message is declared as JSON, which a page of another site may not send."""
    kind = request.headers.get("content-type", "").partition(";")[0]
    return kind.strip().lower() == "application/json"


async def read(request: Request, most: int) -> bytes | None:
    """Read the message; None when it has more than `most` bytes, of which no more is read."""
    parts: list[bytes] = []
    size = 0
    async for part in request.stream():
        size += len(part)
        if size > most:
            return None
        parts.append(part)
    return b"".join(parts)


def answer(body: dict[str, Any], status: int = 200, is_urgent: bool = False) -> Response:
    """Write `body` as strict JSON that no cache keeps; None for NaN, text for a path.

    is_urgent: a pen waits for it, so that it is not compressed on the way.
    """
    text = json.dumps(json_safe(body), default=_plain, allow_nan=False, separators=(",", ":"))
    headers = {**HEADERS, "Content-Encoding": "identity"} if is_urgent else HEADERS
    return Response(text, status, headers, "application/json")


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return json_safe(asdict(value))
    return str(value)
