"""The loop that trains: resident tensors, batches by index, nothing read from the device per step.

It knows no file. `go` hands control back every TICK_S seconds and after every epoch; whoever runs
it takes the points, saves `state`, or stops asking. Everything that chance decides comes from the
seed and from random states kept in `state`, so a run that goes on equals one that never stopped.
"""

import math
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from core.data.batches import batches, epoch_order, noisy

from .chance import chance, quiet, restore_chance
from .errors import CheckpointError, Diverged
from .measures import Measure, named
from .recipe import Recipe, make_recipe

TICK_S = 0.05
KEPT_VALUES = 1 << 20  # outputs waiting to be measured
VALIDATION_BATCH = 256
SHOWN_VALUES = 1 << 23  # validation outputs kept for the confusion matrix


@dataclass
class Part:
    """One part of the data on the device: (S, ...) each."""

    inputs: Tensor
    targets: Tensor

    def __len__(self) -> int:
        return len(self.inputs)


class Engine:
    """A module being trained. `epoch` and `step` count what is complete."""

    def __init__(
        self,
        module: nn.Module,
        training: Mapping[str, Any],
        parts: tuple[Part, Part],
        measure: Measure,
        noise: float = 0.0,
    ) -> None:
        self.module, self.training, self.measure, self.noise = module, training, measure, noise
        self.train, self.validation = parts
        self.epoch = self.batch = self.step = 0
        self.steps_per_epoch = len(self._batches())
        self.recipe: Recipe = make_recipe(module, training, self.steps_per_epoch)
        self.loss_sum, self.sums = 0.0, [0.0] * measure.width
        self.best: dict[str, Any] | None = None
        self.best_weights: dict[str, Tensor] | None = None
        self.record: dict[str, Any] = {}
        self.shown: Tensor | None = None
        self.diverged: Diverged | None = None
        self.validation_s = 0.0
        self._losses: list[Tensor] = []
        self._kept: list[tuple[Tensor, Tensor]] = []
        self._kept_values = 0
        self._points: dict[str, list[Any]] = {"step": [], "epoch": [], "loss": [], "lr": []}
        self._lrs: list[float] = []

    @property
    def steps(self) -> int:
        """Steps in the whole run."""
        return self.steps_per_epoch * self.training["epochs"]

    @property
    def impatient(self) -> bool:
        """Whether there was no new best epoch for as many epochs as `patience` allows."""
        patience, best = self.training["patience"], self.best
        return bool(patience and best and self.epoch - best["epoch"] >= patience)

    def _batches(self) -> list[Tensor]:
        order = epoch_order(len(self.train), self.training["seed"], self.epoch)
        return batches(order.to(self.train.inputs.device), self.training["batch_size"])

    def go(self) -> Iterator[str]:
        """Train to the end. Yields "tick" every TICK_S and "epoch" after each validation.

        Ends early once `diverged` is set; whoever runs it looks at each `take`.
        """
        due = time.monotonic() + TICK_S
        self.module.train()
        while self.epoch < self.training["epochs"] and not self.impatient:
            for indices in self._batches()[self.batch :]:
                self._step(indices)
                if time.monotonic() >= due:
                    yield "tick"
                    due = time.monotonic() + TICK_S
            self.collect()
            if self.diverged:
                return
            self._finish_epoch()
            yield "epoch"

    def _step(self, indices: Tensor) -> None:
        recipe = self.recipe
        inputs = noisy(self.train.inputs.index_select(0, indices), self.noise)
        outputs = self.module(inputs)
        loss = recipe.criterion(outputs, self.train.targets.index_select(0, indices))
        for optimiser in recipe.optimisers:
            optimiser.zero_grad()
        loss.backward()
        if recipe.clip_norm is not None:
            nn.utils.clip_grad_norm_(recipe.weights, recipe.clip_norm)
        self._lrs.append(recipe.lr)
        for optimiser in recipe.optimisers:
            optimiser.step()
        if recipe.per == "step":
            for schedule in recipe.schedules:
                schedule.step()
        self.batch += 1
        self.step += 1
        self._losses.append(loss.detach())
        self._kept.append((outputs.detach(), indices))
        self._kept_values += outputs.numel()
        if self._kept_values > KEPT_VALUES:
            self.collect()

    def collect(self) -> None:
        """Bring losses and metrics of the steps since the last time to the host, in one go."""
        if not self._losses:
            return
        losses = torch.stack(self._losses).tolist()
        first = self.step - len(losses) + 1
        sizes = [len(indices) for _, indices in self._kept]
        for step, (loss, size) in enumerate(zip(losses, sizes, strict=True), first):
            if not math.isfinite(loss) and not self.diverged:
                self.diverged = Diverged(step, _diverged(loss, step, self.recipe.lr), LOWER)
            self.loss_sum += loss * size
        outputs = torch.cat([out for out, _ in self._kept])
        indices = torch.cat([indices for _, indices in self._kept])
        added = self.measure.sums(outputs, self.train.targets.index_select(0, indices))
        self.sums = [a + b for a, b in zip(self.sums, added, strict=True)]
        self._points["step"] += range(first, self.step + 1)
        self._points["epoch"] += [self.epoch + 1] * len(losses)
        self._points["loss"] += losses
        self._points["lr"] += self._lrs
        self._losses, self._kept, self._kept_values, self._lrs = [], [], 0, []

    def take(self) -> dict[str, list[Any]]:
        """The steps collected since the last time, as parallel lists."""
        self.collect()
        points, self._points = self._points, {name: [] for name in self._points}
        return points

    def _finish_epoch(self) -> None:
        count = len(self.train)
        metrics = {"train_loss": self.loss_sum / count}
        metrics |= named("train", self.measure.values(self.sums))
        started = time.monotonic()
        metrics |= self.validate()
        self.validation_s += time.monotonic() - started
        self.record = {"epoch": self.epoch + 1, "step": self.step, **metrics}
        self.record["lr"] = self.recipe.lr
        self._note_best(metrics)
        self.recipe.after_epoch(metrics["val_loss"])
        self.epoch, self.batch = self.epoch + 1, 0
        self.loss_sum, self.sums = 0.0, [0.0] * self.measure.width

    def validate(self) -> dict[str, float]:
        """Loss and metrics of the validation part; nothing about the run changes by it."""
        size = max(self.training["batch_size"], VALIDATION_BATCH)
        total, sums, shown = 0.0, [0.0] * self.measure.width, []
        pairs = zip(
            self.validation.inputs.split(size), self.validation.targets.split(size), strict=True
        )
        with quiet(self.module):
            for inputs, targets in pairs:
                outputs = self.module(inputs)
                total += float(self.recipe.criterion(outputs, targets)) * len(targets)
                added = self.measure.sums(outputs, targets)
                sums = [a + b for a, b in zip(sums, added, strict=True)]
                if not shown or outputs.numel() * (len(shown) + 1) <= SHOWN_VALUES:
                    shown.append(outputs)
        self.shown = torch.cat(shown)
        metrics = {"val_loss": total / len(self.validation)}
        return metrics | named("val", self.measure.values(sums))

    def _note_best(self, metrics: dict[str, float]) -> None:
        by = self.training["best_by"]
        rank = [-metrics[by], metrics["val_loss"]] if by == "val_accuracy" else [metrics[by]]
        if self.best and not rank < self.best["rank"]:
            return
        self.best = {"metric": by, "value": metrics[by], "rank": rank, "metrics": metrics}
        self.best |= {"epoch": self.epoch + 1, "step": self.step}
        self.best_weights = {k: v.detach().clone() for k, v in self.module.state_dict().items()}

    def check_finite(self) -> None:
        """Raises Diverged when a weight is not a finite number."""
        for name, value in self.module.state_dict().items():
            if value.is_floating_point() and not torch.isfinite(value).all():
                what = f"{name} is no longer a finite number after step {self.step}."
                raise Diverged(self.step, what, LOWER)

    def state(self) -> dict[str, Any]:
        """Everything that training goes on from exactly: tensors and plain values only."""
        self.collect()
        return {
            "model": self.module.state_dict(),
            "optimizers": [o.state_dict() for o in self.recipe.optimisers],
            "schedulers": [s.state_dict() for s in self.recipe.schedules],
            "epoch": self.epoch,
            "batch": self.batch,
            "step": self.step,
            "loss_sum": self.loss_sum,
            "sums": self.sums,
            "best": self.best,
            "chance": chance(),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go back to a saved state. Raises CheckpointError when it is of another network."""
        try:
            self.module.load_state_dict(state["model"])
            for optimiser, saved in zip(self.recipe.optimisers, state["optimizers"], strict=True):
                optimiser.load_state_dict(saved)
            for schedule, saved in zip(self.recipe.schedules, state["schedulers"], strict=True):
                schedule.load_state_dict(saved)
            self.epoch, self.batch, self.step = state["epoch"], state["batch"], state["step"]
            self.loss_sum, self.sums = state["loss_sum"], list(state["sums"])
            self.best = state["best"]
            restore_chance(state["chance"])
        except (KeyError, RuntimeError, ValueError, TypeError) as error:
            message = f"The checkpoint does not fit this network: {str(error).splitlines()[0]}"
            raise CheckpointError("checkpoint", message, "Start the run again.") from error


LOWER = "Lower the learning rate, set clip_norm, or normalise the data."


def _diverged(loss: float, step: int, lr: float) -> str:
    what = "NaN" if loss != loss else "infinite"
    return f"The loss became {what} at step {step} with a learning rate of {lr:g}."
