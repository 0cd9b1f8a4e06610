"""Checkpoints written in a thread of their own, the top k epochs among them."""

import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch

from core.common.device import CPU
from core.engine.trainer import Trainer
from core.runs import checkpoint, checkpoint_records
from core.runs.files import remove_leftovers
from core.runs.full_disk import is_full


class TopKCheckpoints:
    """Keeps what `engine.top` lists. Nothing is done where a run keeps its best weights only."""

    def __init__(self, engine: Trainer) -> None:
        self.engine = engine
        self.waiting: dict[int, dict[str, Any]] = {}

    def offer(self, own: Callable[[], Mapping[str, Any]]) -> None:
        """Keep the epoch that has just ended, if it is one of the best. own: the loop's part."""
        epoch = self.engine.epoch
        if any(best["epoch"] == epoch for best in self.engine.top):
            self.waiting[epoch] = snapshot({**self.engine.state_dict(), **own()})

    def drain(self) -> dict[str, dict[str, Any]]:
        """The states that are not in a file yet, by the name of theirs."""
        epochs = {best["epoch"] for best in self.engine.top}
        states = {n: state for n, state in self.waiting.items() if n in epochs}
        self.waiting = {}
        return {checkpoint.epoch_name(n): state for n, state in states.items()}

    def names(self) -> list[str]:
        """The checkpoints that are kept."""
        return [checkpoint.epoch_name(best["epoch"]) for best in self.engine.top]


def delete_old_epochs(run_dir: Path, names: list[str]) -> None:
    """Delete kept epochs that are no longer among the best."""
    for path in (run_dir / "ckpt").glob("epoch-*.pt"):
        if path.stem not in names:
            path.unlink(missing_ok=True)
            checkpoint_records.forget(path.parent, path.stem)


def snapshot(value: Any) -> Any:
    """Copy nested values; tensors are copied to host memory.

    Raises TypeError for what weights_only=True would refuse to read back.
    """
    if isinstance(value, torch.Tensor):
        return value.detach().to(CPU, copy=True)
    if isinstance(value, dict):
        return {key: snapshot(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(snapshot(item) for item in value)
    if value is not None and type(value) not in (str, int, float, bool):
        raise TypeError(f"a checkpoint cannot hold a {type(value).__name__}")
    return value


class CheckpointWriter:
    """One checkpoint in flight at a time.

    failure: why the last one could not be written, "" where it was; full: whether the disk was.
    What could not be written beside it is kept for the next.
    """

    def __init__(self, run_dir: Path) -> None:
        self.run_dir = run_dir
        (run_dir / "ckpt").mkdir(exist_ok=True)
        remove_leftovers(run_dir / "ckpt")
        self.failure, self.full = "", False
        self._pending: dict[str, dict[str, Any]] = {}
        self.saved: dict[str, Any] | None = None
        self._thread: threading.Thread | None = None

    @property
    def busy(self) -> bool:
        """Whether a checkpoint is still being written."""
        return self._thread is not None and self._thread.is_alive()

    def save(
        self,
        last: dict[str, Any],
        best: dict[str, Any] | None,
        top_k: TopKCheckpoints | None = None,
    ) -> None:
        """Copy the states to host memory and start writing; waits for the one before."""
        self.wait()
        if top_k:
            self._pending |= top_k.drain()
        if best is not None:
            self._pending["best"] = snapshot(best)
        names = top_k.names() if top_k else None
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
            for name in list(self._pending):
                checkpoint.save(self.run_dir, name, self._pending[name])
                del self._pending[name]
            size = checkpoint.save(self.run_dir, "last", last)
            if names is not None:
                delete_old_epochs(self.run_dir, names)
        except OSError as error:
            self.failure, self.full = error.strerror or str(error), is_full(error)
            return
        self.failure, self.full = "", False
        self.saved = {"step": last["step"], "epoch": last["epoch"], "bytes": size}
