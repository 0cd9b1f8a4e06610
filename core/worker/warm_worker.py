"""The warm spare: one worker that has torch imported already and waits for the next run.

A page that offers to train calls `warm`; the run started next takes the spare and begins within a
fraction of a second. One spare is one run: it is never used again. There is at most one per user,
machine and version of the code; it goes when nobody has asked for ten minutes, and soon after the
last process that asked has gone. Without one a run starts cold, by the same code. No torch here.
"""

import hashlib
import json
import os
import socket
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from core.worker import child_process, supervisor, warm_worker_host
from core.worker.machine import machine_folder

ROOT = child_process.ROOT
HOST = Path(warm_worker_host.__file__)
IDLE_S = 600.0
ANSWER_S = 5.0
OF_A_RANK = ("RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE")
"""Variables that make a worker one of several processes of a run."""
NEEDS_BYTES = 1_500_000_000
"""Free memory without which a spare (about 0.4 GB) would stand in the way of a run."""


def warm(idle_s: float = IDLE_S, wanted: bool = False) -> threading.Thread | None:
    """Have a spare ready, for `idle_s` seconds from now. Returns at once; call it freely.

    wanted: whether a run will take it as soon as it can, so that it is made as fast as anything
    else here, and not behind everybody's work. Returns the thread that starts one, None where
    there is one: once it has ended, a run may take the spare, which begins with it as soon as
    everything is imported. Does nothing where LAYERLOOM_SPARE is 0: on a crowded server, or in
    tests of pages.
    """
    if os.environ.get("LAYERLOOM_SPARE") == "0":
        return None
    owner = supervisor.identity(os.getpid())
    if _ask({"ask": "warm", "owner": owner, "idle_s": idle_s}) is not None or not _has_memory():
        return None
    command = [*worker_command("--spare"), *(["--wanted"] if wanted else [])]
    starting = threading.Thread(
        target=_launch, args=(owner, idle_s, command), name="spare", daemon=True
    )
    starting.start()
    return starting


def ready() -> bool:
    """Whether there is a spare that has imported everything."""
    return _ask({"ask": "ready"}) == warm_worker_host.YES


def stop() -> None:
    """Do without a spare."""
    _ask({"ask": "leave"})


def claim(job: Mapping[str, Any]) -> int | None:
    """Give a run to the spare: 0 when it has begun, 75 when the run has a process already.

    None when there is no spare, or when the run has to wait in the queue.
    """
    answer = _ask({"ask": "run", "job": job})
    return {warm_worker_host.YES: 0, warm_worker_host.BUSY: supervisor.BUSY}.get(answer or b"")


def environment(threads: int) -> dict[str, str]:
    """What a worker needs before torch is imported: its threads.

    It is no rank of what started us, such as a job of torchrun.
    """
    given = child_process.environment(
        {
            "OMP_NUM_THREADS": str(threads),
            "MKL_NUM_THREADS": str(threads),
            "OMP_WAIT_POLICY": "PASSIVE",
            "PYTHONUNBUFFERED": "1",
        }
    )
    return {name: value for name, value in given.items() if name not in OF_A_RANK}


def worker_command(what: str) -> list[str]:
    """The command of a worker: for a run folder, or "--spare"."""
    return child_process.module("core.worker.main", what)


def together_command(run_dirs: Sequence[str], how: str) -> list[str]:
    """The command of a worker that trains several runs; how: whether steps are compiled."""
    return child_process.module("core.worker.together", how, *run_dirs)


def _launch(owner: dict[str, Any], idle_s: float, worker: list[str]) -> None:
    folder = machine_folder()
    if folder is None:
        return
    spec = {"folder": str(folder), "name": _name(), "command": worker}
    spec |= {"idle_s": idle_s, "owners": [owner]}
    with suppress(OSError):  # where no process can be started now, a run reports it itself
        child_process.start(child_process.alone(HOST, json.dumps(spec)), env=environment(1)).wait()


def _ask(question: Mapping[str, Any]) -> bytes | None:
    """One question and its answer; None when nobody is there to answer."""
    folder = machine_folder()
    if folder is None or not (folder / f"{_name()}.sock").exists():
        return None
    try:
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(ANSWER_S)
            _connect(line, folder)
            line.sendall(json.dumps(question).encode() + b"\n")
            return line.recv(1) or None
    except OSError:
        return None


def _connect(line: socket.socket, folder: Path) -> None:
    """Connect by a short way: the path of a socket may be 100 bytes long, folders are longer."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        near = f"/proc/self/fd/{descriptor}"
        line.connect(f"{near if Path(near).exists() else folder}/{_name()}.sock")
    finally:
        os.close(descriptor)


def _name() -> str:
    """Name a spare after interpreter and code, so that none trains with code of yesterday."""
    digest = hashlib.sha256(f"{sys.executable} {ROOT}".encode())
    for room in ("blocks", "core"):
        for path in sorted((ROOT / room).rglob("*.py")):
            digest.update(f"{path.name} {path.stat().st_mtime_ns}".encode())
    return f"spare-{digest.hexdigest()[:16]}"


def _has_memory() -> bool:
    """Whether memory is free for a spare; where the system does not say, yes."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return True
    free = [int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable")]
    return not free or free[0] >= NEEDS_BYTES
