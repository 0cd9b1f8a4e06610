"""Writes checkpoints beside the training: a snapshot now, the slow disk in a thread."""

import threading
from pathlib import Path
from typing import Any

from . import checkpoint
from .folder import sweep
from .full_disk import is_full
from .shelf import Shelf, snapshot
from .shelf import sweep as sweep_epochs


class Saver:
    """One checkpoint in flight at a time.

    failure: why the last one could not be written, "" where it was; full: whether the disk was.
    What could not be written beside it is kept for the next.
    """

    def __init__(self, run_dir: Path) -> None:
        self.run_dir = run_dir
        (run_dir / "ckpt").mkdir(exist_ok=True)
        sweep(run_dir / "ckpt")
        self.failure, self.full = "", False
        self._owed: dict[str, dict[str, Any]] = {}
        self.saved: dict[str, Any] | None = None
        self._thread: threading.Thread | None = None

    @property
    def busy(self) -> bool:
        """Whether a checkpoint is still being written."""
        return self._thread is not None and self._thread.is_alive()

    def save(
        self, last: dict[str, Any], best: dict[str, Any] | None, shelf: Shelf | None = None
    ) -> None:
        """Copy the states to host memory and start writing; waits for the one before."""
        self.wait()
        if shelf:
            self._owed |= shelf.take()
        if best is not None:
            self._owed["best"] = snapshot(best)
        names = shelf.names() if shelf else None
        args = snapshot(last), names
        self._thread = threading.Thread(target=self._write, args=args, name="checkpoint")
        self._thread.start()

    def wait(self) -> None:
        """Return when nothing is being written any more."""
        if self._thread:
            self._thread.join()

    def _write(self, last: dict[str, Any], names: list[str] | None) -> None:
        """The best first: were we to die in between, a run going on from `last` finds it again."""
        try:
            for name in list(self._owed):
                checkpoint.save(self.run_dir, name, self._owed[name])
                del self._owed[name]
            size = checkpoint.save(self.run_dir, "last", last)
            if names is not None:
                sweep_epochs(self.run_dir, names)
        except OSError as error:
            self.failure, self.full = error.strerror or str(error), is_full(error)
            return
        self.failure, self.full = "", False
        self.saved = {"step": last["step"], "epoch": last["epoch"], "bytes": size}
