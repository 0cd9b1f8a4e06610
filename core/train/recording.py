"""Recording what a function does on the GPU as a CUDA graph, without leaving traces where it fails.

Semantics: "CUDA Graphs" in PyTorch's notes on CUDA, docs.pytorch.org/docs/stable/notes/cuda.html.
"""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import torch

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
