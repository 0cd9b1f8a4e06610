"""Recording what a function does on the GPU as a CUDA graph, without leaving traces where it fails.

Semantics: "CUDA Graphs" in PyTorch's notes on CUDA, docs.pytorch.org/docs/stable/notes/cuda.html.
"""

import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import torch
from torch import Tensor

from core.engine.ema import AveragedWeights
from core.engine.loader import BATCH_BY_BATCH, Batches, Learnt
from core.engine.precision import dropping_between
from core.engine.snapshot import restore_snapshot, snapshot, take_snapshot
from core.engine.trainer_state import TrainerState

WARM = 3  # goes before recording, in which libraries choose their kernels
Recorder = Callable[[Callable[[], None]], Callable[[], None]]
_FAILED: list[Any] = []  # recordings that torch 2.11 goes on asking for pinned memory


def cuda_graph(body: Callable[[], None]) -> Callable[[], None]:
    """Record what a function does on the GPU; the result does it again.

    Raises what kept it from being recorded, with the process as able to calculate as before.
    """
    here, aside = torch.cuda.current_stream(), torch.cuda.Stream()
    aside.wait_stream(here)
    try:
        with torch.cuda.stream(aside):
            for _ in range(WARM - 1):
                body()
            with _waiting_forbidden():
                body()
    finally:
        here.wait_stream(aside)  # whoever undoes these goes must come after them
    graph, first = torch.cuda.CUDAGraph(), list[Exception]()
    pool = torch.cuda.graph_pool_handle()
    try:
        with torch.cuda.graph(graph, pool=pool):
            try:
                body()
            except Exception as error:
                first.append(error)  # ending the recording fails as well, and says less
                raise
    except Exception as error:
        _give_up(graph, pool, here)
        raise (first or [error])[0] from None
    return graph.replay


@contextmanager
def _waiting_forbidden() -> Iterator[None]:
    """Have torch raise where the processor waits for the GPU, which no recording can hold.

    Found out so, nothing is left half recorded.
    """
    before = torch.cuda.get_sync_debug_mode()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch calls the mode a prototype
        torch.cuda.set_sync_debug_mode("error")
    try:
        yield
    finally:
        torch.cuda.set_sync_debug_mode(before)


def _give_up(graph: Any, pool: Any, here: Any) -> None:
    """Undo what a recording that failed leaves behind.

    Seen in the source of torch 2.11: the stream stays the recording one; the generator goes on
    counting for the recording, so that the next dropout raises, which a copy of it does not; and
    the allocator takes it to be under way, so that it gives no memory back, neither where memory
    runs out nor where a run pauses.
    """
    torch.cuda.set_stream(here)
    device = torch.cuda.current_device()
    generator = torch.cuda.default_generators[device]
    generator.graphsafe_set_state(generator.clone_state())
    graph.reset()
    with suppress(RuntimeError):  # later versions have ended it, and reset has released the memory
        torch._C._cuda_endAllocateToPool(device, pool)
        torch._C._cuda_releasePool(device, pool)
    _FAILED.append(graph)


LEAD_S = 0.05  # of steps that may lie before the GPU
MOST = 64  # steps between two looks at how far it is


