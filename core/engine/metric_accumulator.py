"""Metrics of steps: kept on the device, read at once, added up by epoch.

Reading waits for the device and costs as much for one step as for a hundred, so it is put off
until somebody wants the points, the state of the run or the record of an epoch.
"""

import math
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import torch
from torch import Tensor

from core.engine.objective import Objective
from core.engine.step_output import StepOutput

KEPT_VALUES = 1 << 20  # outputs waiting to be measured


class MetricAccumulator:
    """Losses and metrics of the training part.

    loss_sum, counted, sums: of the epoch under way, as far as its steps were read: loss times
    samples, samples, and what the objective adds up. bad: the first step whose loss is not
    finite, and that loss. first: the loss of the run's first step, before any weight moved.
    """

    def __init__(self, objective: Objective) -> None:
        self.objective = objective
        self.bad: tuple[int, float] | None = None
        self.first: float | None = None
        self.points = _no_points()
        self._begin()
        self._clear()

    def _begin(self) -> None:
        """Nothing of an epoch is read yet."""
        self.loss_sum, self.counted, self.sums = 0.0, 0, [0.0] * self.objective.width

    def _clear(self) -> None:
        self._steps: list[tuple[int, int, float, int]] = []
        self._ended: list[tuple[int, dict[str, Any], dict[str, Any]]] = []
        self._losses: list[Tensor] = []
        self._each: list[Tensor] = []
        self._outputs: list[list[Tensor]] = []
        self._targets: list[tuple[Tensor, ...]] = []
        self._rows: list[Tensor] = []
        self._values = 0

    def changing(self) -> list[str]:
        """The names of what steps change."""
        return [name for name in vars(self) if name != "objective"]

    def update(self, step: int, epoch: int, lr: float, output: StepOutput) -> None:
        """Keep the output of a step, to be read with that of others."""
        self._steps.append((step, epoch, lr, output.size))
        self._losses.append(output.loss)
        if self.objective.several:
            self._each.append(torch.stack([loss.detach() for loss in output.losses]))
        if output.rows is not None:
            self._rows.append(output.rows)
        elif self.objective.read:
            outputs_read = [output.outputs[index].detach() for index in self.objective.read]
            self._outputs.append(outputs_read)
            self._targets.append(output.targets)
            self._values += outputs_read[0].numel() * len(outputs_read)
            if self._values > KEPT_VALUES:
                self.compute()

    @property
    def newest_loss(self) -> Tensor | None:
        """That of the last step, if it was not read yet."""
        return self._losses[-1] if self._losses else None

    def end_epoch(self, record: dict[str, Any], metrics: dict[str, Any]) -> None:
        """The epoch is complete. Once its steps are read, both get what training came to."""
        self._ended.append((len(self._steps), record, metrics))

    def compute(self) -> None:
        """Bring losses and metrics of the steps since the last time to the host, in one go."""
        if not self._steps and not self._ended:
            return
        losses = torch.stack(self._losses).tolist() if self._losses else []
        added, start = self._added(), 0
        for (end, record, metrics), sums in zip(self._ended, added, strict=False):
            self._add(losses[start:end], self._steps[start:end], sums)
            self._finish(record, metrics)
            start = end
        self._add(losses[start:], self._steps[start:], added[-1])
        self._clear()

    def _add(
        self,
        losses: Sequence[float],
        steps: Sequence[tuple[int, int, float, int]],
        sums: Sequence[float],
    ) -> None:
        """Add steps of one epoch. A loss that is not finite counts in no mean."""
        points = self.points
        for loss, (step, epoch, lr, size) in zip(losses, steps, strict=True):
            if math.isfinite(loss):
                self.loss_sum += loss * size
                self.counted += size
            elif self.bad is None:
                self.bad = (step, loss)
            if step == 1 and math.isfinite(loss):
                self.first = loss
            points["step"].append(step)
            points["epoch"].append(epoch)
            points["loss"].append(loss)
            points["lr"].append(lr)
        self.sums = [a + b for a, b in zip(self.sums, sums, strict=True)]

    def _finish(self, record: dict[str, Any], metrics: dict[str, Any]) -> None:
        """Tell the training part's loss and metrics before those of the validation."""
        metrics_of_epoch = {"train_loss": self.loss_sum / max(1, self.counted)}
        metrics_of_epoch |= self.objective.metrics("train", self.sums, max(1, self.counted))
        for target in (record, metrics):
            rest = {
                name: target.pop(name) for name in list(target) if name not in ("epoch", "step")
            }
            target |= metrics_of_epoch | rest
        self._begin()

    def _added(self) -> list[list[float]]:
        """What the objective adds up, for each epoch among the steps kept."""
        ends = [end for end, *_ in self._ended] + [len(self._steps)]
        sizes = [size for *_, size in self._steps]
        nothing = [[0.0] * self.objective.width for _ in ends]
        if not self.objective.width or not sizes:
            return nothing
        sums = [self._by_epoch(part, _shares(ends, count)) for part, count in self._parts(sizes)]
        return [list(chain.from_iterable(rows)) for rows in zip(*sums, strict=True)]

    def _parts(self, sizes: list[int]) -> list[tuple[Tensor, list[int]]]:
        """Rows to be added up, and how many of them belong to each step."""
        parts: list[tuple[Tensor, list[int]]] = []
        if self._rows:
            parts.append((torch.cat(self._rows), sizes))
        elif self.objective.read:
            columns = zip(*self._outputs, strict=True)
            joined = dict(zip(self.objective.read, map(torch.cat, columns), strict=True))
            targets = tuple(torch.cat(column) for column in zip(*self._targets, strict=True))
            parts.append((self.objective.rows(joined, targets), sizes))
        if self._each:
            weights = torch.tensor(sizes, dtype=torch.float64)[:, None]
            each = torch.stack(self._each).cpu().double().nan_to_num(0.0, 0.0, 0.0)
            parts.append((each * weights, [1] * len(sizes)))
        return parts

    def _by_epoch(self, rows: Tensor, counts: list[int]) -> list[list[float]]:
        if len(counts) == 1:
            return [rows.sum(dim=0).tolist()]
        epochs = torch.arange(len(counts), device=rows.device)
        times = torch.tensor(counts, device=rows.device)
        of = epochs.repeat_interleave(times, output_size=len(rows))
        whole = torch.zeros(len(counts), rows.shape[1], dtype=rows.dtype, device=rows.device)
        return whole.index_add_(0, of, rows).tolist()

    def drain(self) -> dict[str, list[Any]]:
        """The steps collected since the last time, as parallel lists."""
        self.compute()
        points, self.points = self.points, _no_points()
        return points

    def state_dict(self) -> dict[str, Any]:
        """The sums of the epoch under way, for a checkpoint."""
        self.compute()
        sums = {"loss_sum": self.loss_sum, "counted": self.counted, "sums": self.sums}
        return {**sums, "first_loss": self.first}

    def load_state_dict(self, state: Mapping[str, Any], counted: int) -> None:
        """Go on adding. counted: samples of the epoch so far, where the state does not say."""
        self.loss_sum, self.sums = state["loss_sum"], list(state["sums"])
        self.counted = state.get("counted", counted)
        self.first = state.get("first_loss")


def _shares(ends: Sequence[int], counts: Sequence[int]) -> list[int]:
    """How many rows belong to each epoch, whose steps end at `ends`."""
    starts = [0, *ends[:-1]]
    return [sum(counts[a:b]) for a, b in zip(starts, ends, strict=True)]


def _no_points() -> dict[str, list[Any]]:
    return {"step": [], "epoch": [], "loss": [], "lr": []}
