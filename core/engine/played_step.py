"""Steps that are played: made once, checked against calculated steps, then repeated as a whole."""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor

from core.common.device import CPU, has
from core.engine.ema import AveragedWeights
from core.engine.loader import Batches
from core.engine.snapshot import restore_snapshot, snapshot, take_snapshot
from core.engine.step_output import StepOutput
from core.engine.trainer_state import TrainerState

LEAST, MANY, TIMED_S = 5, 100, 0.5  # steps that are timed, and for how long at most
CHECKED = 3  # steps that are compared


class _Uncounted:
    """An average that follows the weights, while its steps are counted on the processor."""

    def __init__(self, average: AveragedWeights) -> None:
        self.update_parameters = average.copy_buffers


class PlayedStep(ABC):
    """Steps of a trainer, played. Only for full batches; others are calculated as usual.

    exact: whether the compared steps were the same to the bit. play: makes a step of the batch in
    `indices`, whose output is then in `out`.
    """

    def __init__(self, engine: TrainerState, size: int, compare: bool = True) -> None:
        """size: of a full batch. Raises when a step cannot be made so, or where it differs.

        The trainer is left as it was: warm-up and comparison do not count as training.
        """
        self.engine, self.optimisers = engine, engine.recipe.optimisers
        self.weights, self.read = engine.recipe.weights, engine.objective.read
        self.refuse()
        device = engine.train.where
        self.indices = torch.zeros(size, dtype=torch.long, device=device)
        self.batches = Batches(engine.train.gathered, [self.indices])
        average = engine.average and _Uncounted(engine.average)
        self.train_step = engine.step_of(average, MOVES="")
        # float32, as fused optimisers read it
        self.rates = [
            [torch.tensor(float(group["lr"]), device=device) for group in optimiser.param_groups]
            for optimiser in self.optimisers
        ]
        self.out: StepOutput
        self.exact = False
        self.written_rates = list[float]()
        self._make(compare)

    def _make(self, compare: bool) -> None:
        """Make what plays a step and compare it; the trainer is as it was afterwards."""
        engine, device = self.engine, self.indices.device
        before = snapshot(engine)
        try:
            self._count_on(device)
            rows = torch.arange(len(self.indices), device=device) % len(engine.train)
            self.indices.copy_(rows)
            self.write_rates()
            self.play = self.make_play()
            restore_snapshot(engine, before)
            if compare:
                self.compare(before)
        except Exception:
            self._count_on(torch.device(CPU))
            restore_snapshot(engine, before, recorded=False)
            raise
        restore_snapshot(engine, before)

    @abstractmethod
    def refuse(self) -> None:
        """Raises RuntimeError where it is known beforehand that steps cannot be played."""

    @abstractmethod
    def make_play(self) -> Callable[[], None]:
        """Return what plays a step. Raises where that cannot be made."""

    @abstractmethod
    def play_batch(self) -> None:
        """Play the step of the batch in `indices`, so that weights have its gradients after it."""

    @abstractmethod
    def output(self) -> StepOutput:
        """The output of the step just played, which the next one leaves alone."""

    @abstractmethod
    def close(
        self, result: Tensor, expected: Tensor, again: Sequence[Tensor], before: Tensor
    ) -> bool:
        """Whether a played tensor is close enough to the calculated one, `expected`.

        again: the same of further calculated steps; before: the tensor before the steps.
        """

    @abstractmethod
    def calculated_again(self, before: dict[str, Any]) -> Sequence[dict[str, Tensor]]:
        """Results of further calculated steps: they show how far rounding may lead."""

    def step(self, indices: Tensor) -> StepOutput:
        """Make a step of a batch."""
        self.indices.copy_(indices)
        self.write_rates()
        self.play_batch()
        if self.engine.average:
            self.engine.average.n_averaged += 1
        self.engine.recipe.step_after_batch()
        return self.output()

    def accepts(self, indices: Tensor) -> bool:
        """Whether a step with this batch is like the one that is played.

        It has its size; and weights are averaged already: the first ones are copied.
        """
        average = self.engine.average
        begun = average is None or bool(average.n_averaged)  # counted on the processor
        return begun and indices.size(0) == self.indices.size(0)

    def timed(self) -> tuple[float, float]:
        """Seconds of a calculated and of a played step: by turns, undone, the fastest of each."""
        before, end = snapshot(self.engine), time.monotonic() + TIMED_S
        times = list[tuple[float, float]]()
        try:
            while len(times) < LEAST or (len(times) < MANY and time.monotonic() < end):
                times.append((self.seconds(self.calculated), self.seconds(self.play)))
        finally:
            restore_snapshot(self.engine, before)
        calculated, played = zip(*times, strict=True)
        return min(calculated), min(played)

    def seconds(self, step: Callable[[], object]) -> float:
        """How long a step takes: of its thread where it is one, whatever else the machine does."""
        alone = torch.get_num_threads() == 1 and not self.indices.is_cuda
        clock = time.thread_time if alone else time.perf_counter
        started = clock()
        step()
        if self.indices.is_cuda:
            torch.cuda.synchronize()
        return clock() - started

    def write_rates(self) -> None:
        """Write the learning rates of the schedule to where the played step reads them."""
        rates = [rate for each in self.rates for rate in each]
        numbers = [group["lr"] for o in self.optimisers for group in o.param_groups]
        if numbers == self.written_rates:
            return
        for rate, number in zip(rates, numbers, strict=True):
            rate.fill_(number)
        self.written_rates = numbers

    def calculated(self) -> StepOutput:
        """Make one step as it is written. Its output is cut off from its graph of gradients.

        Kept alive, that graph would tie the next step's gradients to the stream of this one.
        """
        with self._rates_in_tensors():
            out = self.train_step(self.batches)
        losses = [loss.detach() for loss in out.losses]
        outputs = tuple(output.detach() for output in out.outputs)
        return StepOutput(out.loss, losses, outputs, out.targets, out.size)

    def calculate(self) -> None:
        """Make one step as it is written, with its output in `out`."""
        self.out = self.calculated()

    def compare(self, before: dict[str, Any]) -> None:
        """Raises RuntimeError where played steps end elsewhere than calculated ones."""
        wanted = self.state_after(self.calculated, before)
        again = self.calculated_again(before)
        replayed = self.state_after(self.play, before)
        self.exact = all(torch.equal(value, wanted[name]) for name, value in replayed.items())
        for name, value in wanted.items():
            others = [other[name] for other in again]
            if not self.close(replayed[name], value, others, before["model"][name]):
                far = float(largest_difference(replayed[name], value))
                raise RuntimeError(f"{name} differs by {far:.3g} after {CHECKED} steps")

    def state_after(self, step: Callable[[], Any], before: dict[str, Any]) -> dict[str, Tensor]:
        """What the network holds after some steps, which are undone."""
        for _ in range(CHECKED):
            step()
        tensors = {
            name: value.detach().clone() for name, value in take_snapshot(self.engine).items()
        }
        restore_snapshot(self.engine, before)
        return tensors

    def _count_on(self, device: torch.device) -> None:
        """Have optimisers count their steps on the GPU, also those counted so far; or as before."""
        groups = [(o, group) for o in self.optimisers for group in o.param_groups]
        for optimiser, group in groups:
            if not self.indices.is_cuda or "capturable" not in group:
                continue
            group["capturable"] = has(device, "recordable")
            for weight in () if group.get("fused") else group["params"]:
                state = optimiser.state.get(weight, {})
                if isinstance(steps := state.get("step"), Tensor):
                    state["step"] = steps.to(device)

    @contextmanager
    def _rates_in_tensors(self) -> Iterator[None]:
        """Let optimisers read their rates from tensors; schedules go on with numbers."""
        groups = [group for o in self.optimisers for group in o.param_groups]
        numbers = [group["lr"] for group in groups]
        tensors = [rate for rates in self.rates for rate in rates]
        for group, rate in zip(groups, tensors, strict=True):
            group["lr"] = rate
        try:
            yield
        finally:
            for group, number in zip(groups, numbers, strict=True):
                group["lr"] = number


def largest_difference(one: Tensor, other: Tensor) -> Tensor:
    """The largest difference of two tensors; 0 where they are empty."""
    far = (one.double() - other.double()).abs()
    return far.max() if far.numel() else far.sum()
