"""The loop that trains: resident tensors, batches by index, nothing read from the device per step.

It knows no file. `go` hands control back every TICK_S seconds and after every epoch; whoever runs
it takes the points, saves `state`, or stops asking. Everything that chance decides comes from the
seed and from random states kept in `state`, so a run that goes on equals one that never stopped.
"""

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from core.data.batches import batches, epoch_order, noisy

from .average import averaged
from .chance import chance, quiet, restore_chance
from .errors import CheckpointError, Diverged
from .groups import to_learn
from .objective import Objective, as_tuple
from .parts import Learnt, Part, joined
from .recipe import Recipe, make_recipe

TICK_S = 0.05
KEPT_VALUES = 1 << 20  # outputs waiting to be measured
VALIDATION_BATCH = 256
SHOWN_VALUES = 1 << 23  # validation outputs kept for the confusion matrix


class Engine:
    """A module being trained. `epoch` and `step` count what is complete."""

    def __init__(
        self,
        module: nn.Module,
        training: Mapping[str, Any],
        parts: tuple[Part, Part],
        objective: Objective,
        spreads: Sequence[float] = (),
    ) -> None:
        self.module, self.training, self.objective = module, training, objective
        self.train, self.validation = parts
        self.spreads = tuple(spreads) or (0.0,) * len(self.train.inputs)
        self.epoch = self.batch = self.step = 0
        self.steps_per_epoch = len(self._groups())
        self.recipe: Recipe = make_recipe(module, training, self.steps_per_epoch)
        self.average = averaged(module, training["ema_decay"])
        objective.own(module)
        self.loss_sum, self.sums = 0.0, [0.0] * objective.width
        self.best: dict[str, Any] | None = None
        self.best_weights: dict[str, Tensor] | None = None
        self.record: dict[str, Any] = {}
        self.shown: tuple[Tensor, ...] = ()
        self.diverged: Diverged | None = None
        self.validation_s = 0.0
        self._losses: list[Tensor] = []
        self._kept: list[tuple[dict[int, Tensor], Tensor]] = []
        self._each: list[Tensor] = []
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

    @property
    def judged(self) -> nn.Module:
        """The network that is validated and kept: the averaged one where there is one."""
        return self.average.module if self.average else self.module

    def _groups(self) -> list[list[Tensor]]:
        """The batches of each step of the epoch."""
        order = epoch_order(len(self.train), self.training["seed"], self.epoch)
        found = batches(order.to(self.train.inputs[0].device), self.training["batch_size"])
        size = self.training["accumulate"]
        return [found[at : at + size] for at in range(0, len(found), size)]

    def go(self) -> Iterator[str]:
        """Train to the end. Yields "tick" every TICK_S and "epoch" after each validation.

        Ends early once `diverged` is set; whoever runs it looks at each `take`.
        """
        due = time.monotonic() + TICK_S
        to_learn(self.module, self.training)
        while self.epoch < self.training["epochs"] and not self.impatient:
            for group in self._groups()[self.batch :]:
                self._step(group)
                if time.monotonic() >= due:
                    yield "tick"
                    due = time.monotonic() + TICK_S
            self.collect()
            if self.diverged:
                return
            self._finish_epoch()
            yield "epoch"

    def _step(self, group: Sequence[Tensor]) -> None:
        recipe = self.recipe
        learnt = [self._learn(indices, number, len(group)) for number, indices in enumerate(group)]
        if recipe.clip_norm is not None:
            nn.utils.clip_grad_norm_(recipe.weights, recipe.clip_norm)
        self._lrs.append(recipe.lr)
        for optimiser in recipe.optimisers:
            optimiser.step()
        if self.average:
            self.average.update_parameters(self.module)
        if recipe.per == "step":
            for schedule in recipe.schedules:
                schedule.step()
        self.batch += 1
        self.step += 1
        self._keep(*(learnt[0] if len(group) == 1 else joined(learnt)))

    def _learn(self, indices: Tensor, number: int, of: int) -> Learnt:
        """Add the gradient of batch `number` of the `of` that make a step."""
        clean, targets = self.train.rows(indices)
        inputs = [noisy(x, spread) for x, spread in zip(clean, self.spreads, strict=True)]
        outputs = as_tuple(self.module(*inputs))
        values = self.objective.values(outputs, targets)
        loss = self.objective.total(values)
        if number == 0:
            for optimiser in self.recipe.optimisers:
                optimiser.zero_grad()
        self.objective.backward(values, loss, of)
        return loss.detach(), [v.detach() for v in values], outputs, indices

    def _keep(
        self, loss: Tensor, values: list[Tensor], outputs: tuple[Tensor, ...], indices: Tensor
    ) -> None:
        """Keep what a step came to on the device, to be read with that of other steps."""
        self._losses.append(loss.detach())
        if self.objective.several:
            self._each.append(torch.stack([value.detach() for value in values]))
        kept = {place: outputs[place].detach() for place in self.objective.read}
        self._kept.append((kept, indices))
        self._kept_values += sum(value.numel() for value in kept.values())
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
        self._add(sizes)
        self._points["step"] += range(first, self.step + 1)
        self._points["epoch"] += [self.epoch + 1] * len(losses)
        self._points["loss"] += losses
        self._points["lr"] += self._lrs
        self._losses, self._kept, self._kept_values, self._lrs = [], [], 0, []
        self._each = []

    def _add(self, sizes: list[int]) -> None:
        """Add the metrics of the steps kept to the sums of the epoch."""
        kept = [out for out, _ in self._kept]
        joined = {place: torch.cat([out[place] for out in kept]) for place in self.objective.read}
        indices = torch.cat([indices for _, indices in self._kept])
        count = max(joined, default=-1) + 1
        outputs = [joined.get(place, indices) for place in range(count)]
        added = self.objective.sums(outputs, self.train.targets_at(indices))
        if self._each:
            weights = torch.tensor(sizes, dtype=torch.float64)
            each = torch.stack(self._each).double().cpu()
            added += (each * weights[:, None]).sum(dim=0).tolist()
        self.sums = [a + b for a, b in zip(self.sums, added, strict=True)]

    def take(self) -> dict[str, list[Any]]:
        """The steps collected since the last time, as parallel lists."""
        self.collect()
        points, self._points = self._points, {name: [] for name in self._points}
        return points

    def _finish_epoch(self) -> None:
        count = len(self.train)
        metrics = {"train_loss": self.loss_sum / count}
        metrics |= self.objective.metrics("train", self.sums, count)
        started = time.monotonic()
        metrics |= self.validate()
        self.validation_s += time.monotonic() - started
        self.record = {"epoch": self.epoch + 1, "step": self.step, **metrics}
        self.record["lr"] = self.recipe.lr
        self._note_best(metrics)
        self.recipe.after_epoch(metrics["val_loss"])
        self.epoch, self.batch = self.epoch + 1, 0
        self.loss_sum, self.sums = 0.0, [0.0] * self.objective.width

    def validate(self) -> dict[str, float]:
        """Loss and metrics of the validation part; nothing about the run changes by it."""
        size = max(self.training["batch_size"], VALIDATION_BATCH)
        total, sums, shown, count = 0.0, [0.0] * self.objective.width, [], len(self.validation)
        module = self.judged
        with quiet(module):
            for inputs, targets in self.validation.slices(size):
                rows = len(inputs[0])
                outputs = as_tuple(module(*inputs))
                values = self.objective.values(outputs, targets)
                total += float(self.objective.total(values)) * rows
                added = self.objective.sums(outputs, targets)
                if self.objective.several:
                    added += [float(value) * rows for value in values]
                sums = [a + b for a, b in zip(sums, added, strict=True)]
                largest = max(output.numel() for output in outputs)
                if not shown or largest * (len(shown) + 1) <= SHOWN_VALUES:
                    shown.append(outputs)
        self.shown = tuple(torch.cat(parts) for parts in zip(*shown, strict=True))
        return {"val_loss": total / count} | self.objective.metrics("val", sums, count)

    def _note_best(self, metrics: dict[str, float]) -> None:
        by = self.training["best_by"]
        if by == "last":
            metrics = {**metrics, "last": self.epoch + 1}
        rank = [-metrics[by], metrics["val_loss"]] if by == "val_accuracy" else [metrics[by]]
        rank = [-metrics[by]] if by == "last" else rank
        if self.best and not rank < self.best["rank"]:
            return
        self.best = {"metric": by, "value": metrics[by], "rank": rank, "metrics": metrics}
        self.best |= {"epoch": self.epoch + 1, "step": self.step}
        self.best_weights = {k: v.detach().clone() for k, v in self.judged.state_dict().items()}

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
            "average": self.average.state_dict() if self.average else None,
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
            if self.average:
                self.average.load_state_dict(state["average"])
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
