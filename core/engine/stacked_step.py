"""One step of several engines at once: their tensors stacked, the step mapped over them, compiled.

Torch calls it model ensembling (docs.pytorch.org/tutorials/intermediate/ensembling.html). Each
engine stays an ordinary one, whose weights and optimiser states are slices of what is stacked: it
validates, is saved and goes on alone like any other. Engines may stand at different steps; a slot
whose engine makes no step keeps all it has.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.func import vmap
from torch.fx import GraphModule
from torch.fx.experimental.proxy_tensor import make_fx

from core.engine.compiled_step import CompileGraph, inductor
from core.engine.member import Member
from core.engine.noted_step import Different, NotedStep, Place, differing, masked
from core.engine.snapshot import restore_snapshot, snapshot
from core.engine.step_output import StepOutput

APART_BYTES = 1 << 28  # of data that differ from engine to engine, and so are stacked
TIMED = 7  # steps
ROUNDING = 0.01
"""How far weights of a joint step may end from those of a run alone: a share of the way they went.

That is of a short run and over all weights; most end within a millionth. The operations are the
same, in float32; but sums of stacked tensors are added in another order, as with another number of
threads, and where a gradient is nearly nothing that decides in which direction Adam moves a weight.
It grows with the length of a run, as any rounding does. What would grow faster is refused
(`NotedStep.refuse`), and runs that share no step are to the bit what each is alone.
"""
Dims = tuple[int | None, ...]
OUTSIDE = ("lr", "seed", "epochs", "patience", "min_delta", "max_minutes", "scheduler", "warmup")
"""Settings that change nothing in a step beside its learning rate."""


class Stack:
    """The memory of several engines. many: slots; those without an engine stay idle."""

    def __init__(self, engines: Sequence[Member], slots: Sequence[int], many: int) -> None:
        self.engines, self.slots, self.many = tuple(engines), tuple(slots), many
        self._stacked: dict[int, Tensor] = {}
        for engine in self.engines[1:]:
            engine.share_data(self.engines[0])

    def stacked(self, own: Sequence[Tensor]) -> Tensor:
        """The same tensor of each engine, (slots, ...); they become slices of it, once."""
        if (known := self._stacked.get(id(own[0]))) is not None:
            return known
        by_slot = dict(zip(self.slots, own, strict=True))
        whole = torch.stack([by_slot.get(slot, own[0]).detach() for slot in range(self.many)])
        for slot, tensor in by_slot.items():
            tensor.data = whole[slot]
        self._stacked[id(own[0])] = whole
        return whole

    def by_slot(self, values: Sequence[float]) -> Tensor:
        """A number of each engine; idle slots have that of the first."""
        known = dict(zip(self.slots, values, strict=True))
        return torch.tensor([known.get(slot, values[0]) for slot in range(self.many)])


class StackedStep:
    """Steps of several engines with batches of one size."""

    def __init__(self, stack: Stack, size: int, compile_graph: CompileGraph | None = None) -> None:
        """size: of a batch. Raises what keeps their steps from being one, or where it differs."""
        self.stack = stack
        self.steps = _noted(stack.engines, size)
        places = differing([step.graph for step in self.steps])
        self.inputs, self.dims = self._inputs(places)
        self.active = self.inputs[0]
        mapped = self._mapped(list(places))
        self._run = (compile_graph or inductor)(mapped, self.inputs)
        self.made: list[tuple[Tensor, ...]] = []
        for at in sorted({0, len(self.steps) - 1}):
            self._check(at)

    def _inputs(self, places: Mapping[Place, list[float]]) -> tuple[list[Tensor], Dims]:
        """What the step takes: stacked, (slots, ...), or the same tensor for all; and which is."""
        stack = self.stack
        active = torch.zeros(stack.many, dtype=torch.bool)
        numbers = [stack.by_slot(own) for own in places.values()]
        columns = list(zip(*(step.tensors for step in self.steps), strict=True))
        data = {id(t) for e in stack.engines for t in (*e.train.inputs, *e.train.targets)}
        shared = [id(c[0]) in data and all(t is c[0] for t in c) for c in columns]
        of_data = [
            c for c, one in zip(columns, shared, strict=True) if id(c[0]) in data and not one
        ]
        if sum(tensor.nbytes for column in of_data for tensor in column) > APART_BYTES:
            raise Different("each run has its own data, which is too large to hold several times")
        pairs = list(zip(columns, shared, strict=True))
        tensors = [c[0] if one else stack.stacked(c) for c, one in pairs]
        for engine in stack.engines:
            engine.forget_places()
        dims = (0,) * (1 + len(numbers)) + tuple(None if one else 0 for one in shared)
        return [active, *numbers, *tensors], dims

    def _mapped(self, places: Sequence[Place]) -> GraphModule:
        """The step of all of them as one graph of operations."""
        alone = [t if dim is None else t[0] for t, dim in zip(self.inputs, self.dims, strict=True)]
        one = masked(self.steps[0].graph, places, alone)
        copies = [tensor.detach().clone() for tensor in self.inputs]
        mapped: Callable[..., Any] = vmap(one, in_dims=self.dims)
        with torch.no_grad():
            return make_fx(mapped)(*copies)

    def accepts(self, at: int, batches: Sequence[Tensor]) -> bool:
        """Whether it makes the step of an engine with these batches."""
        return len(batches) == 1 and self.steps[at].accepts(batches[0])

    def step(self, wanted: Mapping[int, Tensor]) -> None:
        """Make a step of the engines that have a batch; `ended` has the output of each."""
        for at, indices in wanted.items():
            step = self.steps[at]
            step.indices.copy_(indices)
            step.write_rates()
            step.draw(self.stack.engines[at].generator)
        self.play(wanted)

    def play(self, those: Iterable[int]) -> None:
        """Make steps of these engines; what they came to lies in `made`, slot by slot."""
        flags = torch.zeros_like(self.active)
        flags[[self.stack.slots[at] for at in those]] = True
        self.active.copy_(flags)
        with torch.no_grad():
            self.made = [part.unbind(0) for part in self._run(self.inputs)]

    def ended(self, at: int) -> StepOutput:
        """Count a step that was made, and return its output."""
        engine, slot = self.stack.engines[at], self.stack.slots[at]
        if engine.average:
            engine.average.n_averaged += 1
        engine.recipe.step_after_batch()
        return self.steps[at].output_of([part[slot] for part in self.made])

    def put_gradients(self, at: int) -> None:
        """Let the weights of an engine have the gradients of its last step."""
        moved, slot = self.steps[at].moved, self.stack.slots[at]
        grads = self.made[len(self.made) - len(moved) :]
        for weight, grad in zip(moved, grads, strict=True):
            weight.grad = grad[slot]

    def _check(self, at: int) -> None:
        """Compare steps of an engine with steps that are calculated; these are undone."""
        engine, step = self.stack.engines[at], self.steps[at]
        before = snapshot(engine)

        def play() -> None:
            step.draw(None)
            self.play([at])

        try:
            step.write_rates()
            step.check(play, before)
        finally:
            restore_snapshot(engine, before)

    def timed(self) -> tuple[float, float]:
        """Seconds of a calculated step of one engine, and of a step of all; undone."""
        step, times = self.steps[0], list[tuple[float, float]]()
        before = [snapshot(engine) for engine in self.stack.engines]
        every = range(len(self.steps))
        for _ in range(TIMED):
            times.append((step.seconds(step.calculated), step.seconds(lambda: self.play(every))))
        for engine, state in zip(self.stack.engines, before, strict=True):
            restore_snapshot(engine, state)
        calculated, together = zip(*times, strict=True)
        return min(calculated), min(together)


def _noted(engines: Sequence[Member], size: int) -> list[NotedStep]:
    """The step of each, noted where none before has the same settings."""
    noted, steps = dict[str, NotedStep](), list[NotedStep]()
    for engine in engines:
        rest = {name: v for name, v in engine.training.items() if name not in OUTSIDE}
        bent = (engine.training["scheduler"] or {}).get("name")
        key = repr((rest, bent, engine.module))
        steps.append(NotedStep(engine, size, noted.get(key)))
        noted.setdefault(key, steps[-1])
    return steps
