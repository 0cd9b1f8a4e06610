"""The supervisor of a run: waits for its turn, starts the worker, writes down how it ended.

Started as `python -I -S supervisor.py JOB` and made of the standard library only, so that it stays
small and nothing can break it. It leaves the process that started it, holds RUN_DIR's shim.lock as
long as it lives, and writes place.json while the run waits in the queue, proc.json at the start and
exit.json at the end. JOB is JSON: "run_dir", "command", "queue" (folder, or ""), "threads",
"gpu", "attempt", "ranks" where it trains on several and "several" (folder of what starts them), and
"env" where the worker's environment is not our own.
Exit status of the first process: 0 when the run is in good hands, 75 when it has a process already,
1 when it could not be begun; above 128 that is by the number of the system's error, as on a full
disk.
"""

import errno
import fcntl
import json
import os
import resource
import signal
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import IO, Any

if __package__:
    from core.worker import child_process, job_queue
else:  # alone, without the packages around us
    sys.path.append(str(Path(__file__).parent))
    import child_process
    import job_queue

BUSY, FAILED, ERROR = 75, 1, 128
BEGUN = b"begun\n"
"""The message of a warm worker once it has taken up its run."""
HELD = (errno.EACCES, errno.EAGAIN)
"""Errors for a lock that another process has; others mean that there are no locks."""
SIGNALS = signal.SIGTERM, signal.SIGINT, signal.SIGHUP
POLL_S = 0.1
EXIT_RESERVE, RESERVED_BYTES = ".exit.reserve", 512
Job = dict[str, Any]
Launch = Callable[[Job], "child_process.Process[bytes]"]


def main(job: Job) -> int:
    """Hand over to a child of our own, so that nobody has to reap us; wait until it is up."""
    ready, tell = os.pipe()
    if os.fork():
        os.close(tell)
        answer = os.read(ready, 1)
        return answer[0] if answer else FAILED
    os.close(ready)
    os.setsid()
    pipe = [tell]
    try:
        locks = [take_lock(run_dir / "shim.lock") for run_dir in run_dirs(job)]
        if None in locks:
            _answer(pipe, BUSY)
            os._exit(BUSY)
        supervise(job, launch, lambda: _answer(pipe, 0))
    except OSError as error:
        _answer(pipe, ERROR + (error.errno or 0))
        raise
    os._exit(0)


def run_dirs(job: Job) -> list[Path]:
    """The folders of a job: usually one; the first is that of the log."""
    return [Path(job["run_dir"]), *map(Path, job.get("with", ()))]


def _answer(pipe: list[int], status: int) -> None:
    """Say once how it went to the process that waits for it."""
    if pipe:
        os.write(pipe[0], bytes([status if status < 256 else FAILED]))
        os.close(pipe.pop())


def take_lock(path: Path) -> IO[bytes] | None:
    """Take the lock; readers hold it for an instant, so ask for a second.

    Raises OSError where the disk has no locks.
    """
    file = job_queue.plain(path).open("ab")
    for _ in range(100):
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return file
        except OSError as error:
            if error.errno not in HELD:
                raise
            time.sleep(0.01)
    return None


def supervise(
    job: Job, launch: Launch, tell: Callable[[], None], ticket: job_queue.Ticket | None = None
) -> None:
    """Wait for a turn (unless `ticket` has it), start the worker, wait for it, write exit.json."""
    for each in run_dirs(job):
        (each / "exit.json").unlink(missing_ok=True)
        with suppress(OSError):  # a disk that is full already goes without
            (each / EXIT_RESERVE).write_bytes(b" " * RESERVED_BYTES)
    try:
        _supervise(job, launch, tell, ticket)
    finally:
        for each in run_dirs(job):
            (each / EXIT_RESERVE).unlink(missing_ok=True)


