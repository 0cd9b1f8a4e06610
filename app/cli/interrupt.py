"""Ctrl-C in two steps, as every stop: the first asks, the second ends the command.

Python handles a signal only between two of its own steps, so a library that hangs would keep it for
ever. Hence a thread listens; and where not even a thread gets a turn, because the library holds
the lock of Python, the system itself ends the process at the second request.
"""

import contextlib
import os
import select
import signal
import threading
from collections.abc import Callable, Iterator

from app.cli import output
from core.worker import force, supervisor

STATUS = 130
PATIENCE_S = 0.5
"""Seconds in which most commands have stopped, so that nothing need be said."""
LIMIT_S = 9.0
"""Seconds after the second request for what has a second step of its own."""
BEGIN, END = 254, 255
"""Bytes between those of signals: from here on, until here, requests are left to the caller.

What is read in this order is right about a request that comes while a caller ends, as a server
does that raises its signal again when it has stopped.
"""
_ends: list[int] = []
"""Where `listen` reads: the end to write to; [] where nobody listens."""
_left = threading.Event()
"""Whether requests are left to the caller."""


@contextlib.contextmanager
def attended() -> Iterator[None]:
    """Leave each request to the caller, as KeyboardInterrupt: it has a second step of its own."""
    if _left.is_set() or not _ends:
        yield
        return
    _mark(BEGIN)
    _left.wait()
    try:
        yield
    finally:
        _left.clear()
        _mark(END)


@contextlib.contextmanager
def unheeded() -> Iterator[None]:
    """Let nothing that is typed cut short what ends something; only the time does that."""
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _mark(byte: int) -> None:
    for end in _ends:
        os.write(end, bytes([byte]))


def listen() -> threading.Event:
    """End this process at the second request, whatever it does then; the event: from then on."""
    armed = threading.Event()
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        return armed  # it begins in the background, where nobody types
    ready, tell = os.pipe()
    os.set_blocking(tell, False)
    _ends[:] = [tell]
    signal.set_wakeup_fd(tell, warn_on_full_buffer=False)
    threading.Thread(target=_attend, args=(ready, armed), daemon=True).start()
    return armed


def _handlers() -> tuple[Callable[[], object], Callable[[], object]]:
    """What lets the handler of Python take one signal, and the system end us at another (glibc);
    and what lets it take each."""
    import ctypes  # most commands end before their thread needs it

    libc = ctypes.PyDLL(None)  # without a turn for others between two calls
    if not hasattr(libc, "sysv_signal"):
        return (lambda: None), (lambda: None)
    for function in (libc.sysv_signal, libc.bsd_signal):
        function.argtypes, function.restype = (ctypes.c_int, ctypes.c_void_p), ctypes.c_void_p
    ours = libc.sysv_signal(signal.SIGINT, signal.SIG_DFL.value)

    def always() -> None:
        libc.bsd_signal(signal.SIGINT, ours)
        signal.siginterrupt(signal.SIGINT, True)  # so that Python has its turn at once

    return (lambda: libc.sysv_signal(signal.SIGINT, ours)), always


def _attend(ready: int, armed: threading.Event) -> None:
    once, always = _handlers()
    once()
    armed.set()
    asked = attending = False
    while True:
        for byte in os.read(ready, 64):
            if byte in (BEGIN, END):
                attending, asked = byte == BEGIN, False
                (always if attending else once)()
                if attending:
                    _left.set()
            elif byte == signal.SIGINT:
                if not attending:
                    once()
                if asked:
                    _end_after(LIMIT_S if attending else 0)
                elif not attending:
                    _answer(ready)
                asked = True


def _answer(ready: int) -> None:
    """Say what a second request does, where the first one has not ended the command soon."""
    if not select.select([ready], [], [], PATIENCE_S)[0]:
        output.say(f"Stopping... {force.AGAIN}")


def _end_after(seconds: float) -> None:
    timer = threading.Timer(seconds, _end)
    timer.daemon = True
    timer.start()


def _end() -> None:
    """End this process and what it has started."""
    output.say(force.FORCED)
    for process in force.family(supervisor.identity(os.getpid())):
        force.send(process, signal.SIGKILL)
    os._exit(STATUS)
