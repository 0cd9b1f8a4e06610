"""A whole training step as one CUDA graph: recorded once, then played for every full batch.

What differs from step to step lies in tensors that stay in their place: the indices of the batch
and the learning rates. Method: "Accelerating PyTorch with CUDA Graphs", pytorch.org/blog, 2021.
"""

import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from .chance import chance, restore_chance
from .parts import Learnt

if TYPE_CHECKING:
    from .engine import Engine

WARM = 3  # steps before recording, in which libraries choose their kernels
CHECKED = 3  # steps that are compared
CLOSE = 1e-3  # share of a weight's largest number by which played steps may differ
Recorder = Callable[[Callable[[], None]], Callable[[], None]]


def cuda_graph(body: Callable[[], None]) -> Callable[[], None]:
    """Record what a function does on the GPU; the result does it again."""
    aside = torch.cuda.Stream()
    aside.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(aside):
        for _ in range(WARM):
            body()
    torch.cuda.current_stream().wait_stream(aside)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        body()
    return graph.replay


class Captured:
    """Steps of an engine, played. Only for full batches; others are calculated as usual."""

    def __init__(self, engine: "Engine", size: int, record: Recorder = cuda_graph) -> None:
        """size: of a full batch. Raises RuntimeError when a step cannot be recorded or differs.

        The engine is left as it was: warm-up and comparison do not count as training.
        """
        self.engine, self.optimisers = engine, engine.recipe.optimisers
        columns = (*engine.train.inputs, *engine.train.targets)
        if not all(isinstance(column, Tensor) for column in columns):
            raise RuntimeError("the data are gathered batch by batch on the processor")
        device = columns[0].device
        self.indices = torch.zeros(size, dtype=torch.long, device=device)
        self.rates = [
            [torch.tensor(float(group["lr"]), device=device) for group in optimiser.param_groups]
            for optimiser in self.optimisers
        ]
        self.out: tuple[Tensor, list[Tensor], tuple[Tensor, ...], tuple[Tensor, ...]]
        if device.type == "cuda":
            self._capturable()
        before = _state(engine)
        try:
            self.indices.copy_(torch.arange(size, device=device) % len(engine.train))
            self._told()
            self.play = record(self._body)
            _put_back(engine, before)
            self._compare(before)
        finally:
            _put_back(engine, before)

    def fits(self, indices: Tensor) -> bool:
        """Whether a batch is of the size that was recorded."""
        return indices.size(0) == self.indices.size(0)

    def step(self, indices: Tensor) -> Learnt:
        """Make a step. What it came to is copied, as the next one overwrites it."""
        self.indices.copy_(indices)
        self._told()
        self.play()
        loss, values, outputs, targets = self.out
        copied = [tuple(t.detach().clone() for t in side) for side in (values, outputs, targets)]
        return loss.detach().clone(), list(copied[0]), copied[1], copied[2], indices.size(0)

    def _capturable(self) -> None:
        for optimiser in self.optimisers:
            for group in optimiser.param_groups:
                if "capturable" in group:
                    group["capturable"] = True

    def _told(self) -> None:
        """Put the learning rates of the schedule where the recorded step reads them."""
        for optimiser, rates in zip(self.optimisers, self.rates, strict=True):
            for group, rate in zip(optimiser.param_groups, rates, strict=True):
                rate.fill_(group["lr"])

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

    def _body(self) -> None:
        engine = self.engine
        inputs, targets = engine.train.gathered(self.indices)
        outputs, values, loss = engine.computing.losses(engine.varied(inputs), targets)
        for weight in engine.recipe.weights:
            weight.grad = None
        engine.computing.backward(values, loss, 1)
        if engine.recipe.clip_norm is not None:
            nn.utils.clip_grad_norm_(engine.recipe.weights, engine.recipe.clip_norm)
        with self._in_tensors():
            engine.computing.step(self.optimisers)
        self.out = loss, values, outputs, targets

    def _compare(self, before: dict[str, Any]) -> None:
        """Steps that are played must end where steps that are calculated end."""
        found: list[dict[str, Tensor]] = []
        for one in (self._body, self.play):
            for _ in range(CHECKED):
                one()
            state = self.engine.module.state_dict()
            found.append({name: value.detach().clone() for name, value in state.items()})
            _put_back(self.engine, before)
        for name, wanted in found[0].items():
            far = (found[1][name].double() - wanted.double()).abs().max()
            if bool(far > CLOSE * wanted.double().abs().max() + 1e-6):
                raise RuntimeError(f"{name} differs by {float(far):.3g} after {CHECKED} steps")


def _state(engine: "Engine") -> dict[str, Any]:
    optimisers = [
        {weight: {k: copy.copy(v) if not isinstance(v, Tensor) else v.clone()
                  for k, v in kept.items()} for weight, kept in optimiser.state.items()}
        for optimiser in engine.recipe.optimisers
    ]  # fmt: skip
    model = {name: value.detach().clone() for name, value in engine.module.state_dict().items()}
    return {"model": model, "optimisers": optimisers, "chance": chance()}


def _put_back(engine: "Engine", before: dict[str, Any]) -> None:
    """Undo steps in place, as a recorded step goes on reading the same memory.

    What an optimiser keeps of a weight that it had not stepped before begins with zeros.
    """
    with torch.no_grad():
        for name, value in engine.module.state_dict().items():
            value.copy_(before["model"][name])
        for optimiser, saved in zip(engine.recipe.optimisers, before["optimisers"], strict=True):
            for weight, kept in optimiser.state.items():
                for key, value in kept.items():
                    if isinstance(value, Tensor):
                        old = saved.get(weight, {}).get(key)
                        value.zero_() if old is None else value.copy_(old)
    restore_chance(before["chance"])