def _supervise(
    job: Job, launch: Launch, tell: Callable[[], None], ticket: job_queue.Ticket | None
) -> None:
    run_dir = Path(job["run_dir"])
    turn = Turn(run_dir, run_dirs(job)[1:])
    _write_proc(job, {"shim": identity(os.getpid())})
    ticket = ticket or draw_ticket(job)
    waits = ticket is not None and not ticket.granted and job_queue.position(ticket) > 0
    if waits:
        tell()
    if ticket and waits and not turn.wait(ticket):
        for each, folder in zip(run_dirs(job), turn.folders, strict=True):
            _end(each, folder, {"code": None, "signal": None, "withdrawn": True})
    else:
        _work(job | {"cuda": ticket.gpu if ticket else ""}, launch, lambda: waits or tell())
    if ticket:
        ticket.leave()


def _work(job: Job, launched: Launch, tell: Callable[[], Any]) -> None:
    """Start the worker, wait for it, write exit.json; a warm one that never began costs no run."""
    folders = {run_dir: folder_identity(run_dir) for run_dir in run_dirs(job)}
    kills, started, signals = oom_kills(), time.monotonic(), list[int]()
    worker = _begin(job, launched, signals)
    tell()
    code = worker.wait()
    first, folder = next(iter(folders.items()))
    folder_gone = folder != folder_identity(first)
    if not (begun(worker) or signals or folder_gone or unwanted(first)):
        return _work(job, launch, lambda: None)
    record = {**exit_record(code), "oom_kills": oom_kills() - kills}
    record |= getattr(worker, "details", {})
    record["wall_s"] = round(time.monotonic() - started, 3)
    for each, known in folders.items():
        _end(each, known, record)
    return None


def _end(run_dir: Path, folder: tuple[int, int] | None, record: dict[str, Any]) -> None:
    """Write exit.json, into the folder that the run began in; on a full disk over its reserve."""
    if folder == folder_identity(run_dir):
        _write_exit(run_dir, record)


def _write_exit(run_dir: Path, record: dict[str, Any]) -> None:
    reserve = run_dir / EXIT_RESERVE
    try:
        write_json(run_dir / "exit.json", record)
    except OSError:
        with suppress(OSError), reserve.open("r+b") as file:
            file.write(json.dumps(record).encode().ljust(RESERVED_BYTES))
            reserve.replace(run_dir / "exit.json")


def _begin(job: Job, launched: Launch, signals: list[int]) -> "child_process.Process[bytes]":
    """Start the worker, say whose run it is; signals go on to it and are added to `signals`."""
    run_dir = Path(job["run_dir"])
    try:
        worker = launched(job)
    except OSError as error:
        _record_unstarted(run_dir, error)
        raise

    def end(number: int, _: Any) -> None:
        signals.append(number)
        worker.terminate()

    for number in SIGNALS:
        signal.signal(number, end)
    try:
        _write_proc(job, {"shim": identity(os.getpid()), "worker": identity(worker.pid)})
    except OSError as error:  # nobody could end a worker that is not written down
        worker.kill()
        worker.wait()
        _record_unstarted(run_dir, error)
        raise
    return worker


def _write_proc(job: Job, who: dict[str, Any]) -> None:
    """Write down whose processes the runs of a job are."""
    attempts = [job.get("attempt", 0), *job.get("attempts", ())]
    for run_dir, attempt in zip(run_dirs(job), attempts, strict=True):
        write_json(run_dir / "proc.json", {"attempt": attempt, **who})


def _record_unstarted(run_dir: Path, error: OSError) -> None:
    """Write down why a run did not begin."""
    why = error.strerror or str(error)
    _write_exit(run_dir, {"code": None, "signal": None, "unbegun": why})


def begun(worker: "child_process.Process[bytes]") -> bool:
    """Whether a worker that has ended had taken up its run; only a warm one is listened to."""
    return worker.stdout is None or BEGUN in worker.stdout.read()


def launch(job: Job) -> Any:
    """Start a worker of its own for a job, or those of all its ranks."""
    if job.get("ranks", 1) > 1:
        return _launch_ranks(job)
    return _start_worker(job, {})


def _start_worker(job: Job, more: dict[str, str]) -> "child_process.Process[bytes]":
    env = {**environment_of(job), **more}
    with job_queue.plain(Path(job["run_dir"]) / "log.txt").open("ab", buffering=0) as log:
        return child_process.start(job["command"], stdout=log, stderr=log, env=env)


