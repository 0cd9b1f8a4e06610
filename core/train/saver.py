"""Writes checkpoints beside the training: a snapshot now, the slow disk in a thread."""

import threading
from pathlib import Path
from typing import Any

import torch

from . import checkpoint
from .folder import sweep


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

    def save(self, last: dict[str, Any], best: dict[str, Any] | None) -> None:
        """Copy the states to host memory and start writing; waits for the one before."""
        self.wait()
        states = snapshot({"best": best, "last": last})
        self._thread = threading.Thread(target=self._write, args=(states,), name="checkpoint")
        self._thread.start()

    def wait(self) -> None:
        """Return when nothing is being written any more."""
        if self._thread:
            self._thread.join()

    def _write(self, states: dict[str, Any]) -> None:
        """The best first: were we to die in between, a run going on from `last` finds it again."""
        try:
            if states["best"] is not None:
                checkpoint.save(self.run_dir, "best", states["best"])
            size = checkpoint.save(self.run_dir, "last", states["last"])
        except OSError as error:
            self.failure = error.strerror or str(error)
            return
        last = states["last"]
        self.failure = ""
        self.saved = {"step": last["step"], "epoch": last["epoch"], "bytes": size}


def snapshot(value: Any) -> Any:
    """Copy nested values; tensors are copied to host memory.

    Raises TypeError for what weights_only=True would refuse to read back.
    """
    if isinstance(value, torch.Tensor):
        return value.detach().to("cpu", copy=True)
    if isinstance(value, dict):
        return {key: snapshot(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(snapshot(item) for item in value)
    if value is not None and type(value) not in (str, int, float, bool):
        raise TypeError(f"a checkpoint cannot hold a {type(value).__name__}")
    return value
