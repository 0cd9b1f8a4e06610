"""The loop that trains: resident tensors, batches by index, nothing read from the device per step.

It knows no file. `fit` yields every TICK_S seconds and after every epoch; its caller drains the
metrics, saves `state_dict()`, or stops iterating. Every random number comes from the seed and from
RNG states kept in the state, so that a resumed run equals one that was never stopped.
"""

import math
import time
import traceback
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from core.common.errors import Diverged
from core.data.batches.validation_batch import validation_batch
from core.engine.cuda_graph import CapturedStep, Recorder, cuda_graph
from core.engine.loader import DeviceSplit
from core.engine.nonfinite import LOWER, first_nonfinite_step
from core.engine.nonfinite_errors import REFUSALS, explain_refusal
from core.engine.objective import Objective
from core.engine.param_groups import trainable_parameters
from core.engine.played_step import PlayedStep
from core.engine.rng import fork_rng
from core.engine.step_errors import node_of
from core.engine.step_norms import StepNorms, copied, gradient_norm, step_norms
from core.engine.step_output import StepOutput
from core.engine.top_k import insert_ranked, is_better, ranked_epoch
from core.engine.trainer_state import TrainerState
from core.tasks.metrics import as_tuple

TICK_S = 0.05
FEW = 16  # steps of an epoch, so few that the last, smaller batch is worth being compiled too
SHOWN_VALUES = 1 << 23  # validation outputs kept for the confusion matrix


Begun = tuple[float, list[Tensor] | None]


