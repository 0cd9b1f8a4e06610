"""Origin of a value that is not finite: the steps before it are replayed and checked by block.

A run on the processor goes the same way again to the bit, so what is found is what happened. On a
GPU it may differ in the last bits; then perhaps nothing is found, which is said.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from torch import Tensor

from blocks import declaration
from core.analyse.activations import ActivationRecorder, local_ids, recording_activations
from core.engine.nonfinite import first_nonfinite_step
from core.engine.trainer import Trainer
from core.graph import Graph
from core.runs.remedies import advice
from core.source.paths import node_paths

LIMIT_S = 20.0
USUAL = 1e4  # the size of numbers that no exploding network is known by
LOSS = "Check the targets and the values that the loss needs: no step had been made yet."
LOOKED_AT = 2  # the bad step and the one before, whose update may be what spoilt it


@dataclass(frozen=True)
class Origin:
    """node: the path of the block where it began, "" for none; step: from 1. rate: whether a
    smaller learning rate may help. hint: what else does, "" where it may."""

    node: str
    step: int
    message: str
    rate: bool = True
    hint: str = ""


class Watch(ActivationRecorder):
    """Checks the output of every node, and the gradients that come back to it."""

    def __init__(self, lines: Mapping[str, tuple[int, ...]]) -> None:
        super().__init__(local_ids(lines), frozenset())
        self.forward: tuple[str, Tensor] | None = None
        self.backward: tuple[str, Tensor] | None = None
        self.ranges: dict[str, tuple[float, float]] = {}
        self.weights: dict[str, float] = {}  # the largest size in each, before the step

    def out(self, value: Any) -> Any:
        """Look at a node's value before the next one can work on it in place."""
        path = ".".join(self.stack)
        for tensor in _tensors(value):
            if not tensor.is_floating_point():
                continue
            self.ranges[path] = range_of(tensor)
            if self.forward is None and not tensor.isfinite().all():
                self.forward = (path, tensor.detach().clone())
            if tensor.requires_grad and self.forward is None:
                tensor.register_hook(lambda grad: self.note(path, grad))
        return super().out(value)

    def note(self, path: str, grad: Tensor) -> None:
        """Keep the first gradient on the way back that is not finite."""
        if self.backward is None and not grad.isfinite().all():
            self.backward = (path, grad.detach().clone())


