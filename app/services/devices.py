"""The devices that the Train page offers: each GPU on which one real step worked. No torch here."""

import sys
import threading
from functools import cache

from core.common.device import AUTO, CPU, CUDA, KINDS, kind_of
from core.worker import device_trials, job_queue

INTEL, WSL = "dri/renderD*", "dxg"


class Trial:
    """The trial of all devices, in the background, once for a server. entries: None until done."""

    def __init__(self) -> None:
        self.entries: list[device_trials.Entry] | None = None
        self.thread = threading.Thread(target=self._try, daemon=True)
        self.thread.start()

    def _try(self) -> None:
        self.entries = device_trials.try_devices()


@cache
def trial() -> Trial:
    """The trial of this server; the first call starts it."""
    return Trial()


def may_have_gpu() -> bool:
    """Whether it is worth starting torch to look for one."""
    files = [*job_queue.DEVICES.glob(INTEL), *job_queue.DEVICES.glob(WSL)]
    return bool(job_queue.gpus() or files or sys.platform == "darwin")


def offered(saved: str = "auto") -> tuple[str, ...]:
    """The choices of a form: auto, cpu, the GPUs that work, and what the project names."""
    return tuple(dict.fromkeys((AUTO, CPU, *_working(), saved)))


def remark(saved: str = "auto") -> str:
    """What to know about these choices: GPUs on which the step failed; "" for nothing."""
    if not may_have_gpu():
        return ""
    if (entries := trial().entries) is None:
        return "Each GPU is being tried with one step."
    sentence = "{} is not available: one step of a small network fails on it ({})."
    faults = [sentence.format(_words(e["device"]), e["fault"]) for e in entries if e["fault"]]
    return " ".join(faults)


def absent(saved: str) -> str:
    """That the device which a project names is not on this machine, and what to do; "" if it is."""
    kind = kind_of(saved)
    undecided = may_have_gpu() and trial().entries is None
    if saved in (AUTO, CPU) or kind not in KINDS or undecided:
        return ""
    working = _working()
    if saved in working or (":" not in saved and any(w.startswith(kind) for w in working)):
        return ""
    there = ", ".join((CPU, *working))
    return (
        f"This project trains on {saved}, which this machine does not have or cannot use. Devices "
        f"here: {there}. Choose one of them or auto; nothing else of the project depends on it."
    )


def _working() -> tuple[str, ...]:
    """GPUs on which the step worked; until that is known, those whose files are there."""
    if not may_have_gpu():
        return ()
    if (entries := trial().entries) is None:
        return tuple(f"{CUDA}:{index}" for index, _ in enumerate(job_queue.gpus()))
    return tuple(e["device"] for e in entries if e["device"] != CPU and not e["fault"])


def _words(device: str) -> str:
    return "A GPU" if device == "gpu" else device
