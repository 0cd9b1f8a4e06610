"""Every device of this machine tried with one real step, in a process of its own. No torch here.

A driver that crashes or hangs ends that process, not ours: its device is then named with the
reason, and another process goes on with the others.
"""

import json
import signal
from collections.abc import Iterable
from typing import Any

from core.worker import child_process

PROGRAM = "core.engine.device_trial"
TRIAL_S = 120.0
"""How long the devices that are left may take together."""

Entry = dict[str, Any]
"""A device: "device", "name", "fault" ("" where the step worked), perhaps "memory_bytes"."""


def try_devices() -> list[Entry]:
    """Try the processor and each GPU that torch sees.

    A machine on which even looking for GPUs fails has an entry "gpu" that says why.
    """
    known: dict[str, Entry] = {}
    while True:
        lines, why = _run(known)
        known |= {line["device"]: line for line in lines if "fault" in line}
        begun = lines[-1]["device"] if lines else ""
        if not why or not begun or begun in known:
            return list(known.values())
        known[begun] = {"device": begun, "name": "", "fault": why}


def _run(known: Iterable[str]) -> tuple[list[Entry], str]:
    """What the program prints, and why it did not come to its end ("" where it did)."""
    command = child_process.module(PROGRAM, *known)
    try:
        done = child_process.run(command, timeout_s=TRIAL_S)
    except child_process.TimeoutExpired as error:
        return _entries(error.stdout), f"its driver did not answer within {TRIAL_S:.0f} s"
    except OSError as error:
        return [], str(error)
    return _entries(done.stdout), _end(done.returncode)


def _end(status: int) -> str:
    if status >= 0:
        return f"the process ended with status {status}" if status else ""
    names = {each.value: each.name for each in signal.Signals}
    return f"its driver ended the process with {names.get(-status, f'signal {-status}')}"


def _entries(printed: bytes | None) -> list[Entry]:
    """The lines that are ours; a driver may print what it likes."""
    found: list[Entry] = []
    for text in (printed or b"").decode("utf-8", "replace").splitlines():
        try:
            line = json.loads(text)
        except ValueError:
            continue
        if isinstance(line, dict) and "device" in line:
            found.append(line)
    return found
