"""Several engines that train in one process, with one compiled step for all if possible."""

import time
import traceback
from collections.abc import Callable, Sequence

from core.engine.compiled_step import CompileGraph
from core.engine.member import Member
from core.engine.param_groups import trainable_parameters
from core.engine.snapshot import restore_snapshot, snapshot
from core.engine.stacked_step import Stack, StackedStep
from core.engine.step_output import StepOutput

TRIED = 3  # calculated steps, to time one
Guard = Callable[[int, Callable[[], None]], None]
"""Does something for the member at a place; whoever drives the group says what an error costs."""
FEW = 64  # steps of an epoch, among which the last, smaller batch is worth a step of its own
GAIN = 0.95  # share of the time of calculated steps that the one step must come down to


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

    def calculated_s(self) -> float:
        """Seconds of processor that the steps left of all take, calculated one by one.

        Not those of a clock: on a busy machine all is slower, compiling too.
        """
        first = self.members[0]
        left = sum(member.steps - member.step for member in self.members)
        before, times = snapshot(first), list[float]()
        clock = time.process_time if first.train.where.type == "cpu" else time.perf_counter
        trainable_parameters(first.module, first.training)
        batches = first.batches_of_epoch()[0]
        try:
            for _ in range(min(TRIED, first.steps - first.step)):  # no schedule goes further
                started = clock()
                first.train_step(first.train.batches(batches))
                times.append(clock() - started)
        finally:
            restore_snapshot(first, before, recorded=False)
        return left * min(times, default=0.0)

    def compile(self, compile_graph: CompileGraph | None = None) -> None:
        """Make one step of all, where that can be; else note why not."""
        first = self.members[0]
        for member in self.members:
            trainable_parameters(member.module, member.training)
        size = min(first.training["batch_size"], len(first.train))
        last = first.batches_of_epoch()[-1][-1].size(0)
        try:
            stack = Stack(self.members, self.slots, self.many)
            whole = StackedStep(stack, size, compile_graph)
            if last != size and first.steps_per_epoch <= FEW:
                self.last = StackedStep(stack, last, compile_graph)
            self.whole = whole
        except Exception as error:  # of any library; the steps as written go on
            traceback.print_exception(error)
            lines = str(error).strip().splitlines() or [type(error).__name__]
            self.why = lines[0][:200].rstrip(".")

    def gains(self) -> bool:
        """Whether the step of all is faster than those of each; else it is given up."""
        if self.whole is None:
            return False
        alone, together = self.whole.timed()
        if together <= GAIN * alone * len(self.members):
            return True
        self.whole = self.last = None
        self.why = (
            f"a joint step takes {1000 * together:.3g} ms, and {len(self.members)} single "
            f"steps take {1000 * alone * len(self.members):.3g} ms"
        )
        return False

    def make(self, guard: Guard = lambda _, make: make()) -> None:
        """Make all steps that are staged. guard: calls what makes each."""
        for stacked in filter(None, (self.whole, self.last)):
            wanted = {
                at: member.staged[0]
                for at, member in enumerate(self.members)
                if member.staged and stacked.accepts(at, member.staged)
            }
            for at, output in stacked.step(wanted).items() if wanted else ():
                self._newest[at] = stacked
                guard(at, lambda at=at, output=output: self._finish(at, output))
        for at, member in enumerate(self.members):
            if member.staged:
                self._newest.pop(at, None)
                guard(at, member.make)

    def _finish(self, at: int, output: StepOutput) -> None:
        """Finish a step that was made with those of others."""
        if self.members[at].wants_norms:
            self.settle(at)
        self.members[at].make(output)

    def settle(self, at: int) -> None:
        """Let the weights of a member have their gradients, for whoever looks at them."""
        if stacked := self._newest.pop(at, None):
            stacked.put_gradients(at)
