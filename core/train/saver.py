"""Writes checkpoints beside the training: a snapshot now, the slow disk in a thread."""

import threading
from pathlib import Path
from typing import Any

from . import checkpoint
from .folder import sweep
from .shelf import Shelf, snapshot
from .shelf import sweep as sweep_epochs


class Saver:
    """One checkpoint in flight at a time. `failure` is the last one that could not be written."""

    def __init__(self, run_dir: Path) -> None:
        self.run_dir = run_dir
        (run_dir / "ckpt").mkdir(exist_ok=True)
        sweep(run_dir / "ckpt")
        self.failure = ""
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
        states = snapshot({"best": best, "last": last})
        kept = (shelf.take(), shelf.names()) if shelf else ({}, None)
        self._thread = threading.Thread(target=self._write, args=(states, *kept), name="checkpoint")
        self._thread.start()

    def wait(self) -> None:
        """Return when nothing is being written any more."""
        if self._thread:
            self._thread.join()

    def _write(
        self, states: dict[str, Any], epochs: dict[str, dict[str, Any]], names: list[str] | None
    ) -> None:
        """The best first: were we to die in between, a run going on from `last` finds it again."""
        try:
            for name, state in epochs.items():
                checkpoint.save(self.run_dir, name, state)
            if states["best"] is not None:
                checkpoint.save(self.run_dir, "best", states["best"])
            size = checkpoint.save(self.run_dir, "last", states["last"])
            if names is not None:
                sweep_epochs(self.run_dir, names)
        except OSError as error:
            self.failure = error.strerror or str(error)
            return
        last = states["last"]
        self.failure = ""
        self.saved = {"step": last["step"], "epoch": last["epoch"], "bytes": size}