class Trainer(TrainerState):
    """A module being trained.

    spreads: of the noise on each Input. draw_weights: (S,), by which the sampler `balanced` draws.
    together: with how many others its steps are made, in words. processes: that make them
    together; ranked: whether they are made as several processes make them.
    """

    together = "alone"
    processes, ranked = 1, False

    def __init__(
        self,
        module: nn.Module,
        training: Mapping[str, Any],
        parts: tuple[DeviceSplit, DeviceSplit],
        objective: Objective,
        spreads: Sequence[float] = (),
        draw_weights: Tensor | None = None,
    ) -> None:
        super().__init__(module, training, parts, objective, spreads, draw_weights)
        self.validation_s = 0.0
        self.captured: PlayedStep | None = None
        self.captured_last: PlayedStep | None = None  # for the last, smaller batch
        self.captured_from = 0  # steps that are calculated before
        self.uncaptured = ""  # why steps are not recorded although they should be
        self.notes: list[str] = []  # for whoever runs it to tell
        self.newest: dict[str, Any] = {}  # the record of the last epoch, perhaps not whole yet
        self.norms_at = 0  # the step whose norms are wanted; `fit` yields right after it
        self.norms_each_epoch = False  # also those of the last step of each epoch
        self.norms: StepNorms | None = None
        self._shown: list[tuple[Tensor, ...]] = []
        self._weights = self.eval_model.state_dict()  # those of the network, whatever is in them
        self._modules = list(self.eval_model.modules())

    @property
    def should_stop_early(self) -> bool:
        """Whether there was no progress for as many epochs as `patience` allows."""
        patience, last = self.training["patience"], self.progress
        return bool(patience and last and self.epoch - last["epoch"] >= patience)

    @property
    def record(self) -> dict[str, Any]:
        """Metrics of the last epoch: {"epoch", "step", "train_loss", ..., "val_loss", ..., "lr"}.

        Those of the training part are there once the steps are collected, as reading this does.
        """
        self.collect()
        return self.newest

    @property
    def wants_capture(self) -> bool:
        """Whether its settings have steps recorded or compiled, perhaps later ones only."""
        asked = self.training["cuda_graph"], self.training["compile_step"]
        return "on" in asked or self.captured_from > 0

    @property
    def val_outputs(self) -> tuple[Tensor, ...]:
        """Outputs for the first samples of the last validation, as many as are kept."""
        return tuple(torch.cat(parts) for parts in zip(*self._shown, strict=True))

    def fit(self, tick_s: float | None = None) -> Iterator[str]:
        """Train to the end. Yields "tick" every TICK_S and "epoch" after each validation.

        tick_s: another time between ticks. Ends early once `diverged` is set; whoever runs it
        looks at each `drain_metrics`.
        """
        pause = TICK_S if tick_s is None else tick_s
        due = time.monotonic() + pause
        trainable_parameters(self.module, self.training)
        if self.wants_capture and not self.captured and not self.uncaptured:
            self.capture()
        while self.epoch < self.training["epochs"] and not self.should_stop_early:
            groups = self.batches_of_epoch()[self.batch :]
            self.train.plan([indices for group in groups for indices in group])
            for group in groups:
                if not self._stepped(group):
                    return
                if self.step == self.norms_at or time.monotonic() >= due:
                    yield "tick"
                    due = time.monotonic() + pause
            if not self._finish_epoch():
                return
            yield "epoch"

    def _stepped(self, group: Sequence[Tensor]) -> bool:
        """Make a step; False where torch refuses it as its numbers are not finite any more."""
        try:
            self.make_step(group)
        except REFUSALS as error:
            inputs = [self.train.rows(indices)[0] for indices in group]
            self.diverged = explain_refusal(self, error, inputs)
            if self.diverged is None:
                raise
            return False
        return True

    def capture(
        self, record: Recorder = cuda_graph, lines: Mapping[str, tuple[int, ...]] | None = None
    ) -> None:
        """Record or compile a step from here on, where that can be done; else note why not.

        record: how it is recorded. lines: of the source, by node, to name the block that cannot
        be.
        """
        size = min(self.step_settings.batch_size, len(self.train))
        compiles = self.training["compile_step"] != "off"
        try:
            if compiles:
                from core.engine.compiled_step import CompiledStep  # it takes long to import

                whole, last = CompiledStep(self, size), self.batches_of_epoch()[-1][0].size(0)
                if last != size and self.steps_per_epoch <= FEW:
                    self.captured_last = CompiledStep(self, last)
                self.captured = whole
            else:
                self.captured = CapturedStep(self, size, record)
        except Exception as error:  # of any library; the step as written raises the real error
            traceback.print_exception(error)
            what = "compiled" if compiles else "recorded as a CUDA graph"
            self._do_without_capture(error, what, lines or {})

    def _do_without_capture(
        self, error: Exception, what: str, lines: Mapping[str, tuple[int, ...]]
    ) -> None:
        """Steps are calculated from here on; note why. what: "compiled", or how else."""
        self.training = {**self.training, "compile_step": "off"}
        where = node_of(error, lines)
        first_line = (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
        self.uncaptured = f"{where}: {first_line}" if where else first_line
        self.notes.append(f"Steps are not {what}: {self.uncaptured.rstrip('.')}.")

    def make_step(self, group: Sequence[Tensor]) -> None:
        """Make a step of some batches and note its output."""
        begun = self._begun()
        played = self._captured_for(group[0])
        output = played.step(group[0]) if played else self.train_step(self.train.batches(group))
        self._ended(begun, output)

    def _begun(self) -> Begun:
        """What is known before a step only: its learning rate, weights where norms want them."""
        return self.recipe.lr, copied(self.module) if self._norms_wanted() else None

    def _ended(self, begun: Begun, output: StepOutput) -> None:
        """Note the output of a step."""
        lr, before = begun
        if self.skips and self.skips.counted(self.step + 1):
            output = output.without_samples()
        self.batch += 1
        self.step += 1
        self.accumulator.update(self.step, self.epoch + 1, lr, output)
        if before is not None:
            self.norms = step_norms(self.module, before, self.step)

    def _captured_for(self, indices: Tensor) -> PlayedStep | None:
        """What plays the step of a batch; None where it is calculated."""
        if self.step < self.captured_from:
            return None
        there = (self.captured, self.captured and self.captured_last)
        return next((each for each in there if each and each.accepts(indices)), None)

    def gradient_norm(self) -> Tensor | None:
        """The L2 norm of all gradients that the optimiser saw, after clipping, (); None without."""
        return gradient_norm(self.module)

    def _norms_wanted(self) -> bool:
        last = self.norms_each_epoch and self.batch + 1 == self.steps_per_epoch
        return last or self.step + 1 == self.norms_at

    def _finish_epoch(self) -> bool:
        """Validate and note what came of the epoch; False where the run has diverged."""
        started = time.monotonic()
        metrics = self._validated()
        if metrics is None:
            return False
        self.validation_s += time.monotonic() - started
        if not math.isfinite(metrics["val_loss"]):
            self.collect()
            if self.diverged:
                return False
        record = {"epoch": self.epoch + 1, "step": self.step, **metrics, "lr": self.recipe.lr}
        self._note_best(metrics)
        self.newest = record
        self.accumulator.end_epoch(record, metrics)
        self.recipe.step_schedulers(metrics["val_loss"])
        self.epoch, self.batch = self.epoch + 1, 0
        return True

    def _validated(self) -> dict[str, float] | None:
        """Validate; None where torch refuses it as numbers are not finite any more."""
        try:
            return self.validate()
        except REFUSALS as error:
            self.diverged = explain_refusal(self, error)
            if self.diverged is None:
                raise
            return None

    def validate(self) -> dict[str, float]:
        """Loss and metrics of the validation part; nothing about the run changes by it."""
        metrics, self._shown = self._measured(self.validation, "val")
        return metrics

    def test(self, part: DeviceSplit) -> dict[str, float]:
        """Loss and metrics of a part that nothing was chosen by, with the best epoch's weights."""
        now = {name: value.detach().clone() for name, value in self._weights.items()}
        try:
            self.eval_model.load_state_dict(self.best_weights or now)
            return self._measured(part, "test")[0]
        finally:
            self.eval_model.load_state_dict(now)

    def _measured(
        self, part: DeviceSplit, name: str
    ) -> tuple[dict[str, float], list[tuple[Tensor, ...]]]:
        """Loss and metrics of a part, and the outputs for the first of its samples."""
        values = max(column[:1].numel() for column in part.inputs)
        size = validation_batch(self.step_settings.batch_size, values)
        total, sums, count = 0.0, [0.0] * self.objective.width, len(part)
        shown: list[tuple[Tensor, ...]] = []
        module = self.eval_model
        with fork_rng(module, self._modules):
            for inputs, targets in part.slices(size):
                rows = inputs[0].size(0)
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
        metrics = {f"{name}_loss": total / count} | self.objective.metrics(name, sums, count)
        return metrics, shown

    def _note_best(self, metrics: dict[str, Any]) -> None:
        entry = ranked_epoch(metrics, self.training["best_by"], self.epoch + 1, self.step)
        if self.training["keep_best"] > 1:
            self.top = insert_ranked(self.top, entry, self.training["keep_best"])
        if is_better(entry, self.progress, self.training["min_delta"]):
            self.progress = {name: entry[name] for name in ("metric", "rank", "epoch")}
        if not is_better(entry, self.best):
            return
        self.best = entry
        if self.best_weights is None:
            self.best_weights = {k: v.detach().clone() for k, v in self._weights.items()}
            return
        for best, value in zip(self.best_weights.values(), self._weights.values(), strict=True):
            best.copy_(value)

    def check_finite(self) -> None:
        """Raises Diverged when a weight is not a finite number."""
        if name := first_nonfinite_step(self.module.state_dict()):
            what = f"{name} is no longer finite after step {self.step}."
            raise Diverged(self.step, what, LOWER)
