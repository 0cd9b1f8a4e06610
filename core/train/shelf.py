"""The best epochs kept whole: a snapshot when one is reached, a file at the next checkpoint."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch

from . import checkpoint
from .engine import Engine


class Shelf:
    """Keeps what `engine.top` lists. Nothing is done where a run keeps its best weights only."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.waiting: dict[int, dict[str, Any]] = {}

    def offer(self, own: Callable[[], Mapping[str, Any]]) -> None:
        """Keep the epoch that has just ended, if it is one of the best. own: the session's part."""
        epoch = self.engine.epoch
        if any(place["epoch"] == epoch for place in self.engine.top):
            self.waiting[epoch] = snapshot({**self.engine.state(), **own()})

    def take(self) -> dict[str, dict[str, Any]]:
        """The states that are not in a file yet, by the name of theirs."""
        wanted = {place["epoch"] for place in self.engine.top}
        found = {n: state for n, state in self.waiting.items() if n in wanted}
        self.waiting = {}
        return {checkpoint.epoch_name(n): state for n, state in found.items()}

    def names(self) -> list[str]:
        """The checkpoints that are kept."""
        return [checkpoint.epoch_name(place["epoch"]) for place in self.engine.top]


def sweep(run_dir: Path, names: list[str]) -> None:
    """Delete kept epochs that are no longer among the best."""
    for path in (run_dir / "ckpt").glob("epoch-*.pt"):
        if path.stem not in names:
            path.unlink(missing_ok=True)


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
