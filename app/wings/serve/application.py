"""The routes of a served network."""

import json
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.wings.serve import metrics
from app.wings.serve.guard import Guard
from app.wings.serve.limits import Limits
from app.wings.serve.reach import Reach
from app.wings.serve.reading import start_reading
from app.wings.serve.served import Served
from app.wings.serve.try_page import page
from core.samples.contract import openapi
from core.samples.request_error import RequestError, not_served, unforeseen
from core.wings.serve.desk import Desk
from core.wings.serve.patience import Patience

RETRY_S = "1"
JSON = "application/json"
PATHS = ("/", "/predict", "/openapi.json", "/health", "/ready", "/metrics")


class Application:
    """One network, its batches and what is counted."""

    def __init__(
        self, net: Served, limits: Limits, token: str = "", reach: Reach | None = None
    ) -> None:
        self.net, self.limits = net, limits
        self.metrics = metrics.Metrics(net.name)
        self.desk = Desk(
            net.run, start_reading, net.interface, net.name, limits, self.metrics.sizes.add
        )
        self.metrics.waiting = lambda: self.desk.batcher.queued
        contract = openapi(net.interface, net.title, net.about, limits.most, bool(token))
        self.contract = json.dumps(contract, ensure_ascii=False, separators=(",", ":")).encode()
        self.page, self.policy = page(net, bool(token), reach)
        self.ready = False

    @asynccontextmanager
    async def lifespan(self, _: Starlette) -> AsyncGenerator[None]:
        """Work from the start to the end; what waits at the end is still answered."""
        await self.desk.start()
        self.ready = True
        yield
        self.ready = False
        await self.desk.close()

    async def predict(self, request: Request) -> Response:
        """Samples in, predictions out."""
        began = time.perf_counter()
        answer, samples = await self.desk.predict(request.headers, request.receive)
        self.metrics.samples += samples
        self.metrics.seconds.add(time.perf_counter() - began)
        return Response(answer, media_type=JSON)

    async def describe(self, _: Request) -> Response:
        return Response(self.contract, media_type=JSON)

    async def health(self, _: Request) -> Response:
        return JSONResponse({"ok": True})

    async def is_ready(self, _: Request) -> Response:
        return JSONResponse({"ok": self.ready}, 200 if self.ready else 503)

    async def counted(self, _: Request) -> Response:
        return PlainTextResponse(self.metrics.text(), media_type=metrics.MEDIA)

    async def first_page(self, _: Request) -> Response:
        return HTMLResponse(self.page, headers={"content-security-policy": self.policy})


def application(
    net: Served,
    limits: Limits,
    token: str = "",
    hosts: tuple[str, ...] = (),
    reach: Reach | None = None,
) -> Starlette:
    """The server of a network. token: what requests must bring, "" for nothing. hosts: names that
    it may be called by, none for any. reach: how others come to its page."""
    app = Application(net, limits, token, reach)
    routes = [
        Route("/", app.first_page),
        Route("/predict", app.predict, methods=["POST"]),
        Route("/openapi.json", app.describe),
        Route("/health", app.health),
        Route("/ready", app.is_ready),
        Route("/metrics", app.counted),
    ]
    layers = [
        Middleware(Patience),
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
    found = not_served(error.status_code, request.method, request.url.path)
    return JSONResponse(found.json(), found.status, error.headers)


def _fault(_: Request, error: Exception) -> Response:
    found = unforeseen(error)
    return JSONResponse(found.json(), found.status)


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
