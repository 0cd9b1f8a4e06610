"""The queue for this machine's processors and GPUs: tickets in a folder, first come, first served.

Where several people share a queue they take turns: the first run of each comes before the second of
anybody. PERSON says whose a run is; without it, all are of one person.

A ticket is a file that its holder keeps locked; a lock dies with its process, so a ticket whose
lock is free belongs to nobody and is thrown away. A run on the processor holds as many threads as
it computes with, a run on a GPU holds one whole GPU; each GPU has a queue of its own.

Nothing here outlives a crash, nothing needs a server. Standard library only: the supervisor of a
run, which holds the ticket, is made of that.
"""

import errno
import fcntl
import itertools
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

DEVICES = Path("/dev")
GRANTED = "LAYERLOOM_GRANTED_GPU"
"""The variable that tells a worker that it sees no GPU but the one it was granted."""
PERSON = "LAYERLOOM_PERSON"


@dataclass(frozen=True)
class ResourceRequest:
    """What a run needs.

    gpu: whether it would train on an NVIDIA GPU if there is one; gpu_index: on which of those in
    `gpus`, None for any. other_gpu: the one of another maker that it names, such as "mps".
    gpus: how many of NVIDIA's, one for each of its processes.
    """

    run_dir: str
    threads: int = 1
    gpu: bool = False
    gpu_index: int | None = None
    other_gpu: str = ""
    gpus: int = 1


@dataclass
class Ticket:
    """A place in the queue, as long as `file` is open. gpu: names of GPUs, joined by commas.

    turn: tickets are granted by their turn, then by their number.
    """

    path: Path
    file: IO[bytes]
    want: ResourceRequest
    gpu: str = ""
    granted: bool = False
    turn: int = 0

    def leave(self) -> None:
        """Give the place, or what was granted, to the next."""
        self.path.unlink(missing_ok=True)
        self.file.close()


def enqueue(queue: Path, want: ResourceRequest) -> Ticket:
    """Take a ticket behind all others. Raises OSError where the folder cannot be written."""
    queue.mkdir(parents=True, exist_ok=True, mode=0o700)
    with _exclusive(queue):
        numbers = [int(p.stem) for p in queue.glob("*.json") if p.stem.isdigit()]
        turn, path = _next_turn(queue), queue / f"{max(numbers, default=0) + 1:012d}.json"
        file = path.open("xb+", buffering=0)
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        ticket = Ticket(path, file, want, turn=turn)
        _write(ticket)
    return ticket


def position(ticket: Ticket) -> int:
    """Request the ticket's resources: 0 when granted, else the position in the queue, from 1."""
    with _exclusive(ticket.path.parent):
        others = [o for o in _others(ticket) if o["kind"] == _device_kind(ticket)]
        mine = ticket.turn, int(ticket.path.stem)
        before = [o for o in others if not o["granted"] and (o["turn"], o["number"]) < mine]
        before = [o for o in before if _may_want_the_same(o, ticket)]
        blocked = any(not o.get("only") for o in before)  # who waits for one GPU keeps that one
        held = [o for o in others if o["granted"]]
        if blocked or not _allocate(ticket, held, {o.get("only", "") for o in before}):
            return len(before) + 1
        ticket.granted = True
        _write(ticket)
    return 0


def _next_turn(queue: Path) -> int:
    """The turn of a new ticket: behind those of its person, level with the first of the others."""
    there = [ticket for path in sorted(queue.glob("*.json")) if (ticket := _read(path))]
    own = [ticket["turn"] + 1 for ticket in there if ticket["person"] == _person()]
    return max([*own, min((ticket["turn"] for ticket in there), default=0)])


def _person() -> str:
    return os.environ.get(PERSON, "")


def requeue(queue: Path, run_dir: str, take: Callable[[], None]) -> bool:
    """Whether a run that paused may compute again; then `take` is called before others request.

    It comes before those that wait to begin, which count it as soon as it waits, and after runs
    that paused, wait and drew their tickets earlier. Called by its worker.
    """
    try:
        with _exclusive(queue):
            if room := _has_threads_again(queue, run_dir):
                take()
    except FileNotFoundError:  # no queue to stand in: then nobody waits
        room = True
        take()
    return room


def _has_threads_again(queue: Path, run_dir: str) -> bool:
    number, wanted, others = 0, 0, list[dict[str, Any]]()
    for path in sorted(queue.glob("*.json")):
        ticket = _read_record(path)
        if ticket.get("run_dir") == run_dir:  # not `_read`, as that would unlock our worker.lock
            number, wanted = int(path.stem), ticket["threads"] if ticket["kind"] == "cpu" else 0
        elif other := _read(path):
            others.append(other)
    used = sum(
        o["threads"]
        for o in others
        if o["kind"] == "cpu" and o["granted"] and not _yields_threads(o, before=number)
    )
    return not wanted or used + min(wanted, threads()) <= threads()


def plain(path: Path) -> Path:
    """The path of a plain file, or of nothing yet; as in `core.files.safe_path`, which a supervisor
    cannot import. Raises OSError for a pipe, which would keep us waiting."""
    if path.exists() and not path.is_file():
        raise OSError(errno.ENXIO, "It is not a file", str(path))
    return path


