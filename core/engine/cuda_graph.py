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

from core.common.device import has
from core.engine.loader import BATCH_BY_BATCH
from core.engine.played_step import PlayedStep, largest_difference
from core.engine.precision import dropping_between
from core.engine.step_output import StepOutput
from core.engine.trainer_state import TrainerState

LEAD_S = 0.05  # of steps that may lie before the GPU
MOST = 64  # steps between two looks at how far it is
CLOSE = 1e-3  # share of a weight's largest number by which played steps may differ
SPREAD = 4  # times what two goes of the same calculated steps differ by, which may differ too
REPEATS = 3  # one alone shows too little of how far additions in another order lie apart
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
                first.append(error)  # ending the recording fails as well, with a poorer message
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


class LaunchThrottle:
    """Keeps it short: playing a step takes the processor no time, whatever it takes the GPU.

    Else hundreds of steps lie before it, and who reads a loss or stops the run waits for them all.
    """

    def __init__(self) -> None:
        self.played = self.next = 0
        self.ahead = 1
        self.mark: Any = None  # the event recorded on the GPU at the last look
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


class CapturedStep(PlayedStep):
    """Steps of a trainer, recorded as a CUDA graph."""

    def __init__(
        self,
        engine: TrainerState,
        size: int,
        record: Recorder = cuda_graph,
        compare: bool = True,
    ) -> None:
        """size: of a full batch. Raises when a step cannot be recorded or differs."""
        self._record = record
        self.grads: list[Tensor | None] = []
        self.lead = LaunchThrottle() if has(engine.train.where, "recordable") else None
        super().__init__(engine, size, compare)

    def refuse(self) -> None:
        """Raises RuntimeError where it is known that steps cannot be recorded."""
        engine = self.engine
        if not engine.train.host_bytes:
            raise RuntimeError(BATCH_BY_BATCH)
        if names := dropping_between(engine.module):
            what = f"the dropout between the layers of {names[0]}"
            raise RuntimeError(f"{what} uses memory that cuDNN allocates again for each step")
        if any(aim.declared.reads_lengths for aim in engine.objective.terms):
            raise RuntimeError("CTCLoss reads the lengths of sequences on the CPU")

    def make_play(self) -> Callable[[], None]:
        """Record a step."""
        play = self._record(self.calculate)
        self.grads = [weight.grad for weight in self.weights]
        return play

    def play_batch(self) -> None:
        """Play the recording; weights have its gradients, for whoever looks at them."""
        for weight, grad in zip(self.weights, self.grads, strict=True):
            weight.grad = grad
        self.play()
        if self.lead:
            self.lead.keep()

    def output(self) -> StepOutput:
        """A copy, as the next step overwrites the recording's own."""
        out = self.out
        loss = out.loss.clone()
        losses = [each.clone() for each in out.losses] if len(out.losses) > 1 else [loss]
        outputs = tuple(o.clone() if i in self.read else o for i, o in enumerate(out.outputs))
        targets = tuple(t.clone() for t in out.targets) if self.read else out.targets
        return StepOutput(loss, losses, outputs, targets, out.size)

    def close(
        self, result: Tensor, expected: Tensor, again: Sequence[Tensor], before: Tensor
    ) -> bool:
        """Whether no number is further from the calculated one than its kind may be."""
        far = largest_difference(result, expected)
        spread = max(largest_difference(other, expected) for other in again)
        size = expected.double().abs().max() if expected.numel() else 0.0
        return bool(far <= CLOSE * size + SPREAD * spread + 1e-6)

    def calculated_again(self, before: dict[str, Any]) -> Sequence[dict[str, Tensor]]:
        """The same calculated steps: a GPU may add in another order each time."""
        return [self.state_after(self.calculated, before) for _ in range(REPEATS)]
