"""Requests of many small parts are refused: they cost the event loop more than their bytes do.

A head of 64 kB in 16,000 lines takes it 0.1 s, 256 kB of chunks of one byte a second. h11 and
asyncio alone: no server library is imported.
"""

import re
from typing import Any

MOST_HEAD, MOST_LINES = 16 << 10, 100
"""Bytes and lines of a head, and of what may follow the last chunk. Browsers send some thirty."""
SMALL_BYTES, MOST_SMALL = 512, 256
"""Chunks that count as small, and how many of them a body may have."""
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

    _small = 0
    _at_chunk = _trailers = _refused = False

    def __init__(self: Any, *words: Any, **named: Any) -> None:
        super().__init__(*words, **named)
        self._h11_event = self.conn.next_event
        self.conn.next_event = self.next_event

    def next_event(self: Any) -> Any:
        """The next event of h11. Raises its RemoteProtocolError for too many parts."""
        import h11

        if self._has_many_lines():
            raise h11.RemoteProtocolError("too many lines, or too long ones")
        event = self._h11_event()
        if isinstance(event, h11.Request):
            self._small, self._trailers = 0, False
            self._at_chunk = any(name == b"transfer-encoding" for name, _ in event.headers)
        elif isinstance(event, h11.Data):
            self._small += len(event.data) < SMALL_BYTES
            self._at_chunk = event.chunk_end
            if self._small > MOST_SMALL:
                raise h11.RemoteProtocolError("too many small chunks")
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
        if not self._refused:
            super().data_received(data)  # type: ignore[misc]

    def send_400_response(self: Any, msg: str) -> None:
        """Refuse what is no request, later where there are others."""
        self._refused = True
        self.transport.pause_reading()
        self.loop.call_later(pause_for(len(self.connections) - 1), self._say_400, msg)

    def _say_400(self: Any, msg: str) -> None:
        import h11

        if self.transport.is_closing():
            return
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            super().send_400_response(msg)  # type: ignore[misc]
        else:
            self.transport.abort()  # an answer has begun: nothing else can be said
