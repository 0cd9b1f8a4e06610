"""A whole training step as one CUDA graph: recorded once, then played for every full batch.

What differs from step to step lies in tensors that stay in their place: the indices of the batch
and the learning rates. Method: "Accelerating PyTorch with CUDA Graphs", pytorch.org/blog, 2021.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from .computing import dropping_between
from .lead import Lead
from .parts import Learnt
from .recording import Recorder, cuda_graph
from .undone import held, put_back, state_of

if TYPE_CHECKING:
    from .engine import Engine

CHECKED = 3  # steps that are compared
CLOSE = 1e-3  # share of a weight's largest number by which played steps may differ
SPREAD = 4  # times what two goes of the same calculated steps differ by, which may differ too


class Captured:
    """Steps of an engine, played. Only for full batches; others are calculated as usual.

    exact: whether the steps compared were the same to the bit.
    """

    def __init__(self, engine: "Engine", size: int, record: Recorder = cuda_graph) -> None:
        """size: of a full batch. Raises when a step cannot be recorded or differs.

        The engine is left as it was: warm-up and comparison do not count as training.
        """
        self.engine, self.optimisers = engine, engine.recipe.optimisers
        self.weights, self.read = engine.recipe.weights, engine.objective.read
        if not engine.train.held:
            raise RuntimeError("the data are gathered batch by batch on the processor")
        if names := dropping_between(engine.module):
            what = f"the dropout between the layers of {names[0]}"
            raise RuntimeError(f"{what} is drawn from memory that cuDNN takes anew")
        if any(aim.kind == "sequence" for aim in engine.objective.aims):
            raise RuntimeError("CTCLoss reads the lengths of sequences on the processor")
        device = engine.train.where
        self.indices = torch.zeros(size, dtype=torch.long, device=device)
        # float32, as fused optimisers read it
        self.rates = [
            [torch.tensor(float(group["lr"]), device=device) for group in optimiser.param_groups]
            for optimiser in self.optimisers
        ]
        self.out: Learnt
        self.exact = False
        self.lead = Lead() if device.type == "cuda" else None
        before = state_of(engine)
        try:
            self._count_on(device)
            self.indices.copy_(torch.arange(size, device=device) % len(engine.train))
            self.told = list[float]()
            self._tell()
            self.play = record(self._recorded)
            self.grads = [weight.grad for weight in self.weights]
            put_back(engine, before)
            self._compare(before)
        except Exception:
            self._count_on(torch.device("cpu"))
            raise
        finally:
            put_back(engine, before)

    def fits(self, indices: Tensor) -> bool:
        """Whether a step with this batch is like the one that was recorded.

        It has its size; and weights are averaged already: the first ones are copied.
        """
        average = self.engine.average
        begun = average is None or bool(average.n_averaged)  # counted on the processor
        return begun and indices.size(0) == self.indices.size(0)

    def step(self, indices: Tensor) -> Learnt:
        """Make a step. What it came to is copied, as the next one overwrites it."""
        self.indices.copy_(indices)
        self._tell()
        for weight, grad in zip(self.weights, self.grads, strict=True):
            weight.grad = grad  # that of the recording, for whoever looks at it after the step
        self.play()
        if self.lead:
            self.lead.keep()
        if self.engine.average:
            self.engine.average.n_averaged += 1
        loss, values, outputs, targets, size = self.out
        loss = loss.clone()
        values = [v.clone() for v in values] if len(values) > 1 else [loss]
        outputs = tuple(o.clone() if i in self.read else o for i, o in enumerate(outputs))
        kept = tuple(t.clone() for t in targets) if self.read else targets
        return loss, values, outputs, kept, size

    def _count_on(self, device: torch.device) -> None:
        """Have optimisers count their steps on the GPU, also those counted so far; or as before."""
        groups = [(o, group) for o in self.optimisers for group in o.param_groups]
        for optimiser, group in groups:
            if not self.indices.is_cuda or "capturable" not in group:
                continue
            group["capturable"] = device.type == "cuda"
            for weight in () if group.get("fused") else group["params"]:
                kept = optimiser.state.get(weight, {})
                if isinstance(steps := kept.get("step"), Tensor):
                    kept["step"] = steps.to(device)

    def _tell(self) -> None:
        """Put the learning rates of the schedule where the recorded step reads them."""
        rates = [rate for each in self.rates for rate in each]
        numbers = [group["lr"] for o in self.optimisers for group in o.param_groups]
        if numbers == self.told:
            return
        for rate, number in zip(rates, numbers, strict=True):
            rate.fill_(number)
        self.told = numbers

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
        self.out = self._body()

    def _body(self) -> Learnt:
        """One step. What it gives is cut off from its graph of gradients.

        Kept alive, that graph would tie the next step's gradients to the stream of this one.
        """
        engine = self.engine
        inputs, targets = engine.train.gathered(self.indices)
        outputs, values, loss = engine.computing.losses(engine.varied(inputs), targets)
        for weight in self.weights:
            weight.grad = None  # the recording then writes, instead of adding
        engine.computing.backward(values, loss, 1)
        if engine.recipe.clip_norm is not None:
            nn.utils.clip_grad_norm_(self.weights, engine.recipe.clip_norm)
        if engine.recipe.clip_value is not None:
            nn.utils.clip_grad_value_(self.weights, engine.recipe.clip_value)
        with self._in_tensors():
            engine.computing.step(self.optimisers)
        if engine.average:
            engine.average.follow(engine.module)
        cut = [value.detach() for value in values], tuple(o.detach() for o in outputs)
        return loss.detach(), *cut, targets, self.indices.size(0)

    def _compare(self, before: dict[str, Any]) -> None:
        """Steps that are played must end where steps that are calculated end.

        Calculated twice, as a GPU may add in another order each time.
        """
        wanted, again = (self._after(self._body, before) for _ in range(2))
        found = self._after(self.play, before)
        self.exact = all(torch.equal(value, wanted[name]) for name, value in found.items())
        for name, value in wanted.items():
            far, spread = _apart(found[name], value), _apart(again[name], value)
            size = value.double().abs().max() if value.numel() else 0.0
            if not bool(far <= CLOSE * size + SPREAD * spread + 1e-6):
                raise RuntimeError(f"{name} differs by {float(far):.3g} after {CHECKED} steps")

    def _after(self, step: Callable[[], Any], before: dict[str, Any]) -> dict[str, Tensor]:
        """What the network holds after some steps, which are undone."""
        for _ in range(CHECKED):
            step()
        found = {name: value.detach().clone() for name, value in held(self.engine).items()}
        put_back(self.engine, before)
        return found


def _apart(one: Tensor, other: Tensor) -> Tensor:
    """The largest difference; 0 where there is nothing to differ."""
    far = (one.double() - other.double()).abs()
    return far.max() if far.numel() else far.sum()
