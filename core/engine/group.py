"""Several engines that train in one process, with one compiled step for all if possible."""

import time
import traceback
from collections.abc import Callable, Sequence
from typing import Any

from core.common.device import has
from core.engine.compiled_step import CompileGraph
from core.engine.member import Member
from core.engine.param_groups import trainable_parameters
from core.engine.snapshot import restore_snapshot, snapshot
from core.engine.stacked_step import Stack, StackedStep

TRIED = 3  # calculated steps, to time one
FEW = 64  # steps of an epoch, among which the last, smaller batch is worth a step of its own
GAIN = 0.95  # share of the time of calculated steps that the one step must come down to


class JointStepFailed(Exception):
    """A step of several engines failed: nobody knows whose error it is, nor what it changed."""


class Group:
    """Makes the steps that engines have staged. why: what keeps them from being one, "" for none.

    slots: the place of each engine, which goes on with the same one; many: how many there are.
    """

    def __init__(self, members: Sequence[Member], slots: Sequence[int], many: int) -> None:
        self.members, self.slots, self.many = tuple(members), tuple(slots), many
        self.whole: StackedStep | None = None
        self.last: StackedStep | None = None  # for the last, smaller batch
        self.why = ""
        self._newest: dict[int, StackedStep] = {}
        self._before: list[dict[str, Any]] = []

    def calculated_s(self) -> float:
        """Seconds of processor that the steps left of all take, calculated one by one.

        0 where a step fails: the run meets that again in its own, where it costs no other run.
        Not those of a clock: on a busy machine all is slower, compiling too.
        """
        first = self.members[0]
        left = sum(member.steps - member.step for member in self.members)
        before, times = snapshot(first), list[float]()
        clock = time.process_time if has(first.train.where, "host") else time.perf_counter
        trainable_parameters(first.module, first.training)
        batches = first.batches_of_epoch()[0]
        try:
            for _ in range(min(TRIED, first.steps - first.step)):  # no schedule goes further
                started = clock()
                first.train_step(first.train.batches(batches))
                times.append(clock() - started)
        except Exception as error:
            traceback.print_exception(error)
            return 0.0
        finally:
            restore_snapshot(first, before, recorded=False)
        return left * min(times, default=0.0)

    def compile(self, compile_graph: CompileGraph | None = None) -> None:
        """Make one step of all, where that can be; else note why not."""
        first = self.members[0]
        for member in self.members:
            trainable_parameters(member.module, member.training)
        size = min(first.step_settings.batch_size, len(first.train))
        last = first.batches_of_epoch()[-1][-1].size(0)
        self._before = [snapshot(member) for member in self.members]
        try:
            stack = Stack(self.members, self.slots, self.many)
            whole = StackedStep(stack, size, compile_graph)
            if last != size and first.steps_per_epoch <= FEW:
                self.last = StackedStep(stack, last, compile_graph)
            self.whole = whole
        except Exception as error:  # of any library; the steps as written go on
            self._refused(error)

    def gains(self) -> bool:
        """Whether the step of all is faster than those of each; else it is given up."""
        if self.whole is None:
            return False
        try:
            alone, together = self.whole.timed()
        except Exception as error:
            self._refused(error)
            return False
        if together <= GAIN * alone * len(self.members):
            self._before = []
            return True
        self._give_up()
        self.why = (
            f"a joint step takes {1000 * together:.3g} ms, and {len(self.members)} single "
            f"steps take {1000 * alone * len(self.members):.3g} ms"
        )
        return False

    def _refused(self, error: Exception) -> None:
        """Give up the step of all for an error, and note it."""
        traceback.print_exception(error)
        self._give_up()
        self.why = _first_line(error)

    def _give_up(self) -> None:
        """Go on with steps as they are written, as if no other had been tried."""
        self.whole = self.last = None
        for member, before in zip(self.members, self._before, strict=True):
            restore_snapshot(member, before, recorded=False)
        self._before = []

    def make(self) -> dict[int, Exception]:
        """Make all steps that are staged; return the error of each member whose step failed.

        Raises JointStepFailed, after which no member can go on from what it is.
        """
        failed = dict[int, Exception]()
        for stacked in filter(None, (self.whole, self.last)):
            wanted = {
                at: member.staged[0]
                for at, member in enumerate(self.members)
                if member.staged and stacked.accepts(at, member.staged)
            }
            try:
                if wanted:
                    stacked.step(wanted)
            except Exception as error:
                raise JointStepFailed(_first_line(error)) from error
            for at in wanted:
                self._newest[at] = stacked
                self._try(at, failed, lambda at=at, stacked=stacked: self._taken(at, stacked))
        for at, member in enumerate(self.members):
            if member.staged and at not in failed:
                self._newest.pop(at, None)
                self._try(at, failed, member.make)
        return failed

    def _taken(self, at: int, stacked: StackedStep) -> None:
        """Finish the step of a member that was made with those of others."""
        output = stacked.ended(at)
        if self.members[at].wants_norms:
            self.settle(at)
        self.members[at].make(output)

    def _try(self, at: int, failed: dict[int, Exception], what: Callable[[], None]) -> None:
        """Do something for a member; its error is its own."""
        try:
            what()
        except Exception as error:
            failed[at] = error

    def settle(self, at: int) -> None:
        """Let the weights of a member have their gradients, for whoever looks at them."""
        if stacked := self._newest.pop(at, None):
            stacked.put_gradients(at)


def _first_line(error: Exception) -> str:
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return lines[0][:200].rstrip(".")
