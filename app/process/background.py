"""Work in a thread of its own, at most one at a time for each key, with how it ended."""

import threading
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Generic, TypeVar

from app.process.pool import PoolError

Key = TypeVar("Key", bound=Hashable)


@dataclass
class Job:
    """One piece of work: over when `done`; `error`: what went wrong."""

    done: bool = False
    error: str = ""


class Background(Generic[Key]):
    """Runs `work(key)`, which may raise PoolError. The last job of each key is kept."""

    def __init__(self, work: Callable[[Key], None]) -> None:
        self._work = work
        self._lock = threading.Lock()
        self._jobs: dict[Key, Job] = {}

    def running(self, key: Key) -> bool:
        """Whether the work is under way."""
        job = self._jobs.get(key)
        return job is not None and not job.done

    def error(self, key: Key) -> str:
        """Why the last attempt failed, "" if it did not."""
        job = self._jobs.get(key)
        return job.error if job else ""

    def start(self, key: Key) -> None:
        """Begin, unless it is under way."""
        with self._lock:
            if self.running(key):
                return
            job = self._jobs[key] = Job()
        threading.Thread(target=self._run, args=(key, job), daemon=True).start()

    def _run(self, key: Key, job: Job) -> None:
        try:
            self._work(key)
        except PoolError as error:
            job.error = str(error)
        finally:
            job.done = True
