"""The front door of a class: who logs in is led to the workbench of their account, and to no other.

Each request is checked against the accounts as they are now, so that a new password or a removed
account ends every login of it at once.
"""

import logging
import time
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
from anyio import CapacityLimiter, to_thread
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.sessions import SessionMiddleware
from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketState

from app.server.origin import is_foreign
from app.wings.class_server import door_pages, passing_on
from core.common.errors import ProjectError
from core.wings.class_server import seats as seat_list
from core.wings.class_server.roster import Account, Roster, change, find, read_roster
from core.wings.class_server.seats import PREFIX, Full, Seat, Seats

COOKIE, KEPT_S = "layerloom_class", 12 * 3600
"""A login lasts for a day in school."""
ATTEMPTS, WITHIN_S = 8, 300.0
"""Wrong passwords for one name from one address, before the next is not even looked at."""
LOOK_S = 15.0
"""How often to look for workbenches that nobody looks at and channels whose login has ended."""
LONGEST_NAME, LONGEST_PASSWORD = 64, 256
MOST_COUNTED = 1000
"""Names and addresses with wrong passwords, before those of long ago are forgotten."""
LONGEST_FORM = 4096
NOT_OURS = "Send the form of this page."
METHODS = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"]
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class NamedByProxy:
    """A proxy that has checked who somebody is. header: in which it says the name; addresses: of
    the proxy, as the header of anybody else counts for nothing."""

    header: str
    addresses: Sequence[str]