def _read_record(path: Path) -> dict[str, Any]:
    """The content of a file of ours; {} where it is gone or not written yet."""
    try:
        record = json.loads(plain(path).read_bytes())
    except (OSError, ValueError):
        return {}
    return record if isinstance(record, dict) else {}


def _allocate(ticket: Ticket, held: list[dict[str, Any]], kept: set[str]) -> bool:
    """Whether there is enough; chooses the GPU. kept: names of those that others wait for."""
    if _device_kind(ticket) == "gpu":
        taken = {name for o in held for name in o["gpu"].split(",")} | kept
        fitting = [only] if (only := _only(ticket)) else gpus()
        free = [name for name in fitting if name not in taken]
        wanted = min(ticket.want.gpus, len(fitting))  # the worker refuses what is too few
        ticket.gpu = ",".join(free[:wanted]) if len(free) >= wanted else ""
        return bool(ticket.gpu)
    if ticket.want.other_gpu:
        return not held
    available = threads()
    used = sum(o["threads"] for o in held if not _yields_threads(o))
    return used + min(ticket.want.threads, available) <= available


def _device_kind(ticket: Ticket) -> str:
    """Which queue a ticket stands in: "cpu", "gpu" for NVIDIA's, or the name of another GPU."""
    if ticket.want.other_gpu:
        return ticket.want.other_gpu
    named = ticket.want.gpu_index is not None
    there = _only(ticket) if named else gpus()  # one that is not there is refused by the worker
    return "gpu" if ticket.want.gpu and there else "cpu"


def _may_want_the_same(other: dict[str, Any], ticket: Ticket) -> bool:
    """Whether what another waits for may be the GPU that a ticket is for."""
    mine, its = _only(ticket), other.get("only", "")
    return not mine or not its or mine == its


def _only(ticket: Ticket) -> str:
    """The name of the one GPU that a run asks for, "" where any will do or it is not there."""
    index = ticket.want.gpu_index
    return "" if index is None else next(iter(gpus()[index : index + 1]), "")


def _yields_threads(other: dict[str, Any], before: int | None = None) -> bool:
    """A run that rests with everything in memory leaves its threads to others.

    Once it waits to go on, only to a run that paused as well and drew its ticket before it.
    """
    status = _read_record(Path(other["run_dir"]) / "status.json")
    if status.get("state") != "paused":
        return False
    return not status.get("waits") or (before is not None and other["number"] > before)


def _others(ticket: Ticket) -> list[dict[str, Any]]:
    """All tickets that somebody holds, but for this one (closing it would unlock it)."""
    tickets: list[dict[str, Any]] = []
    for path in sorted(ticket.path.parent.glob("*.json")):
        if path != ticket.path and (other := _read(path)):
            tickets.append(other)
    return tickets


def _read(path: Path) -> dict[str, Any] | None:
    """A living ticket; one that nobody holds is thrown away."""
    try:
        with path.open("rb+") as file:
            text = file.read()
            ticket = json.loads(text) if text else {}
            if not _is_locked(file) and not _worker_lives(ticket):
                path.unlink(missing_ok=True)
                return None
    except (OSError, ValueError):
        return None
    return {"person": "", "turn": 0, **ticket, "number": int(path.stem)} if ticket else None


def _worker_lives(ticket: dict[str, Any]) -> bool:
    """Whether the worker of a granted run lives on although its supervisor was killed."""
    if not ticket.get("granted"):
        return False
    try:
        with (Path(ticket["run_dir"]) / "worker.lock").open("rb+") as file:
            return _is_locked(file)
    except OSError:
        return False


def _is_locked(file: IO[bytes]) -> bool:
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    return False


def _write(ticket: Ticket) -> None:
    want = ticket.want
    record: dict[str, Any] = {"run_dir": want.run_dir, "granted": ticket.granted}
    record |= {"person": _person(), "turn": ticket.turn}
    record |= {
        "threads": min(want.threads, threads()),
        "gpu": ticket.gpu,
        "only": _only(ticket),
        "kind": _device_kind(ticket),
    }
    ticket.file.seek(0)
    ticket.file.truncate()
    ticket.file.write(json.dumps(record).encode())


@contextmanager
def _exclusive(queue: Path) -> Iterator[None]:
    """One process at a time looks at the queue and changes it."""
    with (queue / "lock").open("ab") as file:
        fcntl.lockf(file, fcntl.LOCK_EX)
        yield


def threads() -> int:
    """Threads that may compute at once: the processors we may use, or our control group's share."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    try:
        group = Path("/proc/self/cgroup").read_text().splitlines()[-1].rpartition("::")[2]
        quota, period = Path(f"/sys/fs/cgroup{group}/cpu.max").read_text().split()
        return max(1, min(cores or 1, int(quota) // int(period)))
    except (OSError, ValueError, IndexError):
        return max(1, cores or 1)


def gpus() -> list[str]:
    """The GPUs we may use, by the names CUDA_VISIBLE_DEVICES takes."""
    # CUDA counts from 0 what it can reach, whatever number a container left its device file
    numbers = [str(number) for number, _ in enumerate(DEVICES.glob("nvidia[0-9]*"))]
    chosen = os.environ.get("CUDA_VISIBLE_DEVICES")
    if chosen is None or not numbers:
        return numbers
    names = [name.strip() for name in chosen.split(",")]
    return list(itertools.takewhile(lambda name: name not in ("", "-1"), names))  # as CUDA does
