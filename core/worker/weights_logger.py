"""The weights of a run over time: those of its epochs, and the latest ones for live views.

Nothing of the run changes by it: weights are copied, numbers that were there are read.
"""

import json
import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from core.common.device import CPU
from core.engine.step_norms import StepNorms
from core.engine.trainer import Trainer
from core.runs import epoch_weights
from core.runs.files import write_bytes
from core.runs.jsonl import number
from core.worker.throttle import ViewThrottle

FOLLOWED_S = 10.0
LIVE_S, LIVE_SHARE = 0.4, 0.01
NEWEST_S = 0.15  # between epochs that are written only because they are the newest


@dataclass(frozen=True)
class WeightsCopy:
    """Weights of a moment, copied, and what is noted beside them. norms: of the step before."""

    epoch: int
    step: int
    lr: float
    norms: StepNorms | None
    weights: Mapping[str, Tensor]

    def write(self, path: Path) -> None:
        """Write a file of safetensors."""
        from safetensors.torch import save

        norms = self.norms.plain() if self.norms else {}
        notes = {"epoch": self.epoch, "step": self.step, "lr": number(self.lr), "norms": norms}
        text = json.dumps(notes, allow_nan=False, separators=(",", ":"))
        write_bytes(path, save(dict(self.weights), {"notes": text}), durable=False)


class WeightsLogger:
    """Writes RUN/weights/ and RUN/live/weights.safetensors.

    problem: why nothing can be kept, "" where it can. keeps: whether epochs are kept at all, which
    trials of a sweep do not.
    """

    def __init__(self, run_dir: Path, engine: Trainer, keeps: bool = True) -> None:
        self.run_dir, self.engine, self.problem = run_dir, engine, ""
        weights = engine.eval_model.state_dict()
        tensors = [value for value in weights.values() if isinstance(value, Tensor)]
        plain = not any(value.is_complex() for value in tensors)
        size = sum(value.numel() * value.element_size() for value in tensors)
        self.room = epoch_weights.room_for(size) if keeps and plain else 0
        self._live = ViewThrottle(LIVE_S, LIVE_SHARE, math.inf)
        self._touched_s, self._followed_until = 0.0, 0.0
        self._waiting: WeightsCopy | None = None  # the newest epoch, where it is not written yet
        self._written, self._written_s = engine.epoch, 0.0
        self._can_follow = plain
        engine.norms_each_epoch = self.room > 0
        try:
            self._begin()
        except OSError as error:
            self.problem = f"The weights of epochs could not be saved: {error.strerror}."

    def _begin(self) -> None:
        """Drop what an attempt wrote that went further than the checkpoint it goes on from."""
        (self.run_dir / epoch_weights.LIVE).unlink(missing_ok=True)
        if not self.room:
            return
        (self.run_dir / epoch_weights.FOLDER).mkdir(exist_ok=True)
        kept, epoch = epoch_weights.epochs(self.run_dir), self.engine.epoch
        epoch_weights.delete(self.run_dir, (each for each in kept if each > epoch))
        self._written = max((each for each in kept if each <= epoch), default=epoch)
        if self.engine.step == 0:
            self._copy().write(epoch_weights.path_of(self.run_dir, 0))

    def epoch(self) -> None:
        """Keep the weights after an epoch: those to stay at once, others as long as newest.

        What is only the newest is written every 0.15 s, and at the end: of short epochs most are
        gone before anybody could look at them.
        """
        if not self.room:
            return
        self._waiting, newest = self._copy(), self.engine.epoch
        stays = newest % epoch_weights.spacing(newest, self.room) == 0
        if stays or time.monotonic() - self._written_s >= NEWEST_S:
            self._write_newest()

    def _write_newest(self) -> None:
        """Write what waits, and delete what does not stay and is no longer the newest."""
        if self._waiting is None:
            return
        newest, former = self._waiting.epoch, self._written
        self._waiting.write(epoch_weights.path_of(self.run_dir, newest))
        self._waiting, self._written, self._written_s = None, newest, time.monotonic()
        every = epoch_weights.spacing(newest, self.room)
        if former % every:
            epoch_weights.delete(self.run_dir, [former])
        if every != epoch_weights.spacing(former, self.room):
            kept = epoch_weights.epochs(self.run_dir)
            epoch_weights.delete(self.run_dir, (e for e in kept if e % every and e != newest))

    def follow(self) -> None:
        """While somebody follows: have a step measured, and write the weights after it."""
        engine = self.engine
        if engine.norms_at and engine.step >= engine.norms_at:
            engine.norms_at = 0
            with self._live.timed():
                self._copy().write(self.run_dir / epoch_weights.LIVE)
        elif not engine.norms_at and self._can_follow and self._live.due and self.followed():
            engine.norms_at = engine.step + 1

    def followed(self) -> bool:
        """Whether somebody touched the follower file in the last 10 s, by our own clock."""
        try:
            touched = (self.run_dir / epoch_weights.FOLLOWER).stat().st_mtime
        except OSError:
            return False
        now = time.monotonic()
        if touched != self._touched_s:
            self._touched_s, self._followed_until = touched, now + FOLLOWED_S
        return now < self._followed_until

    def end(self) -> None:
        """The newest weights are those of the last epoch from here on."""
        (self.run_dir / epoch_weights.LIVE).unlink(missing_ok=True)
        self._write_newest()

    def _copy(self) -> WeightsCopy:
        engine, norms = self.engine, self.engine.norms
        state = engine.eval_model.state_dict()
        weights = {name: _copied(v) for name, v in state.items() if isinstance(v, Tensor)}
        fresh = norms if norms and norms.step == engine.step else None
        return WeightsCopy(engine.epoch, engine.step, engine.recipe.lr, fresh, weights)


def _copied(value: Tensor) -> Tensor:
    """A tensor by itself on the host: tied weights share their memory, which a file cannot."""
    return value.detach().to(CPU, copy=True, memory_format=torch.contiguous_format)