class FrontDoor:
    """The application. proxy: None where people log in here, by a password."""

    def __init__(self, folder: Path, seats: Seats, proxy: NamedByProxy | None = None) -> None:
        self.folder, self.seats, self.proxy = folder, seats, proxy
        self._wrong: dict[tuple[str, str], deque[float]] = defaultdict(deque)
        self._hashing = CapacityLimiter(2)  # each attempt costs 16 MB and 50 ms

    def application(self) -> Starlette:
        """The ASGI application."""
        to = f"/{PREFIX}/{{name}}"
        return Starlette(
            routes=[
                Route("/", self.home),
                Route("/login", self.login, methods=["GET", "POST"]),
                Route("/account", self.account, methods=["GET", "POST"]),
                Route("/logout", self.logout, methods=["POST"]),
                Route(to, self.workbench, methods=METHODS),
                Route(f"{to}/{{path:path}}", self.workbench, methods=METHODS),
                WebSocketRoute(f"{to}/{{path:path}}", self.channel),
            ],
            middleware=[
                Middleware(
                    SessionMiddleware,
                    secret_key=self._roster().key,
                    session_cookie=COOKIE,
                    max_age=KEPT_S,
                    same_site="strict",
                )
            ],
            exception_handlers={ProjectError: _not_readable},
            lifespan=self._lifespan,
        )

    async def home(self, request: Request) -> Response:
        """The teacher's list; a student is led to their workbench."""
        roster = self._roster()
        account = self._who(request, roster)
        if account is None:
            return self._to_login()
        if not account.teacher:
            return RedirectResponse(f"{seat_list.base_of(account.name)}/", 303)
        rows = await to_thread.run_sync(door_pages.rows_of, self.folder, roster, self.seats)
        return _page(door_pages.overview(account.name, rows, self.seats.rules))

    async def login(self, request: Request) -> Response:
        """The form, and what it sends."""
        if self.proxy:
            return _page(door_pages.message("Log in at your school's own page first."), 403)
        if request.method == "GET":
            return _page(door_pages.login())
        form = await _form(request)
        if form is None:
            return _page(door_pages.login(NOT_OURS), 403)
        name, password = form.get("name", "").strip(), form.get("password", "")
        return await self._attempt(request, name[:LONGEST_NAME], password[:LONGEST_PASSWORD])

    async def account(self, request: Request) -> Response:
        """The account of who asks: a new password, and the way out."""
        account = self._who(request, self._roster())
        if account is None or self.proxy:
            return self._to_login()
        if request.method == "GET":
            return _page(door_pages.account(account.name))
        form = await _form(request)
        if form is None:
            return _page(door_pages.account(account.name, NOT_OURS), 403)
        given = self.folder, account.name, form.get("old", ""), form.get("new", "")
        try:
            await to_thread.run_sync(change, *given, limiter=self._hashing)
        except ProjectError as error:
            return _page(door_pages.account(account.name, error.message), 403)
        request.session.update(mark=self._roster().accounts[account.name].mark)
        return RedirectResponse("/", 303)

    async def _attempt(self, request: Request, name: str, password: str) -> Response:
        host = request.client.host if request.client else ""
        wrong, now = self._wrong_of(name, host), time.monotonic()
        if len(wrong) >= ATTEMPTS:
            words = f"Too many wrong passwords. Try again in {WITHIN_S / 60:g} minutes."
            return _page(door_pages.login(words), 429)
        roster = self._roster()
        account = await to_thread.run_sync(find, roster, name, password, limiter=self._hashing)
        if account is None:
            wrong.append(now)
            _LOG.warning("A wrong name or password for %r from %s.", name, host)
            return _page(door_pages.login("This name and password do not go together."), 403)
        wrong.clear()
        request.session.clear()
        request.session.update(name=account.name, mark=account.mark)
        return RedirectResponse("/", 303)

    def _wrong_of(self, name: str, host: str) -> deque[float]:
        """When wrong passwords came for a name from an address, not long ago."""
        late = time.monotonic() - WITHIN_S
        if len(self._wrong) > MOST_COUNTED:
            kept = {key: times for key, times in self._wrong.items() if times and times[-1] > late}
            self._wrong = defaultdict(deque, kept)
        wrong = self._wrong[name, host]
        while wrong and wrong[0] < late:
            wrong.popleft()
        return wrong

    async def logout(self, request: Request) -> Response:
        """End a login in this browser."""
        if not is_foreign(request.scope):
            request.session.clear()
        return self._to_login()

    async def workbench(self, request: Request) -> Response:
        """Pass a request on to the workbench that it names, if it is for who asks."""
        name, roster = request.path_params["name"], self._roster()
        account = self._who(request, roster)
        if account is None:
            is_page = "text/html" in request.headers.get("accept", "")
            return self._to_login() if is_page else _page(door_pages.message("Log in first."), 403)
        if not _may_see(account, name) or name not in roster.accounts:
            _LOG.warning("%s asked for the workbench of %r.", account.name, name)
            return _page(door_pages.message("This is not your workbench."), 403)
        if request.method not in ("GET", "HEAD", "OPTIONS") and is_foreign(request.scope):
            return _page(door_pages.message("Not from this page."), 403)
        try:
            seat = await self._seat(name, roster)
        except Full:
            return _page(door_pages.full(self.seats.rules.seats), 503)
        except (OSError, ProjectError) as error:
            _LOG.warning("The workbench of %s did not start: %s", name, error)
            words = (
                "This workbench did not start. Tell your teacher; the server's log has the reason."
            )
            return _page(door_pages.message(words), 503)
        return await passing_on.request_to(seat, request, COOKIE)

    async def channel(self, socket: WebSocket) -> None:
        """Connect a page's channel with its workbench, if it is for who asks."""
        name, roster = socket.path_params["name"], self._roster()
        account = self._who(socket, roster)
        known = account and _may_see(account, name) and name in roster.accounts
        if not known or is_foreign(socket.scope):
            await socket.close(1008)
            return
        try:
            seat = await self._seat(name, roster)
        except (Full, OSError, ProjectError):
            await socket.close(1013)
            return
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._until_login_ends, socket, tasks.cancel_scope)
            await passing_on.channel_to(seat, socket, COOKIE)
            tasks.cancel_scope.cancel()
        if WebSocketState.DISCONNECTED not in (socket.client_state, socket.application_state):
            await socket.close(1008)  # its login has ended

    async def _until_login_ends(self, socket: WebSocket, ends: anyio.CancelScope) -> None:
        """End a channel whose login has ended: a new password, or an account that is gone."""
        with suppress(ProjectError):  # accounts that cannot be read let nobody in
            while self._who(socket, self._roster()):
                await anyio.sleep(LOOK_S)
        ends.cancel()

    async def _seat(self, name: str, roster: Roster) -> Seat:
        return await to_thread.run_sync(self.seats.take, name, roster.accounts[name].teacher)

    def _who(self, connection: HTTPConnection, roster: Roster) -> Account | None:
        """Who asks: whom the proxy names, or who has logged in with the password of now."""
        if self.proxy:
            trusted = connection.client and connection.client.host in self.proxy.addresses
            names = connection.headers.getlist(self.proxy.header)
            return roster.accounts.get(names[0]) if trusted and len(names) == 1 else None
        account = roster.accounts.get(str(connection.session.get("name", "")))
        same = account and connection.session.get("mark") == account.mark
        return account if same else None

    def _roster(self) -> Roster:
        return read_roster(self.folder)

    def _to_login(self) -> Response:
        return RedirectResponse("/login", 303)

    @asynccontextmanager
    async def _lifespan(self, _: Starlette) -> AsyncIterator[None]:
        """End workbenches that nobody looks at, and all of them at the end."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._end_idle)
            try:
                yield
            finally:
                tasks.cancel_scope.cancel()
                with suppress(OSError), anyio.CancelScope(shield=True):
                    await to_thread.run_sync(self.seats.close)

    async def _end_idle(self) -> None:
        while True:
            await anyio.sleep(LOOK_S)
            await to_thread.run_sync(self.seats.end_idle)


async def _form(request: Request) -> Mapping[str, str] | None:
    """The fields of a form of our own page; None for what comes from elsewhere or is too long."""
    length = request.headers.get("content-length", "")
    if is_foreign(request.scope) or not length.isdecimal() or int(length) > LONGEST_FORM:
        return None
    async with request.form(max_files=0, max_fields=4) as form:
        return {name: value for name, value in form.items() if isinstance(value, str)}


async def _not_readable(connection: Any, error: Exception) -> Any:
    """What is answered while the file of the accounts cannot be read."""
    _LOG.error("%s", error)
    if isinstance(connection, WebSocket):
        return await connection.close(1011)
    return _page(door_pages.message("The accounts of this class cannot be read now."), 503)


def _may_see(account: Account, name: str) -> bool:
    return account.teacher or account.name == name


def _page(text: str, status: int = 200) -> Response:
    return HTMLResponse(text, status, headers=door_pages.HEADERS)
