"""Low latency for edits: TCP_NODELAY on sockets, and garbage collection kept out of the way.

Streamlit binds its socket without naming the protocol, so asyncio does not recognise it as TCP and
leaves Nagle's algorithm on. An answer goes out in two pieces, and the second then waits for the
browser's delayed receipt of the first: 40 ms on Linux, for each message of a page.
"""

import contextlib
import gc
import os
import socket
import stat
import threading
import time

MOST_FILES = 1024
RARELY = (10_000, 20, 50)
"""Thresholds of the collector: all objects are looked at only after ten million new ones."""
IDLE_S = 2.0


def send_at_once() -> int:
    """Switch the wait off where we listen; connections inherit it. Returns how many doors."""
    return sum(_switched(number) for number in range(3, MOST_FILES)) if os.name == "posix" else 0


def _switched(number: int) -> bool:
    with contextlib.suppress(OSError):  # no open file, or of another kind
        if stat.S_ISSOCK(os.fstat(number).st_mode):
            with socket.socket(fileno=os.dup(number)) as door:
                if door.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
                    door.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    return True
    return False


class Tidy:
    """Looks for garbage while nobody waits; in the middle of an edit that took up to 0.1 s."""

    def __init__(self) -> None:
        self._worked = 0.0

    def start(self) -> None:
        """Set the collector to rare, and collect in a thread of our own."""
        gc.collect()
        gc.freeze()  # what is imported by now never needs to be looked at again
        gc.set_threshold(*RARELY)
        threading.Thread(target=self._watch, name="tidy", daemon=True).start()

    def worked(self) -> None:
        """Note that something was answered just now."""
        self._worked = time.monotonic()

    def _watch(self) -> None:
        while True:
            time.sleep(IDLE_S / 2)
            if self._worked and time.monotonic() > self._worked + IDLE_S:
                self._worked = 0.0
                gc.collect()


tidy = Tidy()
