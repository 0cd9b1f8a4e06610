"""Steps whose operations are noted: the text of a step runs once, as it stands, under make_fx.

So there is no second text, and a step that cannot be noted, as it reads a number on the way, says
so where it does. What is made of the notes is checked against calculated steps.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor
from torch.fx import GraphModule
from torch.fx.experimental.proxy_tensor import make_fx

from core.engine.cuda_graph import SPREAD
from core.engine.loader import BATCH_BY_BATCH
from core.engine.played_step import PlayedStep
from core.engine.snapshot import restore_snapshot
from core.engine.step_output import StepOutput
from core.engine.trainer_state import TrainerState
from core.settings.lr_schedulers import has_trait

MOST = 5000  # operations of a step: a recurrent block has some for each place
DRIFT = 0.02  # share of the way that weights went, by which they may end elsewhere
NUDGE = 1 + 2.0**-20  # moves numbers by a few of their last bits
NUDGES = NUDGE, 1 - 2.0**-20, 1 - 2.0**-21  # none moves them further than that one


class TracedStep(PlayedStep):
    """Steps of a trainer, made of the operations that one step was traced to."""

    def __init__(self, engine: TrainerState, size: int, compare: bool = True) -> None:
        """size: of a full batch. Raises when a step cannot be traced or differs."""
        groups = [group for o in engine.recipe.optimisers for group in o.param_groups]
        bent = has_trait(engine.training, "moves_momentum")
        self.betas = [torch.tensor(float(g["betas"][0])) for g in groups if bent and "betas" in g]
        super().__init__(engine, size, compare)

    def refuse(self) -> None:
        """Raises RuntimeError where it is known that steps cannot be traced."""
        if not self.engine.train.host_bytes:
            raise RuntimeError(BATCH_BY_BATCH)

    def play_batch(self) -> None:
        """Play the step."""
        self.play()

    def output(self) -> StepOutput:
        """The output of the step just played."""
        return self.out

    def write_rates(self) -> None:
        """Write learning rates, and first betas where the schedule moves them, into tensors."""
        super().write_rates()
        if self.betas:
            groups = [group for o in self.optimisers for group in o.param_groups]
            for beta, group in zip(self.betas, groups, strict=True):
                beta.fill_(group["betas"][0])

    def traced(self) -> list[Tensor]:
        """Make one step; return what is kept of its output, then the gradients."""
        with _written_out(self.optimisers, self.betas):
            self.calculate()
        out = self.out
        kept = [out.loss, *(out.losses if len(out.losses) > 1 else ())]
        kept += [out.outputs[index] for index in self.read]
        kept += out.targets if self.read else ()
        return kept + [weight.grad for weight in self.weights if weight.grad is not None]

    def output_from(self, made: Iterator[Tensor], traced: StepOutput) -> StepOutput:
        """The output of a step, of the tensors that `traced` returns; the rest as it was traced."""
        loss = next(made)
        losses = [next(made) for _ in traced.losses] if len(traced.losses) > 1 else [loss]
        read = {index: next(made) for index in self.read}
        outputs = tuple(read.get(index, old) for index, old in enumerate(traced.outputs))
        targets = tuple(next(made) for _ in traced.targets) if read else traced.targets
        return StepOutput(loss, losses, outputs, targets, traced.size)

    def lasting_tensors(self) -> list[Tensor]:
        """All that a step reads or changes and that lives on after it."""
        engine = self.engine
        modules = [engine.module, *([engine.average.module] if engine.average else [])]
        tensors = [t for module in modules for t in (*module.parameters(), *module.buffers())]
        kept = [state for o in self.optimisers for state in o.state.values()]
        tensors += [v for state in kept for v in state.values() if isinstance(v, Tensor)]
        tensors += [self.indices, *(rate for rates in self.rates for rate in rates)]
        tensors += [*self.betas, *engine.train.inputs, *engine.train.targets]
        return list({id(tensor): tensor for tensor in tensors}.values())

    def close(
        self, result: Tensor, expected: Tensor, again: Sequence[Tensor], before: Tensor
    ) -> bool:
        """Whether all numbers together ended where calculated ones do, by how far those went.

        Of single ones rounding may turn the direction, where a gradient is nearly nothing.
        """
        far, way, *spreads = (_length(value, expected) for value in (result, before, *again))
        spread = max(spreads)
        return far <= DRIFT * way + SPREAD * spread + 1e-6 * expected.numel() ** 0.5

    def calculated_again(self, before: dict[str, Any]) -> Sequence[dict[str, Tensor]]:
        """Results of steps that begin a few last bits off, each by others.

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
        return self.state_after(self.calculated, before)


def operations(body: Callable[[], list[Tensor]], tensors: list[Tensor]) -> GraphModule:
    """What a function calls, as a graph of these tensors."""
    try:
        with _written_out_lstm():
            graph = make_fx(lambda *_: body())(*tensors)
    except RuntimeError as error:
        if "_local_scalar_dense" in str(error):
            error.args = ("the step reads a value back to Python",)  # still raised where that was
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
    options = {"fused": False, "foreach": not betas, "capturable": True}
    groups = [group for optimiser in optimisers for group in optimiser.param_groups]
    saved = [{name: g[name] for name in (*options, "betas") if name in g} for g in groups]
    hooks = [o.register_step_pre_hook(lambda *_: _compiling(True)) for o in optimisers]
    hooks += [o.register_step_post_hook(lambda *_: _compiling(False)) for o in optimisers]
    try:
        for group, old in zip(groups, saved, strict=True):
            group |= {name: options[name] for name in old if name != "betas"}
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
