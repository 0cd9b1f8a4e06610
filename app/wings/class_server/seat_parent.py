"""The parent of all workbenches of a class: it imports what each needs, and forks for each account.

What is imported is held once for all. It knows no account: see `core.worker.forking`.
"""

import atexit
import gc
import logging
import os
import signal
import socket
import sys
import warnings
from importlib import import_module
from typing import Any

from app import wing

ONE_THREAD = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
"""A fork has one thread, so libraries may start no other before it."""

HERE = "app.wings.class_server.seat_process"
LATER = ("core.worker.setup", "core.insight.part.extract", "core.export.run", "core.export.figure")
"""What a helper imports in the middle of a call."""
OF_PAGES = ("panel", "notice", "share", "actions", "drop", "arrival", "doubt", "versions", "where")
"""Parts of wings that nearly every page imports when it is drawn; see `app.wing`."""


def prepare() -> None:
    """Import everything a workbench and its helpers need and use it once, in one thread."""
    before = dict(os.environ)
    os.environ.update(ONE_THREAD)
    logging.disable(logging.WARNING)  # of Streamlit, that no server runs here
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _use_once()
    logging.disable(logging.NOTSET)
    for name in ONE_THREAD.keys() - before.keys():  # trainings that are started later have more
        del os.environ[name]
    os.environ.update(before)
    gc.collect()
    gc.freeze()  # else the first collection of each fork would write to all that is shared


def _use_once() -> None:
    import torch

    torch.set_num_threads(1)
    for name in ("app.pages.navigation", "app.server.main", HERE, *LATER):
        import_module(name)
    for part in OF_PAGES:
        for _ in wing.parts(part):
            pass
    from core.worker.preload import analyse_once, no_gpu

    with no_gpu():
        analyse_once()


def begin(request: dict[str, Any], files: list[int]) -> None:
    """Become the workbench of an account."""
    from app.wings.class_server import seat_process
    from core.worker import forked_pool

    line, stdin = files
    os.setsid()
    os.dup2(stdin, 0)
    os.close(stdin)
    os.environ.update(request["more"])
    os.chdir(request["cwd"])
    forked_pool.use_forks()
    seat_process.main(str(line), request["base"])
    _leave()


def _leave() -> None:
    """End with what was registered for the end, without taking libraries down that say so."""
    atexit._run_exitfuncs()
    os._exit(0)


def main(descriptor: str) -> None:
    """Wait for accounts until the front door ends."""
    from core.worker import forking

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    prepare()
    forking.stand_by(socket.socket(fileno=int(descriptor)), begin)
    _leave()


if __name__ == "__main__":
    main(sys.argv[1])