def _launch_ranks(job: Job) -> Any:
    """Start all ranks, by the module of the wing that is beside its others in `several`."""
    sys.path.append(job["several"])
    rank_processes = import_module("rank_processes")
    run_dir, shim = Path(job["run_dir"]), identity(os.getpid())
    folder = folder_identity(run_dir)

    def note(pid: int) -> None:
        with suppress(OSError):
            _write_proc(job, {"shim": shim, "worker": identity(pid)})

    def wanted() -> bool:
        return not unwanted(run_dir) and folder == folder_identity(run_dir)

    start = partial(_start_worker, job)
    return rank_processes.RankProcesses(job, start, note, wanted)


def environment_of(job: Job) -> dict[str, str]:
    """The worker's environment: on a GPU it sees the one it was granted."""
    known = job.get("env") or child_process.environment()
    granted = str(job.get("cuda") or "")
    seen = {"CUDA_VISIBLE_DEVICES": granted, job_queue.GRANTED: granted}
    return {**known, **seen} if granted else known


def draw_ticket(job: Job) -> job_queue.Ticket | None:
    """Take a place in the queue; None where there is none to stand in: then nobody waits."""
    if not job.get("queue"):
        return None
    try:
        gpu, index, other = job["gpu"], job.get("gpu_index"), job.get("other_gpu", "")
        ranks = job.get("ranks", 1)
        want = job_queue.ResourceRequest(job["run_dir"], job["threads"], gpu, index, other, ranks)
        return job_queue.enqueue(Path(job["queue"]), want)
    except OSError:
        return None


class Turn:
    """Wait in the queue: write the position to place.json, give up on a request to stop."""

    def __init__(self, run_dir: Path, others: Sequence[Path] = ()) -> None:
        """others: runs that train in the same process; all of them must be unwanted."""
        self.run_dir, self.others, self.stop_signal = run_dir, others, False
        self.folder = folder_identity(run_dir)
        self.folders = [self.folder, *map(folder_identity, others)]
        for number in SIGNALS:
            signal.signal(number, self._on_signal)

    def _on_signal(self, *_: Any) -> None:
        self.stop_signal = True

    def wait(self, ticket: job_queue.Ticket) -> bool:
        """Wait until granted; False when the run is no longer wanted."""
        shown = 0
        try:
            while position := job_queue.position(ticket):
                if (
                    self.stop_signal
                    or all(map(unwanted, (self.run_dir, *self.others)))
                    or self.gone
                ):
                    return False
                if position != shown:
                    with suppress(OSError):  # a full disk: then the position is not shown
                        write_json(self.run_dir / "place.json", {"place": position})
                    shown = position
                time.sleep(POLL_S * min(position, 5))
        finally:
            (self.run_dir / "place.json").unlink(missing_ok=True)
        return not (self.stop_signal or self.gone)

    @property
    def gone(self) -> bool:
        """Whether the run's folder was deleted or moved while it waited."""
        return self.folder != folder_identity(self.run_dir)


def folder_identity(run_dir: Path) -> tuple[int, int] | None:
    """Which folder of a run this is, whatever its name; None where there is none any more.

    Where the run writes while its folder is deleted, one is left, but without its spec.json.
    """
    try:
        stats, _ = run_dir.stat(), (run_dir / "spec.json").stat()
    except OSError:
        return None
    return stats.st_dev, stats.st_ino


def unwanted(run_dir: Path) -> bool:
    """Whether a stop of the run was requested."""
    try:
        control = json.loads(job_queue.plain(run_dir / "control.json").read_bytes())
    except (OSError, ValueError):
        return False
    return isinstance(control, dict) and control.get("want") == "stop"


def exit_record(code: int) -> dict[str, Any]:
    """How our last child ended, and what all of them used."""
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
    try:
        temporary.write_text(json.dumps(value))
        temporary.replace(path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise


if __name__ == "__main__":
    sys.exit(main(json.loads(sys.argv[1])))
