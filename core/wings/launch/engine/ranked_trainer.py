"""A trainer that is one of several processes: the ranks of a run make each step together.

All ranks have the same weights, optimisers and schedules, as each applies the same gradients. Rank
0 alone validates and yields from `fit`; what it decides goes to the others, who `follow` it.
"""

import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from torch import Tensor

from core.engine.param_groups import trainable_parameters
from core.engine.step_norms import StepNorms, copied, step_norms
from core.engine.step_output import StepOutput, concatenate
from core.engine.train_step import TrainStep
from core.engine.trainer import TICK_S, Trainer
from core.wings.launch.engine.micro_batches import own_batches
from core.wings.launch.engine.rank_step import RankStep
from core.wings.launch.engine.ranks import RankLost, Ranks

MANY_STEPS = 256
"""Steps after which metrics go to rank 0, however short they are."""
GO_ON, END = 1.0, 0.0


@dataclass(frozen=True)
class PartOfStep:
    """A rank's part of a step: the outputs of its micro-batches, in their order."""

    step: int
    epoch: int
    lr: float
    outputs: Sequence[StepOutput]
    skipped: bool


class RankedTrainer(Trainer):
    """One of the processes that train a network; the only one until it joins others.

    composites: paths of blocks, for one that shards its weights by them.
    """

    ranked = True
    composites: Collection[str] = ()
    makes_step: type[RankStep] = RankStep

    def __init__(self, *made_of: Any) -> None:
        self.ranks = Ranks()
        self._parts: list[PartOfStep] = []
        self._due = 0.0
        super().__init__(*made_of)

    def join(self, ranks: Ranks) -> None:
        """Be one of several processes from here on."""
        self.ranks, self.processes = ranks, ranks.world
        self.use(self.recipe)

    @property
    def _goes_on(self) -> bool:
        return self.epoch < self.training["epochs"] and not self.should_stop_early

    def step_of(self, average: Any, **more: Any) -> TrainStep:
        """What makes this rank's part of a step."""
        everywhere, weights = not self.train.host_bytes, self.recipe.weights
        parts = self.training.get("batch_parts", 1) if self.ranks.world > 1 else 1
        made_of = (self.ranks, self.learner, weights, everywhere, self._signal, parts)
        self.rank_step = self.makes_step(*made_of)
        return super().step_of(average, exchange=self.rank_step, **more)

    def _signal(self) -> float:
        """Whether rank 0 looks up after the step that is being made."""
        looks_up = self.step + 1 == self.norms_at or time.monotonic() >= self._due
        return float(looks_up or len(self._parts) >= MANY_STEPS)

    def make_step(self, group: Sequence[Tensor]) -> None:
        """Make this rank's part of a step, and the step of all."""
        before = self._weights_before()
        lr, part = self.recipe.lr, self.rank_step
        loader = part.loader(self.train.rows, group, self.training["seed"], self.step + 1)
        made = self.train_step.outputs(loader)
        if not part.counts:
            made.pop()
        skipped = bool(self.skips and self.skips.counted(self.step + 1))
        self.batch += 1
        self.step += 1
        rows = [self._with_rows(output) for output in made]
        self._parts.append(PartOfStep(self.step, self.epoch + 1, lr, rows, skipped))
        if before is not None:
            self.norms = self._norms_since(before)

    def _weights_before(self) -> list[Tensor] | None:
        """Weights before a step whose norms are wanted, for `_norms_since`."""
        return copied(self.module) if self.ranks.rank == 0 and self._norms_wanted() else None

    def _norms_since(self, before: list[Tensor]) -> StepNorms:
        return step_norms(self.module, before, self.step)

    def _with_rows(self, output: StepOutput) -> StepOutput:
        """An output whose samples are measured: that is all that rank 0 needs of them."""
        read = {index: output.outputs[index].detach() for index in self.objective.read}
        rows = self.objective.rows(read, output.targets).cpu() if read else None
        losses = [loss.detach().cpu() for loss in output.losses]
        return StepOutput(output.loss.cpu(), losses, (), (), output.size, rows)

    def _gather_metrics(self) -> None:
        """Bring the outputs of all ranks since the last time to rank 0."""
        parts, self._parts = self._parts, []
        for steps in zip(*self.ranks.gather(parts), strict=True):
            first = steps[0]
            rounds = [list(part.outputs) for part in steps]
            outputs = [out for turn in _turns(rounds) for out in turn]
            output = outputs[0] if len(outputs) == 1 else concatenate(outputs)
            if first.skipped:
                output = output.without_samples()
            self.accumulator.update(first.step, first.epoch, first.lr, output)

    def fit(self, tick_s: float | None = None) -> Iterator[str]:
        """Train to the end, as rank 0: like `Trainer.fit`. Raises RankLost."""
        pause = TICK_S if tick_s is None else tick_s
        self._due = time.monotonic() + pause
        trainable_parameters(self.learner, self.training)
        self._send_decision()
        while self._goes_on:
            for group in self._planned():
                if not self._stepped(group):
                    return
                if self.rank_step.signalled:
                    self._gather_metrics()
                    yield from self._yielded("tick")
                    self._due = time.monotonic() + pause
            self._gather_metrics()
            if not self._finish_epoch():
                return
            yield from self._yielded("epoch")

    def _yielded(self, moment: str) -> Iterator[str]:
        """Yield, then send the other ranks whether training continues."""
        try:
            yield moment
        except GeneratorExit:
            with suppress(RankLost):  # a rank that has ended already needs no message
                self.ranks.send(END)
            raise
        self._send_decision()

    def _send_decision(self) -> None:
        """Send the other ranks whether training continues, the loss for schedules, and of which
        steps norms are wanted."""
        loss, each = self.newest.get("val_loss", 0.0), float(self.norms_each_epoch)
        self.ranks.send(GO_ON if self._goes_on else END, loss, self.norms_at, each)

    def _decision(self) -> Sequence[float]:
        """What rank 0 sends by `_send_decision`. Raises RankLost."""
        return self.ranks.receive()

    def follow(self) -> None:
        """Train until rank 0 ends it, as another rank. Raises RankLost, or what a step raises."""
        trainable_parameters(self.learner, self.training)
        go_on, loss, *_ = self._decision()
        while go_on == GO_ON:
            for group in self._planned():
                if not self._stepped(group):
                    return
                if self.rank_step.signalled:
                    self._gather_metrics()
                    if self._decision()[0] == END:
                        return
            self._gather_metrics()
            go_on, loss, *_ = self._decision()
            self.recipe.step_schedulers(loss)
            self.epoch, self.batch = self.epoch + 1, 0

    def _planned(self) -> list[list[Tensor]]:
        """The steps that are left of the epoch; only what this rank reads of them is gathered."""
        groups = self.batches_of_epoch()[self.batch :]
        self.train.plan([b for group in groups for b in own_batches(group, self.ranks)])
        return groups


def _turns(rounds: Sequence[list[StepOutput]]) -> Iterator[list[StepOutput]]:
    """The outputs of each round, in the order of ranks; a rank may have none in the last one."""
    for number in range(len(rounds[0])):
        yield [outputs[number] for outputs in rounds if number < len(outputs)]
