"""The supervisor of a run: starts the worker, forwards signals, writes down how it ended.

Started as `python -I -S shim.py RUN_DIR COMMAND...` and made of the standard library only, so that
it stays small and nothing can break it. It leaves the process that started it, holds RUN_DIR's
shim.lock as long as it lives, and writes proc.json at the start and exit.json at the end.
Exit status of the first process: 0 when the worker is running, 75 when the run has one already.
"""

import fcntl
import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import IO, Any

BUSY = 75


def main(run_dir: Path, command: list[str]) -> int:
    """Hand over to a child of our own, so that nobody has to reap us; wait until it is up."""
    ready, tell = os.pipe()
    if os.fork():
        os.close(tell)
        answer = os.read(ready, 1)
        return 0 if answer == b"1" else BUSY
    os.close(ready)
    os.setsid()
    lock = take_lock(run_dir / "shim.lock")
    if lock is None:
        os._exit(BUSY)
    supervise(run_dir, command, tell)
    os._exit(0)


def take_lock(path: Path) -> IO[bytes] | None:
    """Take the lock; readers hold it for an instant, so ask for a second."""
    file = path.open("ab")
    for _ in range(100):
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return file
        except OSError:
            time.sleep(0.01)
    return None


def supervise(run_dir: Path, command: list[str], tell: int) -> None:
    """Start the worker, wait for it, write exit.json."""
    (run_dir / "exit.json").unlink(missing_ok=True)
    kills = oom_kills()
    started = time.monotonic()
    with (run_dir / "log.txt").open("ab", buffering=0) as log:
        worker = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/"
        )
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: worker.terminate())
    write_json(
        run_dir / "proc.json", {"shim": identity(os.getpid()), "worker": identity(worker.pid)}
    )
    os.write(tell, b"1")
    os.close(tell)
    code = worker.wait()
    record = {**ended(code), "oom_kills": oom_kills() - kills}
    record["wall_s"] = round(time.monotonic() - started, 3)
    write_json(run_dir / "exit.json", record)


def ended(code: int) -> dict[str, Any]:
    """How our only child ended, and what it used."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        "code": code if code >= 0 else None,
        "signal": -code if code < 0 else None,
        "max_rss_bytes": used.ru_maxrss * (1 if sys.platform == "darwin" else 1024),
        "cpu_s": round(used.ru_utime + used.ru_stime, 3),
    }


def identity(pid: int) -> dict[str, Any]:
    """A process by pid and start time, which together are never used twice."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
        return {"pid": pid, "start": int(text.rpartition(")")[2].split()[19])}
    except (OSError, ValueError, IndexError):
        return {"pid": pid, "start": None}


def oom_kills() -> int:
    """How often the kernel killed for memory in our control group; 0 where it does not say."""
    try:
        group = Path("/proc/self/cgroup").read_text().splitlines()[-1].rpartition("::")[2]
        events = Path(f"/sys/fs/cgroup{group}/memory.events").read_text().split()
        return int(events[events.index("oom_kill") + 1])
    except (OSError, ValueError, IndexError):
        return 0


def write_json(path: Path, value: Any) -> None:
    """Write JSON whole or not at all."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    temporary.write_text(json.dumps(value))
    temporary.replace(path)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
