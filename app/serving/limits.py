"""How much a server takes, and the bodies of its requests within that."""

import asyncio
from dataclasses import dataclass

from starlette.requests import ClientDisconnect, Request

from core.serve.inputs import RequestError


@dataclass(frozen=True)
class Limits:
    """most: samples of a batch and of a request. window_s: how long a sample waits for others.
    waiting: samples that may wait. body_bytes: of a request. read_s, answer_s: seconds that a body
    may take to come, and an answer to be found."""

    most: int = 64
    window_s: float = 0.002
    waiting: int = 1024
    body_bytes: int = 16 << 20
    read_s: float = 30.0
    answer_s: float = 60.0


async def body_of(request: Request, limits: Limits) -> bytes:
    """The body of a request. Raises RequestError where it is too large, too slow or broken off."""
    content_length = request.headers.get("content-length", "")
    if content_length.isdecimal() and int(content_length[:18]) > limits.body_bytes:
        raise _large(limits)
    try:
        return await asyncio.wait_for(_collected(request, limits), limits.read_s)
    except TimeoutError:
        raise RequestError(
            408, f"The request body did not arrive within {limits.read_s:g} seconds."
        ) from None
    except ClientDisconnect:
        raise RequestError(400, "The request body ended early.") from None


async def _collected(request: Request, limits: Limits) -> bytes:
    parts, size = list[bytes](), 0
    async for part in request.stream():
        size += len(part)
        if size > limits.body_bytes:
            raise _large(limits)
        parts.append(part)
    return b"".join(parts)


def _large(limits: Limits) -> RequestError:
    message = f"A request body must not exceed {limits.body_bytes:,} bytes."
    return RequestError(413, message, "Send fewer samples at once, or raw float32 instead of JSON.")
