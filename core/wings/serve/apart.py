"""Large requests are read in processes of their own, so that nobody else waits for them.

Its memory is bounded by the system, its time by us: whatever a body turns out to hold, the server
itself goes on. What the process does is `reading_process`; who makes a server says how it is
started. Needs numpy.
"""

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from heapq import heapify, heappop, heappush
from itertools import count
from typing import TYPE_CHECKING, Any, TypeAlias

from core.samples.inputs import SentRequest
from core.samples.request_error import RequestError
from core.wings.serve.frames import get, put, request_of
from core.wings.serve.limits import Limits

if TYPE_CHECKING:
    import subprocess

READ_S = 30.0
"""Seconds of reading, after which the process is ended."""
MB = 1 << 20
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
"""Of the environment of the process: it must not crowd the network out."""
Process: TypeAlias = "subprocess.Popen[bytes]"
Start = Callable[[], Process]
"""Starts `reading_process`, with pipes as its standard input and output."""
Waiting = tuple[int, int, "asyncio.Future[None]"]
"""The size of a request, its number, and when it is its turn."""


class Apart:
    """The process: begun with the first request, and again after it has ended.

    memory_bytes, pixels: what reading takes at most. rest: how many seconds it waits after one that
    took so many. Of those that wait, the smallest is next.
    """

    def __init__(
        self,
        start: Start,
        interface: Mapping[str, Any],
        limits: Limits,
        memory_bytes: int,
        pixels: int,
        rest: Callable[[float], float] = lambda _seconds: 0.0,
    ) -> None:
        self.start, self.interface, self.limits, self.rest = start, interface, limits, rest
        self.memory_bytes, self.pixels = memory_bytes, pixels
        self._thread = ThreadPoolExecutor(1, "requests apart")
        self._process: Process | None = None
        self._waiting: list[Waiting] = []
        self._numbers = count()
        self._busy = self._closed = False

    async def read(self, media: str, body: bytes) -> SentRequest | None:
        """Read a body; None where that takes too much. Raises RequestError."""
        await self._turn(len(body))
        loop = asyncio.get_running_loop()
        began, end = loop.time(), loop.call_later(READ_S, self._kill)
        reading = loop.run_in_executor(self._thread, self._ask, media, body)

        def ended(_: object) -> None:
            end.cancel()
            loop.call_later(self.rest(loop.time() - began), self._next)

        reading.add_done_callback(ended)
        found = await asyncio.shield(reading)  # who gives up does not end the turn of the process
        if isinstance(found, RequestError):
            raise found
        return found

    def refuse(self) -> SentRequest:
        """Raise the RequestError for what takes too much."""
        megabytes = self.memory_bytes // MB
        message = f"Reading the request takes more than {megabytes} MB or {READ_S:g} seconds."
        raise RequestError(413, message, "Send fewer or smaller samples at once.")

    async def _turn(self, size: int) -> None:
        """Wait until nothing is read, and nothing smaller waits. Raises RequestError where too many
        smaller ones wait."""
        if not self._busy:
            self._busy = True
            return
        mine = size, next(self._numbers), asyncio.get_running_loop().create_future()
        heappush(self._waiting, mine)
        if len(self._waiting) > self.limits.large_waiting:
            largest = max(self._waiting)
            self._leave(largest)
            error = RequestError(503, "Smaller requests are waiting already.", "Try again later.")
            largest[2].set_exception(error)
        try:
            await mine[2]
        except asyncio.CancelledError:
            if mine in self._waiting:
                self._leave(mine)
            elif not mine[2].cancelled() and mine[2].exception() is None:
                self._next()
            raise

    def _leave(self, waiting: Waiting) -> None:
        self._waiting.remove(waiting)
        heapify(self._waiting)

    def _next(self) -> None:
        self._busy = bool(self._waiting)
        if self._waiting:
            heappop(self._waiting)[2].set_result(None)

    def _kill(self) -> None:
        if self._process:
            self._process.kill()

    def close(self) -> None:
        """End the process."""
        self._closed = True
        self._end()
        self._thread.shutdown()

    def _ask(self, media: str, body: bytes) -> SentRequest | RequestError | None:
        if self._closed:
            return RequestError(503, "The server is stopping.", "Try again in a second.")
        if self._process and self._process.poll() is not None:
            self._end()  # for a reason that is not this request's
        process = self._process or self._begin()
        assert process.stdin
        assert process.stdout
        try:
            put(process.stdin, media, [body])
            said, parts = get(process.stdout, self.memory_bytes)
            if "refused" in said:
                return RequestError(*said["refused"])
            return request_of(said, parts) if "columns" in said else None
        except (EOFError, OSError, ValueError, TypeError, KeyError):
            self._end()
            return None

    def _begin(self) -> Process:
        self._process = self.start()
        assert self._process.stdin
        begin = [self.interface, self.limits.most, self.memory_bytes, self.pixels]
        put(self._process.stdin, begin)
        return self._process

    def _end(self) -> None:
        process, self._process = self._process, None
        if process:
            process.kill()
            process.wait()
            for line in (process.stdin, process.stdout):
                with suppress(OSError):  # what it did not take any more
                    line.close()  # type: ignore[union-attr]
