"""The process that reads large requests for a server: see `apart`.

Needs numpy and (for picture files) Pillow; it does not load torch.
"""

import os
import signal
import sys
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from core.samples.inputs import sent
from core.samples.picture_sizes import BOUND, TooManyPixels
from core.samples.request_error import RequestError
from core.samples.sent_pictures import MOST_PIXELS
from core.wings.serve.frames import get, put, said_of

MOST_FRAME = 1 << 40
"""What the server sends it has bounded itself."""
Said = tuple[dict[str, Any], Sequence[Any]]
TOO_MUCH: Said = {"too_much": True}, ()


def main() -> None:
    """Read what comes, until the server has ended."""
    from_server, to_server = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which answers first
    (interface, most, memory_bytes, BOUND.pixels), _ = get(from_server, MOST_FRAME)
    _import_readers()
    _be_modest(memory_bytes)
    while True:
        try:
            media, parts = get(from_server, MOST_FRAME)
        except EOFError:
            return
        put(to_server, *_read(interface, media, parts, most))


def _read(interface: Mapping[str, Any], media: str, parts: list[bytearray], most: int) -> Said:
    try:
        return said_of(sent(interface, media, bytes(parts.pop()), most))
    except TooManyPixels as error:
        return TOO_MUCH if BOUND.pixels < MOST_PIXELS else _refusal(error)
    except RequestError as error:
        return _refusal(error)
    except MemoryError:
        return TOO_MUCH
    except Exception as error:
        traceback.print_exc()
        what = f"The server itself failed ({type(error).__name__})."
        return _refusal(RequestError(500, what, "See its log."))


def _refusal(error: RequestError) -> Said:
    return {"refused": [error.status, error.message, error.hint, error.place]}, ()


def _import_readers() -> None:
    """What reading imports, before memory is bounded."""
    from PIL import Image

    from core.samples.upright import fitted

    Image.init()
    assert fitted


def _be_modest(memory_bytes: int) -> None:
    """Give way to the server, and take no more memory than declared, where the system can do so."""
    if sys.platform == "linux":
        import resource

        os.nice(10)
        pages = int(Path("/proc/self/statm").read_text().split()[5])
        most = pages * resource.getpagesize() + memory_bytes
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))


if __name__ == "__main__":
    main()
