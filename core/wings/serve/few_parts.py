"""Requests of many small parts are refused: they cost the event loop more than their bytes do.

A head of 64 kB in 16,000 lines takes it 0.1 s, 256 kB of chunks of one byte a second. h11 and
asyncio alone: no server library is imported.
"""

import json
import re
from http import HTTPStatus
from typing import Any

from core.samples.request_error import RequestError

MOST_HEAD, MOST_LINES = 16 << 10, 100
"""Bytes and lines of a head, and of what may follow the last chunk. Browsers send some thirty."""
SMALL_BYTES, MOST_SMALL = 512, 256
"""Chunks that count as small, and how many of them a body may have."""
REFUSED_BYTES, REFUSED_S = 4 << 20, 2.0
"""How much of a refused request is still taken, and how long: a connection that is closed while
more comes is reset, and what was said on it is lost."""
NO_REQUEST = RequestError(400, "What came is not a request of HTTP/1.1.")
LONG_HEAD = RequestError(
    431,
    f"A request has a head of at most {MOST_LINES} lines and {MOST_HEAD:,} bytes, and as much "
    "behind its last chunk.",
    "Send fewer or shorter headers.",
)
SMALL_CHUNKS = RequestError(
    400,
    f"A body has at most {MOST_SMALL} chunks of fewer than {SMALL_BYTES} bytes.",
    "Send larger chunks, or the body at once with Content-Length.",
)
SECONDS_PER_OTHER, LONGEST_S = 0.03, 1.0
"""How long a refused request waits for each other one, and at most."""
BLANK_LINE = re.compile(rb"\n\r?\n")
LAST_CHUNK = re.compile(rb"\r?\n?0+\b[^\n]*\n")


def pause_for(others: int) -> float:
    """How many seconds a refused request waits beside others: who sends them without end gets no
    more than a small share."""
    return min(max(others, 0) * SECONDS_PER_OTHER, LONGEST_S)


class FewParts:
    """Mixed into uvicorn's protocol on h11: looks at what h11 is about to read."""

    _small = _dropped = 0
    _at_chunk = _trailers = _refused = False
    _why = NO_REQUEST

    def __init__(self: Any, *words: Any, **named: Any) -> None:
        super().__init__(*words, **named)
        self._h11_event = self.conn.next_event
        self.conn.next_event = self.next_event

    def next_event(self: Any) -> Any:
        """The next event of h11. Raises its RemoteProtocolError for too many parts."""
        import h11

        if self._has_many_lines():
            self._why = LONG_HEAD
            raise h11.RemoteProtocolError(LONG_HEAD.message)
        event = self._h11_event()
        if isinstance(event, h11.Request):
            self._small, self._trailers = 0, False
            self._at_chunk = any(name == b"transfer-encoding" for name, _ in event.headers)
        elif isinstance(event, h11.Data):
            self._small += len(event.data) < SMALL_BYTES
            self._at_chunk = event.chunk_end
            if self._small > MOST_SMALL:
                self._why = SMALL_CHUNKS
                raise h11.RemoteProtocolError(SMALL_CHUNKS.message)
        return event

    def _has_many_lines(self: Any) -> bool:
        """Whether a head, or what follows the last chunk, is too much to be read."""
        import h11

        is_head = self.conn.their_state is h11.IDLE
        if not (is_head or self._at_chunk or self._trailers):
            return False
        waiting = self.conn.trailing_data[0]
        self._trailers = not is_head and (self._trailers or bool(LAST_CHUNK.match(waiting)))
        if not (is_head or self._trailers):
            return False
        lines = BLANK_LINE.split(waiting, maxsplit=1)[0]
        return len(lines) > MOST_HEAD or lines.count(b"\n") > MOST_LINES

    def data_received(self: Any, data: bytes) -> None:
        self._dropped += len(data) if self._refused else 0
        if not self._refused:
            super().data_received(data)  # type: ignore[misc]
        elif self._dropped > REFUSED_BYTES:
            self.transport.abort()

    def send_400_response(self: Any, msg: str) -> None:
        """Refuse what is no request, later where there are others."""
        self._refused = True
        self.transport.pause_reading()
        self.loop.call_later(pause_for(len(self.connections) - 1), self._say_why)

    def _say_why(self: Any) -> None:
        import h11

        if self.transport.is_closing():
            return
        if self.conn.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            self.transport.abort()  # an answer has begun: nothing else can be said
            return
        for event in _answer(self._why):
            self.transport.write(self.conn.send(event))
        if self.cycle is not None:  # whose request is refused, and which shall say nothing more
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        self.transport.write_eof()
        self.transport.resume_reading()
        self.loop.call_later(REFUSED_S, self.transport.abort)


def _answer(why: RequestError) -> list[Any]:
    """The events of h11 that refuse a request."""
    import h11

    body = json.dumps(why.json()).encode()
    headers = [
        ("content-type", "application/json"),
        ("content-length", str(len(body))),
        ("connection", "close"),
    ]
    reason = HTTPStatus(why.status).phrase
    head = h11.Response(status_code=why.status, headers=headers, reason=reason)
    return [head, h11.Data(data=body), h11.EndOfMessage()]
