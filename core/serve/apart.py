"""Large requests are read in processes of their own, so that nobody else waits for them.

Its memory is bounded by the system, its time by us: whatever a body turns out to hold, the server
itself goes on. Needs numpy and (for picture files) Pillow; the process does not load torch.
"""

import asyncio
import os
import pickle
import signal
import subprocess
import sys
import traceback
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from heapq import heapify, heappop, heappush
from itertools import count
from pathlib import Path
from typing import IO, Any

from core.serve.inputs import SentRequest, sent
from core.serve.limits import Limits
from core.serve.picture_sizes import BOUND, TooManyPixels
from core.serve.request_error import RequestError
from core.serve.sent_pictures import MOST_PIXELS

START = "import sys; sys.path[:0] = {path!r}; import {name} as apart; apart.main()"
READ_S = 30.0
"""Seconds of reading, after which the process is ended."""
MB = 1 << 20
Refusal = tuple[int, str, str, str]
"""Status, message, hint and place of a RequestError."""
Waiting = tuple[int, int, "asyncio.Future[None]"]
"""The size of a request, its number, and when it is its turn."""


class Apart:
    """The process: begun with the first request, and again after it has ended.

    memory_bytes, pixels: what reading takes at most. Of those that wait, the smallest is next.
    """

    def __init__(
        self, interface: Mapping[str, Any], limits: Limits, memory_bytes: int, pixels: int
    ) -> None:
        self.interface, self.limits = interface, limits
        self.memory_bytes, self.pixels = memory_bytes, pixels
        self._thread = ThreadPoolExecutor(1, "requests apart")
        self._process: subprocess.Popen[bytes] | None = None
        self._waiting: list[Waiting] = []
        self._numbers = count()
        self._busy = self._closed = False

    async def read(self, media: str, body: bytes) -> SentRequest | None:
        """Read a body; None where that takes too much. Raises RequestError."""
        await self._turn(len(body))
        loop = asyncio.get_running_loop()
        end = loop.call_later(READ_S, self._kill)
        try:
            found = await loop.run_in_executor(self._thread, self._ask, media, body)
        finally:
            end.cancel()
            self._next()
        if isinstance(found, tuple):
            raise RequestError(*found)
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

    def _ask(self, media: str, body: bytes) -> SentRequest | Refusal | None:
        if self._closed:
            return 503, "The server is stopping.", "Try again in a second.", ""
        if self._process and self._process.poll() is not None:
            self._end()  # for a reason that is not this request's
        process = self._process or self._begin()
        assert process.stdin
        assert process.stdout
        try:
            _put(process.stdin, (media, body))
            return pickle.load(process.stdout)
        except (EOFError, OSError, pickle.UnpicklingError):
            self._end()
            return None

    def _begin(self) -> "subprocess.Popen[bytes]":
        code = START.format(path=sys.path, name=__name__)
        one_thread = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        self._process = subprocess.Popen(
            [sys.executable, "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **one_thread},
        )
        assert self._process.stdin
        begin = dict(self.interface), self.limits.most, self.memory_bytes, self.pixels
        _put(self._process.stdin, begin)
        return self._process

    def _end(self) -> None:
        if self._process:
            self._process.kill()
            self._process.wait()
            for line in (self._process.stdin, self._process.stdout):
                with suppress(OSError):  # what it did not take any more
                    line.close()  # type: ignore[union-attr]
        self._process = None


def _put(line: IO[bytes], value: Any) -> None:
    pickle.dump(value, line, pickle.HIGHEST_PROTOCOL)
    line.flush()


def main() -> None:
    """The process: read what comes, until the server has ended."""
    from_server, to_server = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which answers first
    interface, most, memory_bytes, BOUND.pixels = pickle.load(from_server)
    _import_readers()
    _be_modest(memory_bytes)
    while True:
        try:
            media, body = pickle.load(from_server)
        except EOFError:
            return
        _put(to_server, _read(interface, media, body, most))
        del body


def _read(
    interface: Mapping[str, Any], media: str, body: bytes, most: int
) -> SentRequest | Refusal | None:
    try:
        return sent(interface, media, body, most)
    except TooManyPixels as error:
        return None if BOUND.pixels < MOST_PIXELS else _refusal(error)
    except RequestError as error:
        return _refusal(error)
    except MemoryError:
        return None
    except Exception as error:
        traceback.print_exc()
        return 500, f"The server itself failed ({type(error).__name__}).", "See its log.", ""


def _refusal(error: RequestError) -> Refusal:
    return error.status, error.message, error.hint, error.place


def _import_readers() -> None:
    """What reading imports, before memory is bounded."""
    from PIL import Image

    from core.serve.upright import fitted

    Image.init()
    assert fitted


def _be_modest(memory_bytes: int) -> None:
    """Give way to the server, and take no more memory than declared, where the system can do so."""
    if sys.platform == "linux":
        import resource

        os.nice(5)
        pages = int(Path("/proc/self/statm").read_text().split()[5])
        most = pages * resource.getpagesize() + memory_bytes
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))
