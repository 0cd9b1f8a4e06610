"""The devices that the Train page offers: each GPU that made one real step. No torch here."""

import json
import sys
import threading
from functools import cache

from core.worker import child_process, job_queue

TRIAL_S, WAIT_S = 120.0, 10.0
"""How long a driver may take in all, and how long the page waits for it."""
TRIAL = "core.engine.device_trial"
INTEL, WSL = "dri/renderD*", "dxg"


def offered(saved: str = "auto") -> tuple[str, ...]:
    """The choices of a form: auto, cpu, the GPUs that work, and what the project names."""
    found = tried().found if may_have_gpu() else ()
    return tuple(dict.fromkeys(("auto", "cpu", *found, saved)))


def may_have_gpu() -> bool:
    """Whether it is worth starting torch to look for one."""
    files = [*job_queue.DEVICES.glob(INTEL), *job_queue.DEVICES.glob(WSL)]
    return bool(job_queue.gpus() or files or sys.platform == "darwin")


class Trial:
    """The trial of all GPUs, in a process of its own, once for a server."""

    def __init__(self) -> None:
        self.found: tuple[str, ...] = ()
        self._thread = threading.Thread(target=self._try, daemon=True)
        self._thread.start()
        self._thread.join(WAIT_S)

    def _try(self) -> None:
        try:
            done = child_process.run(child_process.module(TRIAL), text=True, timeout_s=TRIAL_S)
        except (OSError, child_process.TimeoutExpired):
            return  # a driver that hangs offers nothing
        if done.returncode == 0:
            self.found = tuple(json.loads(done.stdout.splitlines()[-1]))


@cache
def tried() -> Trial:
    """The trial of this server."""
    return Trial()
