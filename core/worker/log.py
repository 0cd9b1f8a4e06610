"""What a worker prints goes to log.txt, and is dropped where the disk refuses it."""

import io
import sys
from contextlib import suppress
from typing import Any


class _Dropping(io.TextIOWrapper):
    """A text stream that loses what cannot be written, instead of ending whoever prints."""

    def write(self, text: str, /) -> int:
        with suppress(OSError):
            return super().write(text)
        return len(text)

    def flush(self) -> None:
        with suppress(OSError):
            super().flush()


def drop_what_cannot_be_written() -> None:
    """Let nothing that this process prints fail, as on a full disk."""
    for name in ("stdout", "stderr"):
        stream: Any = getattr(sys, name)
        if type(stream) is io.TextIOWrapper:  # not what a test has put in its place
            raw = io.FileIO(stream.fileno(), "wb", closefd=False)
            plain = _Dropping(raw, "utf-8", "backslashreplace", write_through=True)  # type: ignore
            setattr(sys, name, plain)
