"""The worker processes of a run on several ranks of this machine, as if they were one process.

Where a rank dies or hangs, all end and begin again from the last checkpoint, as often as `Restarts`
allows. The standard library only, as the supervisor is made of that.
"""

import json
import os
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

if __package__:
    from core.wings.launch.worker import rank_records
    from core.worker import restarts
else:  # alone, beside the supervisor
    import rank_records
    import restarts  # pyright: ignore[reportMissingImports]

POLL_S = 0.05
GRACE_S = 10.0
"""How long ranks may take to end by themselves after one of them has ended in an orderly way."""
HANG_S = 120.0
"""Least time without a sign of life after which a rank is taken to hang."""
HANG_TIMES = 3.0
"""Times the silence that the run itself expects (hang_after_s of its status)."""
HANG_VARIABLE = "LAYERLOOM_HANG_S"
"""The variable that gives another time, in seconds."""
Environment = dict[str, str]


class RankProcesses:
    """Worker processes of a run. details: for exit.json, about the rank that ended the run."""

    stdout = None

    def __init__(
        self,
        job: Mapping[str, Any],
        start: Callable[[Environment], Any],
        restarted: Callable[[int], None],
        wanted: Callable[[], bool],
    ) -> None:
        """start: makes a process with more variables. restarted: called with the new process id of
        rank 0. wanted: whether the run is to continue."""
        self.run_dir, self.world = Path(job["run_dir"]), int(job["ranks"])
        self.attempt = job.get("attempt", 0)
        self._start, self._restarted, self._wanted = start, restarted, wanted
        self.details: dict[str, Any] = {}
        self.processes: list[Any] = []
        self.restarts, self._limit = 0, restarts.Restarts(self.run_dir)
        self.stopping = False
        self._begin({})

    @property
    def pid(self) -> int:
        """The process id of rank 0, which has the run's lock."""
        return self.processes[0].pid

    def terminate(self) -> None:
        """Stop the run with a checkpoint; rank 0 stops the others."""
        self.stopping = True
        self.processes[0].terminate()

    def kill(self) -> None:
        """End all ranks at once."""
        for process in self.processes:
            with suppress(OSError):
                process.kill()

    def wait(self) -> int:
        """Wait until the run has ended, whatever its ranks do; the exit code of the rank that
        ended it."""
        while True:
            rank, code, why = self._attempted()
            self.details = {"restarts": self.restarts} if self.restarts else {}
            if rank is None:
                return code
            self.details["rank"] = rank
            if self.stopping or not self._wanted() or not self._limit.allows_another():
                return code
            self.restarts += 1
            more = {"LAYERLOOM_ENDED": f"Rank {rank} {why}"}
            try:
                self._begin(more | ({"LAYERLOOM_FROM": "last"} if self._has_checkpoint() else {}))
            except OSError:  # no process can be made now: it ends as the rank did
                return code
            self._restarted(self.pid)

    def _begin(self, more: Environment) -> None:
        """Start all ranks. Raises OSError, with none left."""
        rank_records.clear(self.run_dir)
        self.processes = []
        name = f"{self.attempt}.{self.restarts}"
        fixed = {**more, "WORLD_SIZE": str(self.world), "LAYERLOOM_ATTEMPT": name}
        try:
            for rank in map(str, range(self.world)):
                self.processes.append(self._start({**fixed, "RANK": rank, "LOCAL_RANK": rank}))
        except OSError:
            self._end_all()
            raise

    def _attempted(self) -> tuple[int | None, int, str]:
        """Wait until an attempt has ended: the rank that was at fault, None where none was, its
        exit code, and how it ended."""
        silence = Silence(self.run_dir)
        while True:
            codes = [process.poll() for process in self.processes]
            if codes[0] is not None:
                return self._after_first(codes[0])
            for rank, code in enumerate(codes):
                if code == rank_records.REPORTED:
                    return self._after_first(self._awaited(0, GRACE_S))
                if code not in (None, 0, rank_records.LOST):
                    self._end_all()
                    return rank, code, ended(code)
            if (hung := silence.rank_that_hangs()) is not None:
                self._end_all()
                return hung, -9, "did not respond"
            time.sleep(POLL_S)

    def _after_first(self, code: int | None) -> tuple[int | None, int, str]:
        """Rank 0 has ended: the others follow, and one of them may be the cause."""
        codes = [self._awaited(rank, GRACE_S) for rank in range(1, self.world)]
        self._end_all()
        for rank, other in enumerate(codes, 1):
            if code == rank_records.LOST and other not in (None, 0, rank_records.LOST):
                return rank, other, ended(other)
        if code is None:
            return 0, -9, "did not respond"
        at_fault = code < 0 or code == rank_records.LOST
        return (0 if at_fault else None), code, ended(code)

    def _awaited(self, rank: int, seconds: float) -> int | None:
        """The exit code of a rank, which has some time to end; None where it does not."""
        end = time.monotonic() + seconds
        while (code := self.processes[rank].poll()) is None and time.monotonic() < end:
            time.sleep(POLL_S)
        return code

    def _end_all(self) -> None:
        self.kill()
        for process in self.processes:
            process.wait()

    def _has_checkpoint(self) -> bool:
        """Whether this supervisor's attempts have written a checkpoint."""
        return bool(_read(self.run_dir / "status.json").get("checkpoint"))


class Silence:
    """Looks for a rank that neither calculates nor waits: its record has not changed for long,
    and it is not one of those that wait for it."""

    def __init__(self, run_dir: Path) -> None:
        self.run_dir = run_dir
        self._seen: dict[int, tuple[int, float]] = {}
        self._next = 0.0

    def rank_that_hangs(self) -> int | None:
        """The rank that hangs, None where none does."""
        now = time.monotonic()
        if now < self._next:
            return None
        self._next = now + 1.0
        records = rank_records.read_records(self.run_dir)
        return self.silent(records, now, self._limit_s())

    def _limit_s(self) -> float:
        if given := os.environ.get(HANG_VARIABLE):
            return float(given)
        expected = _read(self.run_dir / "status.json").get("hang_after_s", 0.0)
        return max(HANG_S, HANG_TIMES * expected)

    def silent(self, records: list[dict[str, Any]], now: float, limit: float) -> int | None:
        """The one rank of some records that is silent for `limit` seconds while others wait."""
        for record in records:
            rank, beat = record["rank"], record.get("beat", 0)
            if self._seen.get(rank, (None, 0.0))[0] != beat:
                self._seen[rank] = beat, now
        working = [record["rank"] for record in records if not record.get("waits")]
        waiting = len(records) - len(working)
        silent = [rank for rank in working if rank and now - self._seen[rank][1] > limit]
        return silent[0] if waiting and silent else None


def ended(code: int | None) -> str:
    """How a process ended, in words."""
    if code is None:
        return "did not end"
    return f"ended (signal {-code})" if code < 0 else f"ended with status {code}"


def _read(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}
