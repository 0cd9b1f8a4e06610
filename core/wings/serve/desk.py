"""Bodies of requests in, bodies of answers out: where each is read, run and said.

On the event loop nothing is read but heads. Small requests are read, run and answered in the
network's thread, a batch at a time; large ones and picture files are read in processes of their own
first. Needs torch.
"""

import asyncio
import json
import re
from collections.abc import Callable, Mapping
from functools import partial
from math import prod
from typing import Any

from core.samples.inputs import (
    CSV,
    FLOATS,
    PredictRequest,
    SentRequest,
    data_shape,
    kind_of,
    prepared,
    read,
    spec_kind,
)
from core.samples.outputs import answers
from core.samples.request_error import RequestError
from core.samples.sent_pictures import MOST_PIXELS
from core.wings.serve.apart import Apart, Start
from core.wings.serve.batching import PART, Batcher, Columns, Exchange, Outputs, QueueFull, Run
from core.wings.serve.limits import QUICK_BYTES, Limits, Receive, Room, Share, body_within
from core.wings.serve.thread_count import FewestThreads

SMALL_BYTES, SMALL_PIXELS, SMALL_MEMORY_BYTES = 256 << 10, 300_000, 64 << 20
"""What is read in the process for small requests, so that it does not wait for large ones."""
QUICK_CSV_BYTES = 4 << 10
MAYBE_FILE = re.compile(rb"[A-Za-z0-9+/]{20}|\\\\")
"""What may be a picture file in JSON: base64, or anything with an escape. No number is as long."""
BYTES_PER_NUMBER = 64
"""What a number of an answer takes until it is sent: as an object, and as text."""


class Desk:
    """A network with its batches, its large requests and what all of them hold."""

    def __init__(
        self,
        run: Run,
        start: Start,
        interface: Mapping[str, Any],
        name: str,
        limits: Limits,
        on_batch: Callable[[int], None] = lambda _size: None,
    ) -> None:
        self.interface, self.name, self.limits = interface, name, limits
        self.pictures = any(spec_kind(spec) == "picture" for spec in interface["inputs"])
        self.network = FewestThreads(run, interface, limits.most)
        self.batcher = Batcher(
            partial(_explained, self.network),
            limits.most,
            limits.window_s,
            limits.waiting,
            on_batch,
        )
        self.room = Room(limits)
        small = min(SMALL_MEMORY_BYTES, limits.memory_bytes)
        rest = self.batcher.rest_after
        self.small = Apart(start, interface, limits, small, SMALL_PIXELS, rest)
        self.large = Apart(start, interface, limits, limits.memory_bytes, MOST_PIXELS, rest)

    async def start(self) -> None:
        """Begin to work, in the running event loop."""
        await self.batcher.start(self.network.measure)

    async def close(self) -> None:
        """Answer what waits, and end the threads and the processes."""
        await self.batcher.close()
        self.small.close()
        self.large.close()

    async def predict(self, headers: Mapping[str, str], receive: Receive) -> tuple[bytes, int]:
        """The answer to a request as JSON, and its samples. Raises RequestError."""
        media, length = headers.get("content-type", ""), headers.get("content-length", "")
        _refuse_packed(headers.get("content-encoding", ""))
        with self.room.share() as share:
            body = await body_within(receive, length, share)
            try:
                async with asyncio.timeout(self.limits.answer_s):
                    return await self._answer(media, body, share)
            except QueueFull:
                message = f"{self.batcher.queued} samples are waiting already."
                raise RequestError(503, message, "Try again in a second.") from None
            except TimeoutError:
                seconds = self.limits.answer_s
                raise RequestError(
                    504,
                    f"There was no prediction within {seconds:g} seconds.",
                    "Send fewer samples at once.",
                ) from None

    async def _answer(self, media: str, body: bytes, share: Share) -> tuple[bytes, int]:
        if self.is_quick(media, body):
            exchange = self._exchange(partial(self._read, media, body))
            return await self.batcher.do(exchange, self.samples_within(media, body))
        request = await self._read_apart(media, body)
        share.hold(len(body) + sum(c.nbytes for c in request.columns if c is not None))
        exchange = self._exchange(partial(prepared, self.interface, request))
        return await self.batcher.do(exchange, len(request.text_lengths))

    def samples_within(self, media: str, body: bytes) -> int:
        """How many samples a body has at most, by its marks: it is not read yet."""
        kind = kind_of(media)
        found = body.count(b"{") - 1
        if kind == CSV:
            found = body.count(b"\n") + body.count(b"\r") + 1
        elif kind == FLOATS:
            found = len(body) // 4 // prod(data_shape(self.interface["inputs"][0]))
        return min(max(found, 1), self.limits.most)

    def is_quick(self, media: str, body: bytes) -> bool:
        """Whether a body is surely read in about a millisecond."""
        kind = kind_of(media)
        if kind.startswith("image/") or len(body) > QUICK_BYTES:
            return False
        if kind != FLOATS and self.samples_within(media, body) > PART:
            return False
        if kind == CSV:
            return len(body) <= QUICK_CSV_BYTES
        return not self.pictures or not MAYBE_FILE.search(body)

    async def _read_apart(self, media: str, body: bytes) -> SentRequest:
        """Read a body that is not quick: small ones do not wait for large ones."""
        found = None
        if len(body) <= SMALL_BYTES:
            found = await self.small.read(media, body)
        return found or await self.large.read(media, body) or self.large.refuse()

    def _read(self, media: str, body: bytes) -> PredictRequest:
        return read(self.interface, media, body, self.limits.most)

    def _exchange(self, reading: Callable[[], PredictRequest]) -> Exchange:
        """Reading and answering a request, for the network's thread."""
        requests = list[PredictRequest]()

        def columns() -> tuple[Columns, int]:
            requests.append(reading())
            return requests[0].columns, requests[0].count

        return Exchange(
            columns, lambda outputs: (self._said(requests[0], outputs), requests[0].count)
        )

    def _said(self, request: PredictRequest, outputs: Outputs) -> bytes:
        """The body of an answer. Raises RequestError for one of too many numbers."""
        numbers = sum(output.numel() for output in outputs) * (2 if request.raw else 1)
        most = self.limits.memory_bytes // BYTES_PER_NUMBER
        if numbers > most:
            message = f"The answer would hold {numbers:,} numbers, and {most:,} are the most."
            raise RequestError(413, message, "Send fewer samples at once.")
        found = answers(self.interface, request.columns, request.text_lengths, outputs, request.raw)
        return b'{"predictions":[%s],"run":%s}' % (b",".join(map(_json, found)), _json(self.name))


def _refuse_packed(encoding: str) -> None:
    """Raises RequestError for a body that would have to be unpacked first: a few bytes of it could
    be gigabytes."""
    if encoding.strip().lower() not in ("", "identity"):
        message = f"The server does not unpack request bodies: Content-Encoding is {encoding}."
        raise RequestError(415, message, "Send the body as it is, without Content-Encoding.")


def _explained(run: Run, columns: Columns, count: int) -> Outputs:
    """Run the network. Raises RequestError for values that torch cannot take."""
    try:
        return run(columns, count)
    except (RuntimeError, IndexError, ValueError) as error:
        why = str(error).partition("\n")[0][:300]
        raise RequestError(422, f"The network cannot use these values: {why}") from error


def _json(value: Any) -> bytes:
    """JSON as starlette writes it."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
