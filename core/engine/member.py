"""An engine whose steps are made with those of others, or by turns with theirs.

`fit` stops at each step and leaves it to whoever drives the group: `make` finishes it. Several
share a process, so each has random states of its own; all else is an ordinary engine's.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor

from core.engine.cuda_graph import Recorder, cuda_graph
from core.engine.nonfinite_errors import REFUSALS, explain_refusal
from core.engine.rng import rng_state, set_rng_state
from core.engine.snapshot import StepPart, counters_part
from core.engine.step_output import StepOutput
from core.engine.trainer import Trainer


class Member(Trainer):
    """One of several engines in a process. Its steps end when `make` is called."""

    staged: Sequence[Tensor] = ()  # the batches of the step that `fit` has come to

    def capture_rng_states(self) -> None:
        """Draw from here on as the process would have; others leave that alone."""
        self.random_states = rng_state()
        self.generator = torch.Generator().manual_seed(0)
        self.generator.set_state(self.random_states["torch"])

    @contextmanager
    def own_rng(self) -> Iterator[None]:
        """Whatever draws inside draws for this engine."""
        whole = not self.train.host_bytes  # only batches that are made one by one draw elsewhere
        if whole:
            set_rng_state({**self.random_states, "torch": self.generator.get_state()})
        else:
            torch.set_rng_state(self.generator.get_state())
        try:
            yield
        finally:
            self.generator.set_state(torch.get_rng_state())
            if whole:
                self.random_states = rng_state()

    def capture(
        self, record: Recorder = cuda_graph, lines: Mapping[str, tuple[int, ...]] | None = None
    ) -> None:
        """Nothing is recorded for one alone."""
        self.uncaptured = "it trains together with other runs"

    def make_step(self, group: Sequence[Tensor]) -> None:
        """Stage a step: `make` makes it, or takes its output."""
        self._before = self._begun()
        self.staged = group

    @property
    def wants_norms(self) -> bool:
        """Whether the step that is staged is looked at with its gradients."""
        return self._before[1] is not None

    def make(self, output: StepOutput | None = None) -> None:
        """Finish the step that is staged. output: its output, where it was made already."""
        group, self.staged = self.staged, ()
        if output is None:
            output = self._calculated_step(group)
        if output is not None:
            self._ended(self._before, output)

    def _calculated_step(self, group: Sequence[Tensor]) -> StepOutput | None:
        """Make a step as it is written; None where torch refuses it, which ends the run."""
        try:
            with self.own_rng():
                return self.train_step(self.train.batches(group))
        except REFUSALS as error:
            inputs = [self.train.rows(indices)[0] for indices in group]
            self.diverged = explain_refusal(self, error, inputs)
            if self.diverged is None:
                raise
            return None

    def validate(self) -> dict[str, float]:
        """Loss and metrics of the validation part, with what chance it has drawn by itself."""
        with self.own_rng():
            return super().validate()

    def parts(self) -> dict[str, StepPart]:
        """Everything that steps change, its own random states among it."""
        found = super().parts()
        if hasattr(self, "generator"):
            draws = StepPart(self.generator.get_state, self.generator.set_state)
            found |= {
                "own draws": draws,
                "own random states": counters_part(self, ["random_states"]),
            }
        return found

    def state_dict(self) -> dict[str, Any]:
        """Everything that training goes on from exactly, its own random states among it."""
        random_states = {**self.random_states, "torch": self.generator.get_state()}
        return {**super().state_dict(), "chance": random_states}

    def share_data(self, other: Trainer) -> None:
        """Learn from the other's data where they are the same as ours."""
        for name in ("inputs", "targets"):
            for part in ("train", "validation"):
                mine, theirs = (getattr(getattr(e, part), name) for e in (self, other))
                if len(mine) == len(theirs):
                    setattr(getattr(self, part), name, tuple(map(_shared, mine, theirs)))

    def forget_places(self) -> None:
        """Find weights anew, which lie elsewhere in memory than they did."""
        self._weights = self.eval_model.state_dict()
        if self.average:
            self.average.forget_places()


def _shared(mine: Any, theirs: Any) -> Any:
    """Theirs where it is the same."""
    both = isinstance(mine, Tensor) and isinstance(theirs, Tensor)
    same = both and mine.dtype == theirs.dtype and torch.equal(mine, theirs)
    return theirs if same else mine