class LaunchThrottle:
    """Keeps it short: playing a step takes the processor no time, whatever it takes the GPU.

    Else hundreds of steps lie before it, and who reads a loss or stops the run waits for them all.
    """

    def __init__(self) -> None:
        self.played = self.next = 0
        self.ahead = 1
        self.mark: Any = None  # where the GPU was asked to be at the last look
        self.looked = 0.0

    def keep(self) -> None:
        """Count a step that was played; now and then wait until the GPU has come near."""
        self.played += 1
        if self.played < self.next:
            return
        if self.mark:
            self.mark.synchronize()
            self._suit(time.monotonic())
        self.mark = torch.cuda.Event(blocking=True)
        self.mark.record()
        self.next = self.played + self.ahead

    def _suit(self, now: float) -> None:
        """Look more often the longer steps take."""
        took, self.looked = now - self.looked, now
        if took < LEAD_S / 2:
            self.ahead = min(2 * self.ahead, MOST)
        elif took > LEAD_S:
            self.ahead = max(self.ahead // 2, 1)


class _Uncounted:
    """An average that follows the weights, while its steps are counted on the processor."""

    def __init__(self, average: AveragedWeights) -> None:
        self.update_parameters = average.copy_buffers


LEAST, MANY, TIMED_S = 5, 100, 0.5  # steps that are timed, and for how long at most
CHECKED = 3  # steps that are compared
CLOSE = 1e-3  # share of a weight's largest number by which played steps may differ
SPREAD = 4  # times what two goes of the same calculated steps differ by, which may differ too
REPEATS = 3  # one alone shows too little of how far additions in another order lie apart


class CapturedStep:
    """Steps of an engine, played. Only for full batches; others are calculated as usual.

    exact: whether the steps compared were the same to the bit.
    """

    def __init__(self, engine: TrainerState, size: int, record: Recorder = cuda_graph) -> None:
        """size: of a full batch. Raises when a step cannot be recorded or differs.

        The engine is left as it was: warm-up and comparison do not count as training.
        """
        self.engine, self.optimisers = engine, engine.recipe.optimisers
        self.weights, self.read = engine.recipe.weights, engine.objective.read
        self._refuse()
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
        self.out: Learnt
        self.exact = False
        self.lead = LaunchThrottle() if device.type == "cuda" else None
        before = snapshot(engine)
        try:
            self._count_on(device)
            self.indices.copy_(torch.arange(size, device=device) % len(engine.train))
            self.written_rates = list[float]()
            self.tell()
            self.play = record(self._recorded)
            self.grads = [weight.grad for weight in self.weights]
            restore_snapshot(engine, before)
            self._compare(before)
        except Exception:
            self._count_on(torch.device("cpu"))
            raise
        finally:
            restore_snapshot(engine, before)

    def _refuse(self) -> None:
        """Raises where it is known that steps cannot be recorded."""
        engine = self.engine
        if not engine.train.host_bytes:
            raise RuntimeError(BATCH_BY_BATCH)
        if names := dropping_between(engine.module):
            what = f"the dropout between the layers of {names[0]}"
            raise RuntimeError(f"{what} is drawn from memory that cuDNN takes anew")
        if any(aim.declared.reads_lengths for aim in engine.objective.terms):
            raise RuntimeError("CTCLoss reads the lengths of sequences on the processor")

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

    def accepts(self, indices: Tensor) -> bool:
        """Whether a step with this batch is like the one that was recorded.

        It has its size; and weights are averaged already: the first ones are copied.
        """
        average = self.engine.average
        begun = average is None or bool(average.n_averaged)  # counted on the processor
        return begun and indices.size(0) == self.indices.size(0)

    def step(self, indices: Tensor) -> Learnt:
        """Make a step. What it came to is copied, as the next one overwrites it."""
        self.indices.copy_(indices)
        self.tell()
        for weight, grad in zip(self.weights, self.grads, strict=True):
            weight.grad = grad  # that of the recording, for whoever looks at it after the step
        self.play()
        if self.lead:
            self.lead.keep()
        if self.engine.average:
            self.engine.average.n_averaged += 1
        self.engine.recipe.step_after_batch()
        loss, values, outputs, targets, size = self.out
        loss = loss.clone()
        values = [v.clone() for v in values] if len(values) > 1 else [loss]
        outputs = tuple(o.clone() if i in self.read else o for i, o in enumerate(outputs))
        targets_copy = tuple(t.clone() for t in targets) if self.read else targets
        return loss, values, outputs, targets_copy, size

    def _count_on(self, device: torch.device) -> None:
        """Have optimisers count their steps on the GPU, also those counted so far; or as before."""
        groups = [(o, group) for o in self.optimisers for group in o.param_groups]
        for optimiser, group in groups:
            if not self.indices.is_cuda or "capturable" not in group:
                continue
            group["capturable"] = device.type == "cuda"
            for weight in () if group.get("fused") else group["params"]:
                state = optimiser.state.get(weight, {})
                if isinstance(steps := state.get("step"), Tensor):
                    state["step"] = steps.to(device)

    def tell(self) -> None:
        """Put the learning rates of the schedule where the recorded step reads them."""
        rates = [rate for each in self.rates for rate in each]
        numbers = [group["lr"] for o in self.optimisers for group in o.param_groups]
        if numbers == self.written_rates:
            return
        for rate, number in zip(rates, numbers, strict=True):
            rate.fill_(number)
        self.written_rates = numbers

    @contextmanager
    def _in_tensors(self) -> Iterator[None]:
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

    def _recorded(self) -> None:
        self.out = self.calculated()

    def calculated(self) -> Learnt:
        """One step. What it gives is cut off from its graph of gradients.

        Kept alive, that graph would tie the next step's gradients to the stream of this one.
        """
        with self._in_tensors():
            loss, values, outputs, targets, size = self.train_step(self.batches)
        cut = [value.detach() for value in values], tuple(o.detach() for o in outputs)
        return loss, *cut, targets, size

    def _compare(self, before: dict[str, Any]) -> None:
        """Steps that are played must end where steps that are calculated end."""
        wanted, again = self._after(self.calculated, before), self._again(before)
        replayed = self._after(self.play, before)
        self.exact = all(torch.equal(value, wanted[name]) for name, value in replayed.items())
        for name, value in wanted.items():
            others = [other[name] for other in again]
            if not self._close(replayed[name], value, others, before["model"][name]):
                far = float(_apart(replayed[name], value))
                raise RuntimeError(f"{name} differs by {far:.3g} after {CHECKED} steps")

    def _close(
        self, found: Tensor, wanted: Tensor, again: Sequence[Tensor], before: Tensor
    ) -> bool:
        """Whether no number is further from the calculated one than its kind may be."""
        far, spread = _apart(found, wanted), max(_apart(other, wanted) for other in again)
        size = wanted.double().abs().max() if wanted.numel() else 0.0
        return bool(far <= CLOSE * size + SPREAD * spread + 1e-6)

    def _again(self, before: dict[str, Any]) -> Sequence[dict[str, Tensor]]:
        """What the same calculated steps come to: a GPU may add in another order each time."""
        return [self._after(self.calculated, before) for _ in range(REPEATS)]

    def _after(self, step: Callable[[], Any], before: dict[str, Any]) -> dict[str, Tensor]:
        """What the network holds after some steps, which are undone."""
        for _ in range(CHECKED):
            step()
        tensors = {
            name: value.detach().clone() for name, value in take_snapshot(self.engine).items()
        }
        restore_snapshot(self.engine, before)
        return tensors


def _apart(one: Tensor, other: Tensor) -> Tensor:
    """The largest difference; 0 where there is nothing to differ."""
    far = (one.double() - other.double()).abs()
    return far.max() if far.numel() else far.sum()
