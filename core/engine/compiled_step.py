"""Whole steps, compiled: batch, network, loss, backward pass and optimiser as one function.

The text of the step runs once, as it stands, and every operation that it makes of tensors is noted
(make_fx); what was noted is compiled. So there is no second text, and a step that cannot be noted,
as it reads a number on the way, says so where it does. What is compiled is checked against
calculated steps as a recorded one is.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor
from torch.fx import GraphModule
from torch.fx.experimental.proxy_tensor import make_fx

from core.engine.accelerations import BENT
from core.engine.compile_cache import use_cache
from core.engine.cuda_graph import SPREAD, CapturedStep
from core.engine.loader import BATCH_BY_BATCH, Learnt
from core.engine.random_inputs import take_out_draws
from core.engine.snapshot import restore_snapshot
from core.engine.trainer_state import TrainerState

Run = Callable[[list[Tensor]], Sequence[Tensor]]
CompileGraph = Callable[[GraphModule, list[Tensor]], Run]
LARGE = 1 << 14  # numbers of a tensor that is worth a call of its own
MOST = 5000  # operations of a step: a recurrent block has some for each place
DRIFT = 0.02  # share of the way that weights went, by which they may end elsewhere
NUDGE = 1 + 2.0**-20  # moves numbers by a few of their last bits
NUDGES = NUDGE, 1 - 2.0**-20, 1 - 2.0**-21  # none moves them further than that one


def inductor(graph: GraphModule, tensors: list[Tensor]) -> Run:
    """Compile with torch's own compiler, one operation's C++ after the other.

    Memory formats stay as they are: it would turn the channels of convolutions last, which was
    slower on small pictures, and is a setting of its own. Raises what the C++ compiler says, or
    that there is none.
    """
    use_cache()
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
    """Have the tanh of large tensors calculated as in a step that is not compiled.

    Torch calls a library for it that takes a sixth of what compiled code takes (measured: 77 and
    489 us for 301,056 numbers); a small one gains more from being in one piece with the rest.
    """
    for node in graph.graph.nodes:
        if node.target is torch.ops.aten.tanh.default and node.meta["val"].numel() >= LARGE:
            node.meta["custom"] = node.meta.get("custom", {}) | {"fallback_to_eager": True}


def found_compiled() -> int:
    """How many steps this process found compiled on the disk."""
    from torch._dynamo.utils import counters

    return counters["inductor"]["fxgraph_cache_hit"]


class CompiledStep(CapturedStep):
    """Steps of an engine, compiled. Only for full batches; others are calculated as usual."""

    lead = None

    def __init__(
        self, engine: TrainerState, size: int, compile_graph: CompileGraph | None = None
    ) -> None:
        """size: of a full batch. Raises when a step cannot be compiled or differs."""
        self._compile_graph = compile_graph or inductor
        groups = [group for o in engine.recipe.optimisers for group in o.param_groups]
        bent = (engine.training["scheduler"] or {}).get("name", "") in BENT
        self.betas = [torch.tensor(float(g["betas"][0])) for g in groups if bent and "betas" in g]
        super().__init__(engine, size, self._compiled)

    def step(self, indices: Tensor) -> Learnt:
        """Make a step."""
        self.indices.copy_(indices)
        self.tell()
        self.play()
        if self.engine.average:
            self.engine.average.n_averaged += 1
        self.engine.recipe.step_after_batch()
        return self.out

    def tell(self) -> None:
        """Put learning rates, and first betas where the schedule moves them, into their tensors."""
        super().tell()
        if self.betas:
            groups = [group for o in self.optimisers for group in o.param_groups]
            for beta, group in zip(self.betas, groups, strict=True):
                beta.fill_(group["betas"][0])

    def _compiled(self, body: Callable[[], None]) -> Callable[[], None]:
        """Note what a step does, and compile that; the result makes such steps."""
        body()  # makes what optimisers keep
        tensors = self._tensors()
        noted = operations(self._noted, tensors)
        draws = take_out_draws(noted)
        tensors += [draw.buffer for draw in draws]
        run = self._compile_graph(noted, tensors)
        moved = [weight for weight in self.weights if weight.grad is not None]
        whole = self.out

        def play() -> None:
            for draw in draws:
                draw.fill(draw.buffer, None)
            with torch.no_grad():
                made = iter(run(tensors))
            self.out = self._filled(whole, made)
            for weight, grad in zip(moved, made, strict=True):
                weight.grad = grad

        return play

    def _noted(self) -> list[Tensor]:
        """One step; gives what is kept of it, and the gradients."""
        with _written_out(self.optimisers, self.betas):
            self._recorded()
        loss, values, outputs, targets, _size = self.out
        kept = [loss, *(values if len(values) > 1 else ())]
        kept += [outputs[index] for index in self.read]
        kept += targets if self.read else ()
        return kept + [weight.grad for weight in self.weights if weight.grad is not None]

    def _filled(self, whole: Learnt, made: Iterator[Tensor]) -> Learnt:
        """What a step came to, of what the compiled one gives; the rest is that of the noted."""
        _, values, outputs, targets, size = whole
        loss = next(made)
        values = [next(made) for _ in values] if len(values) > 1 else [loss]
        given = {index: next(made) for index in self.read}
        outputs = tuple(given.get(index, old) for index, old in enumerate(outputs))
        return loss, values, outputs, tuple(next(made) for _ in targets) if given else targets, size

    def _tensors(self) -> list[Tensor]:
        """All that a step reads or changes and that lives on after it."""
        engine = self.engine
        modules = [engine.module, *([engine.average.module] if engine.average else [])]
        tensors = [t for module in modules for t in (*module.parameters(), *module.buffers())]
        kept = [state for o in self.optimisers for state in o.state.values()]
        tensors += [v for state in kept for v in state.values() if isinstance(v, Tensor)]
        tensors += [self.indices, *(rate for rates in self.rates for rate in rates)]
        tensors += [*self.betas, *engine.train.inputs, *engine.train.targets]
        return list({id(tensor): tensor for tensor in tensors}.values())

    def _refuse(self) -> None:
        """Raises where it is known that steps cannot be compiled."""
        if not self.engine.train.host_bytes:
            raise RuntimeError(BATCH_BY_BATCH)

    def _close(
        self, found: Tensor, wanted: Tensor, again: Sequence[Tensor], before: Tensor
    ) -> bool:
        """Whether all numbers together ended where calculated ones do, by how far those went.

        Of single ones rounding may turn the direction, where a gradient is nearly nothing.
        """
        far, way, *spreads = (_length(value, wanted) for value in (found, before, *again))
        spread = max(spreads)
        return far <= DRIFT * way + SPREAD * spread + 1e-6 * wanted.numel() ** 0.5

    def _again(self, before: dict[str, Any]) -> Sequence[dict[str, Tensor]]:
        """What steps come to that begin a few last bits off, each by others.

        How far these end from the others is what rounding may do: it decides where a weight goes
        whose gradient is nothing else, such as a bias before BatchNorm under Adam. Of three the
        widest counts, as one alone may happen to end near.
        """
        return [self._nudged(before, by) for by in NUDGES]

    def _nudged(self, before: dict[str, Any], by: float) -> dict[str, Tensor]:
        moved = {
            name: value * by if value.is_floating_point() else value
            for name, value in before["model"].items()
        }
        restore_snapshot(self.engine, {**before, "model": moved})
        return self._after(self.calculated, before)


def operations(body: Callable[[], list[Tensor]], tensors: list[Tensor]) -> GraphModule:
    """What a function calls, as a graph of these tensors."""
    try:
        with _written_out_lstm():
            graph = make_fx(lambda *_: body())(*tensors)
    except RuntimeError as error:
        if "_local_scalar_dense" in str(error):
            error.args = ("a number is read amid the step",)  # still raised where that was
        raise
    if (count := len(graph.graph.nodes)) > MOST:
        raise RuntimeError(f"its {count} operations would take minutes to compile")
    return graph


def _length(one: Tensor, other: Tensor) -> float:
    """The Euclidean distance between two tensors."""
    return float((one.double() - other.double()).norm())


@contextmanager
def _written_out(
    optimisers: Sequence[torch.optim.Optimizer], betas: Sequence[Tensor]
) -> Iterator[None]:
    """Have optimisers step as torch writes it in operations, which can be compiled with the rest.

    That is what they do by themselves where torch.compile follows them. betas: the first of each
    group, where it is a tensor; torch then steps weight by weight.
    """
    wanted = {"fused": False, "foreach": not betas, "capturable": True}
    groups = [group for optimiser in optimisers for group in optimiser.param_groups]
    saved = [{name: g[name] for name in (*wanted, "betas") if name in g} for g in groups]
    hooks = [o.register_step_pre_hook(lambda *_: _compiling(True)) for o in optimisers]
    hooks += [o.register_step_post_hook(lambda *_: _compiling(False)) for o in optimisers]
    try:
        for group, old in zip(groups, saved, strict=True):
            group |= {name: wanted[name] for name in old if name != "betas"}
        for group, beta in zip(groups, betas, strict=False):
            group["betas"] = (beta, group["betas"][1])
        yield
    finally:
        _compiling(False)
        for hook in hooks:
            hook.remove()
        for group, old in zip(groups, saved, strict=True):
            group |= old


@contextmanager
def _written_out_lstm() -> Iterator[None]:
    """Without oneDNN, whose LSTM is one closed operation; what is compiled calls it as ever."""
    backend: Any = torch.backends.mkldnn
    before = backend.enabled
    backend.enabled = False
    try:
        yield
    finally:
        backend.enabled = before


def _compiling(now: bool) -> None:
    """Let torch take it that it is being compiled: it then leaves numbers in tensors."""
    torch.compiler._is_compiling_flag = now  # pyright: ignore[reportPrivateUsage]
