"""The supervisor of a warm worker, which has imported everything, until it gives it one run.

Started as `python -I -S warm_worker_host.py SPARE`, standard library only, a process group of its
own. SPARE is JSON: "folder" and "name" (the socket NAME.sock and the lock NAME.lock there),
"command" (the worker's), "idle_s", "owners" (processes that want it). It ends with its worker when
nobody has asked for `idle_s` seconds or when no owner lives any more. Questions on the socket are
one line of JSON each: {"ask": "warm", "owner", "idle_s"}, {"ask": "ready"}, {"ask": "run",
"job"} or {"ask": "leave"}; the answer is one byte: YES, BUSY (not yet; the run has a process) or
QUEUE (not its turn).
"""

import json
import os
import select
import socket
import sys
import time
from pathlib import Path
from typing import IO, Any

if __package__:
    from core.worker import child_process, job_queue, supervisor
else:  # alone, without the packages around us
    sys.path.append(str(Path(__file__).parent))
    import child_process
    import job_queue
    import supervisor

YES, BUSY, QUEUE = b"1", b"0", b"q"
LOOK_S = 1.0
LARGEST_BYTES = 1 << 20


class WarmWorker:
    """A worker that waits for its run, and who may call for it."""

    def __init__(self, wanted: dict[str, Any]) -> None:
        self.owners: list[dict[str, Any]] = list(wanted["owners"])
        self.until = time.monotonic() + wanted["idle_s"]
        pipe = child_process.PIPE
        self.worker = child_process.start(wanted["command"], stdin=pipe, stdout=pipe)

    @property
    def wanted(self) -> bool:
        """Whether anybody is left who could want it, and it is of any use."""
        self.owners = [o for o in self.owners if supervisor.identity(o["pid"]) == o]
        return bool(self.owners) and self.worker.poll() is None and time.monotonic() < self.until

    def warm(self, question: dict[str, Any]) -> None:
        """Stay longer, for one more owner."""
        if question["owner"] not in self.owners:
            self.owners.append(question["owner"])
        self.until = max(self.until, time.monotonic() + question["idle_s"])

    @property
    def ready(self) -> bool:
        """Whether the worker has reported that it has imported everything."""
        assert self.worker.stdout is not None
        return bool(select.select([self.worker.stdout], [], [], 0)[0])

    def hand_over(self, job: dict[str, Any]) -> "child_process.Process[bytes]":
        """Tell the worker which run is its own; were it dead, start another.

        Where it dies before it has taken up the run, the supervisor does that later.
        """
        line = json.dumps({"run_dir": job["run_dir"], "env": supervisor.environment_of(job)})
        assert self.worker.stdin is not None
        try:
            self.worker.stdin.write(line.encode() + b"\n")
            self.worker.stdin.close()
        except OSError:
            return supervisor.launch(job)
        return self.worker

    def dismiss(self) -> None:
        """End the worker: it ends by itself when nobody can write to it any more."""
        assert self.worker.stdin is not None
        self.worker.stdin.close()
        try:
            self.worker.wait(5)
        except child_process.TimeoutExpired:
            self.worker.kill()
            self.worker.wait()


class Name:
    """The right to be the spare of this name, given back once."""

    def __init__(self, address: Path, lock: IO[bytes]) -> None:
        self.address, self.lock = address, lock

    def give_back(self) -> None:
        """Let another spare have it."""
        if not self.lock.closed:
            self.address.unlink(missing_ok=True)
            self.lock.close()


def main(wanted: dict[str, Any]) -> int:
    """Leave whoever started us, be the only spare of this name, listen."""
    ready, tell = os.pipe()
    if os.fork():
        os.close(tell)
        os.read(ready, 1)
        return 0
    os.close(ready)
    os.setsid()
    os.umask(0o077)
    os.chdir(wanted["folder"])
    lock = supervisor.take_lock(Path(f"{wanted['name']}.lock"))
    if lock is not None:
        address = Path(f"{wanted['name']}.sock")
        address.unlink(missing_ok=True)
        with socket.socket(socket.AF_UNIX) as door:
            door.bind(str(address))
            door.listen(8)
            os.close(tell)
            serve(WarmWorker(wanted), door, Name(address, lock))
    os._exit(0)


def serve(spare: WarmWorker, door: socket.socket, name: Name) -> None:
    """Answer until a run takes the spare worker or it is no longer needed."""
    door.settimeout(LOOK_S)
    try:
        while spare.wanted:
            try:
                caller, _ = door.accept()
            except TimeoutError:
                continue
            with caller:
                caller.settimeout(LOOK_S)
                try:
                    if answer(spare, caller, _question(caller), name):
                        return
                except (OSError, ValueError, KeyError, TypeError):
                    continue  # the caller is gone, or sent something else
    finally:
        if spare.worker.poll() is None:
            spare.dismiss()
        name.give_back()


def _question(caller: socket.socket) -> dict[str, Any]:
    with caller.makefile("rb") as lines:
        question = json.loads(lines.readline(LARGEST_BYTES))
    if not isinstance(question, dict):
        raise TypeError("a request is an object")
    return question


def answer(spare: WarmWorker, caller: socket.socket, question: dict[str, Any], name: Name) -> bool:
    """Answer one question; True when there is nothing left to serve."""
    if question["ask"] == "run":
        return run(spare, caller, question, name)
    if question["ask"] == "warm":
        spare.warm(question)
    no = question["ask"] == "ready" and not spare.ready
    caller.sendall(BUSY if no else YES)
    return question["ask"] == "leave"


def run(spare: WarmWorker, caller: socket.socket, question: dict[str, Any], name: Name) -> bool:
    """Train a run with the spare's worker, if it can begin at once; then there is no spare."""
    job = question["job"]
    lock = supervisor.take_lock(Path(job["run_dir"]) / "shim.lock")
    if lock is None:
        caller.sendall(BUSY)
        return False
    ticket = supervisor.draw_ticket(job)
    if ticket and job_queue.position(ticket):
        ticket.leave()
        lock.close()
        caller.sendall(QUEUE)
        return False
    name.give_back()
    supervisor.supervise(job, spare.hand_over, lambda: caller.sendall(YES), ticket)
    return True


if __name__ == "__main__":
    sys.exit(main(json.loads(sys.argv[1])))