class Replay(Trainer):
    """An engine that checks its steps from `since` on until it has `found` an anomaly."""

    since = 0
    lines: Mapping[str, tuple[int, ...]] = {}
    source = ""
    graph: Graph | None = None
    found: Origin | None = None

    def make_step(self, group: Sequence[Tensor]) -> None:
        """Make a step, watching every block from step `since` on."""
        if self.step + 1 < self.since or self.found:
            super().make_step(group)
            return
        look, number = Watch(self.lines), self.step + 1
        hooks = [w.register_hook(self._noting(look, n)) for n, w in self._named()]
        hooks.append(self.module.register_forward_pre_hook(self._receiving(look)))
        before = first_nonfinite_step(self.module.state_dict())
        look.weights = {name: largest_value(weight) for name, weight in self._named()}
        try:
            with recording_activations(self.module, self.source, self.lines, look=look):
                super().make_step(group)
        finally:  # also where the step is refused, as numbers in it are not finite
            for hook in hooks:
                hook.remove()
            self.found = self._judged(look, before, number)

    def _receiving(self, look: Watch) -> Any:
        """Note what each Input hands on: it has no statement of its own to watch."""
        nodes = self.graph.nodes.items() if self.graph else ()
        names = [name for name, node in nodes if node.block == "Input"]

        def note(_module: Any, given: Sequence[Any]) -> None:
            for name, value in zip(names, given, strict=False):
                if isinstance(value, Tensor) and value.is_floating_point():
                    look.ranges[name] = range_of(value)

        return note

    def _named(self) -> list[tuple[str, Tensor]]:
        return [(n, w) for n, w in self.module.named_parameters() if w.requires_grad]

    def _noting(self, look: Watch, name: str) -> Any:
        def note(grad: Tensor) -> None:
            look.note(f"weight {name}", grad)

        return note

    def _judged(self, look: Watch, before: str, step: int) -> Origin | None:
        """What of a step was not finite first."""
        if before:
            return self._weight(before, step - 1)
        if look.forward:
            node, value = look.forward
            text = (
                f"In step {step} the output of {node} has {_count(value)}{self._fed(node, look)}."
            )
            return self._origin(node, step, text, look)
        if look.backward:
            return self._gradient(*look.backward, step, look)
        loss = self.accumulator.newest_loss
        if loss is not None and not loss.isfinite():
            text = f"In step {step} the outputs of all blocks are finite, but the loss is not."
            return Origin("", step, text, step > 1, "" if step > 1 else LOSS)
        after = first_nonfinite_step(self.module.state_dict())
        return self._weight(after, step) if after else None

    def _origin(self, node: str, step: int, text: str, look: Watch) -> Origin:
        """Where a block made it: before any step, or out of numbers of a usual size, no learning
        rate did."""
        block = self._block(node)
        usual = bool(declaration(block).domain) and all(
            max(map(abs, r)) < USUAL for r in self._received(node, look)
        )
        rate = step > 1 and not usual
        return Origin(node, step, text, rate, "" if rate else advice(node, block))

    def _gradient(self, path: str, grad: Tensor, step: int, look: Watch) -> Origin:
        """A gradient that is not finite as it reaches a block was made by the one that reads it."""
        name = path.removeprefix("weight ")
        node = self._node_of(name) if path.startswith("weight ") else path
        what = f"the gradient of {name}" if name != path else f"the gradient that reached {path}"
        readers = {e.target for e in self.graph.edges if e.source == path} if self.graph else set()
        reader = readers.pop() if name == path and len(readers) == 1 else ""
        if reader and declaration(self._block(reader)).domain:
            node, what = reader, f"the gradient from {reader} to {path}"
        text = (
            f"In step {step} the outputs of all blocks are finite, but in the backward pass {what} "
        )
        text += f"had {_count(grad)}{self._fed(node, look)}."
        return self._origin(node, step, text, look)

    def _block(self, node: str) -> str:
        found = self.graph.nodes.get(node) if self.graph else None
        return found.block if found else ""

    def _received(self, node: str, look: Watch) -> list[tuple[float, float]]:
        edges = self.graph.edges if self.graph else ()
        return [
            look.ranges[e.source] for e in edges if e.target == node and e.source in look.ranges
        ]

    def _weight(self, name: str, step: int) -> Origin:
        text = (
            f"In step {step} {name} became infinite or NaN although its gradient was"
            " finite: with a "
        )
        text += f"learning rate of {self.recipe.lr:g} the step was too large."
        return Origin(self._node_of(name), step, text)

    def _node_of(self, weight: str) -> str:
        owner = weight.rpartition(".")[0]
        return node_paths(self.module, self.lines).get(owner, owner)

    def _fed(self, node: str, look: Watch) -> str:
        """How large the numbers were that a node received, and its weights."""
        fed = self._received(node, look)
        weights = [size for n, size in look.weights.items() if self._node_of(n) == node]
        low, high = min((r[0] for r in fed), default=0.0), max((r[1] for r in fed), default=0.0)
        sentences = [f"its inputs range from {low:.3g} to {high:.3g}"] if fed else []
        sentences += [f"its largest weight is {max(weights):.3g}"] if weights else []
        return f"; {' and '.join(sentences)}" if sentences else ""


def find_origin(engine: Replay, bad_step: int) -> Origin | None:
    """Train up to a bad step and report where it begins; None if the time runs out first.

    The engine stands where the run can go on from: at its last checkpoint or at its start.
    """
    engine.since = max(engine.step + 1, bad_step - LOOKED_AT + 1)
    until = time.monotonic() + LIMIT_S
    for _ in engine.fit(tick_s=0.0):
        if engine.found or engine.step >= bad_step or time.monotonic() > until:
            break
    return engine.found


def range_of(value: Tensor) -> tuple[float, float]:
    """The least and the largest finite number in it."""
    finite = value.detach()[value.detach().isfinite()]
    return (float(finite.min()), float(finite.max())) if finite.numel() else (0.0, 0.0)


def largest_value(value: Tensor) -> float:
    """The largest finite size of a number in it."""
    magnitudes = value.detach().abs().nan_to_num(0.0, 0.0, 0.0)
    return float(magnitudes.max()) if magnitudes.numel() else 0.0


def _count(value: Tensor) -> str:
    """How many numbers are not finite, and of what kind."""
    nans, infinite = int(value.isnan().sum()), int(value.isinf().sum())
    kinds = [f"{nans} NaN"] * bool(nans) + [f"{infinite} infinite"] * bool(infinite)
    return f"{' and '.join(kinds)} of {value.numel()} values"


def _tensors(value: Any) -> list[Tensor]:
    if isinstance(value, Tensor):
        return [value]
    if isinstance(value, tuple | list):
        return [tensor for part in value for tensor in _tensors(part)]
    return []
