"""The routes of a served network."""

import asyncio
import functools
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any

from anyio import to_thread
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.serving import metrics, page
from app.serving.guard import Guard
from app.serving.limits import Limits, body_of
from app.serving.served import Served
from core.serve.batching import Batcher, QueueFull
from core.serve.contract import openapi
from core.serve.inputs import PredictRequest, RequestError, read
from core.serve.outputs import answers

RETRY_S = "1"
QUICK_BYTES = 64 << 10
"""A longer body is read in a thread, so that others are not kept waiting meanwhile."""
PATHS = ("/", "/predict", "/openapi.json", "/health", "/ready", "/metrics")


class Application:
    """One network, its batches and what is counted."""

    def __init__(self, net: Served, limits: Limits, token: str = "") -> None:
        self.net, self.limits = net, limits
        self.metrics = metrics.Metrics(net.name)
        self.batcher = Batcher(
            net.run, limits.most, limits.window_s, limits.waiting, self.metrics.sizes.add
        )
        self.metrics.waiting = lambda: self.batcher.queued
        self.contract = openapi(net.interface, net.title, net.about, limits.most, bool(token))
        self.page, self.policy = page.page(net, bool(token))
        self.ready = False

    @asynccontextmanager
    async def lifespan(self, _: Starlette) -> AsyncGenerator[None]:
        """Work from the start to the end; what waits at the end is still answered."""
        await self.batcher.start()
        self.ready = True
        yield
        self.ready = False
        await self.batcher.close()

    async def predict(self, request: Request) -> Response:
        """Samples in, predictions out."""
        began = time.perf_counter()
        body = await body_of(request, self.limits)
        media = request.headers.get("content-type", "")
        parse = functools.partial(read, self.net.interface, media, body, self.limits.most)
        samples = await _aside(parse, len(body))
        outputs = await self._outputs(samples)
        say = functools.partial(
            answers, self.net.interface, samples.columns, samples.text_lengths, outputs, samples.raw
        )
        found = await _aside(say, len(body))
        self.metrics.samples += samples.count
        self.metrics.seconds.add(time.perf_counter() - began)
        return JSONResponse({"predictions": found, "run": self.net.name})

    async def _outputs(self, samples: PredictRequest) -> list[Any]:
        """Run the network. Raises RequestError, also for values that torch cannot take."""
        try:
            waiting = self.batcher(samples.columns, samples.count)
            return await asyncio.wait_for(waiting, self.limits.answer_s)
        except QueueFull:
            raise RequestError(
                503, f"{self.batcher.queued} samples are waiting already.", "Try again in a second."
            ) from None
        except TimeoutError:
            raise RequestError(
                504,
                f"There was no prediction within {self.limits.answer_s:g} seconds.",
                "Send fewer samples at once.",
            ) from None
        except (RuntimeError, IndexError, ValueError) as error:
            why = str(error).partition("\n")[0][:300]
            raise RequestError(422, f"The network cannot use these values: {why}") from error

    async def describe(self, _: Request) -> Response:
        return JSONResponse(self.contract)

    async def health(self, _: Request) -> Response:
        return JSONResponse({"ok": True})

    async def is_ready(self, _: Request) -> Response:
        return JSONResponse({"ok": self.ready}, 200 if self.ready else 503)

    async def counted(self, _: Request) -> Response:
        return PlainTextResponse(self.metrics.text(), media_type=metrics.MEDIA)

    async def first_page(self, _: Request) -> Response:
        return HTMLResponse(self.page, headers={"content-security-policy": self.policy})


async def _aside(call: Callable[[], Any], size: int) -> Any:
    """Call here where it is quick, else in a thread."""
    return call() if size <= QUICK_BYTES else await to_thread.run_sync(call)


def application(
    net: Served, limits: Limits, token: str = "", hosts: tuple[str, ...] = ()
) -> Starlette:
    """The server of a network. token: what requests must bring, "" for nothing. hosts: names that
    it may be called by, none for any."""
    app = Application(net, limits, token)
    routes = [
        Route("/", app.first_page),
        Route("/predict", app.predict, methods=["POST"]),
        Route("/openapi.json", app.describe),
        Route("/health", app.health),
        Route("/ready", app.is_ready),
        Route("/metrics", app.counted),
    ]
    layers = [
        Middleware(Counted, app.metrics),
        Middleware(Guard, token=token, hosts=hosts),
    ]
    handlers: dict[Any, Any] = {
        RequestError: _refusal,
        HTTPException: _not_found,
        Exception: _fault,
    }
    return Starlette(
        routes=routes, middleware=layers, lifespan=app.lifespan, exception_handlers=handlers
    )


def _refusal(_: Request, error: RequestError) -> Response:
    headers = {"retry-after": RETRY_S} if error.status == 503 else {}
    return JSONResponse(error.json(), error.status, headers)


def _not_found(request: Request, error: HTTPException) -> Response:
    hint = "Use POST /predict, which /openapi.json describes."
    message = f"{request.method} {request.url.path} is not served here."
    return JSONResponse(
        RequestError(error.status_code, message, hint).json(), error.status_code, error.headers
    )


def _fault(_: Request, error: Exception) -> Response:
    """The answer to what nobody foresaw; the log has the rest."""
    message = f"The server itself failed ({type(error).__name__})."
    return JSONResponse(RequestError(500, message, "See its log.").json(), 500)


class Counted:
    """Middleware that counts requests by path and status."""

    def __init__(self, app: ASGIApp, counts: metrics.Metrics) -> None:
        self.app, self.counts = app, counts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "")
        path = path if path in PATHS else "other"

        async def counting(message: Message) -> None:
            if message["type"] == "http.response.start":
                self.counts.requests[path, message["status"]] += 1
            await send(message)

        await self.app(scope, receive, counting if scope["type"] == "http" else send)
