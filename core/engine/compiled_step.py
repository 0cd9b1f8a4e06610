"""Whole steps, compiled: batch, network, loss, backward pass and optimiser as one function."""

import logging
import platform
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.fx import GraphModule

from core.common.device import has
from core.engine.compile_cache import use_cache
from core.engine.random_inputs import take_out_draws
from core.engine.traced_step import TracedStep, operations
from core.engine.trainer_state import TrainerState

Run = Callable[[list[Tensor]], Sequence[Tensor]]
CompileGraph = Callable[[GraphModule, list[Tensor]], Run]
LARGE = 1 << 14  # numbers of a tensor that is worth a call of its own
CPU_FACTS, INTEL = Path("/proc/cpuinfo"), "GenuineIntel"


def inductor(graph: GraphModule, tensors: list[Tensor]) -> Run:
    """Compile with torch's own compiler, one operation's C++ after the other.

    Memory formats stay as they are: it would turn the channels of convolutions last, which was
    slower on small pictures, and is a setting of its own. Raises what the C++ compiler says, or
    that there is none.
    """
    use_cache()
    logging.getLogger("torch.utils.cpp_extension").setLevel(logging.ERROR)  # looks for CUDA
    import torch._inductor as compiler  # takes seconds, and most runs need none
    from torch._inductor import config

    leave_to_torch(graph)
    with torch.no_grad(), config.patch(compile_threads=1, layout_optimization=False):
        compiled: Any
        if hasattr(compiler, "standalone_compile"):  # keeps all of it; the other kernels alone
            compiled = compiler.standalone_compile(
                graph, list[Any](tensors), dynamic_shapes="from_example_inputs"
            )
        else:
            compiled = compiler.compile(graph, list[Any](tensors))
    return lambda given: compiled(*given)


def leave_to_torch(graph: GraphModule) -> None:
    """Have the tanh of large tensors on the processor calculated as in a step that is not compiled.

    Torch calls a library for it that takes a quarter of what compiled code takes on processors of
    Intel, and twice as much on others (measured: 0.26, 1 and 2 ns a number). A small one gains more
    from being in one piece with the rest.
    """
    if not tanh_is_fast():
        return
    for node in graph.graph.nodes:
        if node.target is not torch.ops.aten.tanh.default:
            continue
        result = node.meta["val"]
        if has(result.device, "host") and result.numel() >= LARGE:
            node.meta["custom"] = node.meta.get("custom", {}) | {"fallback_to_eager": True}


def tanh_is_fast() -> bool:
    """Whether torch's own tanh is faster than compiled code: MKL's is, on processors of Intel.

    Read, not measured: all attempts of a run must compile the same.
    """
    try:
        processor = CPU_FACTS.read_text("utf-8", "replace")
    except OSError:  # not Linux
        processor = platform.processor()
    return torch.backends.mkl.is_available() and INTEL in processor


def found_compiled() -> int:
    """How many compiled steps this process loaded from the disk."""
    from torch._dynamo.utils import counters

    return counters["inductor"]["fxgraph_cache_hit"]


class CompiledStep(TracedStep):
    """Steps of a trainer, compiled."""

    def __init__(
        self, engine: TrainerState, size: int, compile_graph: CompileGraph | None = None
    ) -> None:
        """size: of a full batch. Raises when a step cannot be compiled or differs."""
        self._compile_graph = compile_graph or inductor
        super().__init__(engine, size)

    def make_play(self) -> Callable[[], None]:
        """Trace a step and compile what it does."""
        self.calculate()  # makes what optimisers keep
        tensors = self.lasting_tensors()
        graph = operations(self.traced, tensors)
        draws = take_out_draws(graph)
        tensors += [draw.buffer for draw in draws]
        run = self._compile_graph(graph, tensors)
        moved = [weight for weight in self.weights if weight.grad is not None]
        traced = self.out

        def play() -> None:
            for draw in draws:
                draw.fill(draw.buffer, None)
            with torch.no_grad():
                made = iter(run(tensors))
            self.out = self.output_from(made, traced)
            for weight, grad in zip(moved, made, strict=True):
                weight.grad = grad

        return play
