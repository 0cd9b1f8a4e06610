"""The score to explain: one score of a network for one sample, as a function of that sample.

Tokens are whole numbers, which have no gradient: there the output of the Embedding that reads
them is explained instead, and stands in for it in every pass.
"""

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn

from core.analyse.report import Report
from core.common.errors import LayerloomError
from core.common.json_types import is_array
from core.insight.attribution.sample_kinds import TOKENS
from core.insight.eval_context import quiet
from core.tasks.measure import Measure
from core.tasks.tensor_values import norm, split

ROOM_VALUES = 1 << 20
MOST_AT_ONCE = 64
Score = Callable[[Any], Tensor]


class NotExplained(LayerloomError):
    """A method cannot explain this; `hint`: what to do about it."""


class NoSuch(NotExplained):
    """A requested block, class, position or sample does not exist."""


@contextmanager
def differentiable(module: nn.Module) -> Generator[nn.Module]:
    """Evaluation mode with gradients; flags and random state come back, no `.grad` is written.

    Whoever computes here uses `torch.autograd.grad`, never `.backward()`.
    """
    with quiet(module), torch.enable_grad():
        yield module


def gradients_by(output: Tensor, inputs: Sequence[Tensor]) -> tuple[Tensor | None, ...]:
    """The gradient of an output by each input, None for one that it does not depend on."""
    return torch.autograd.grad(output, inputs, allow_unused=True)


@dataclass(frozen=True)
class Attributions:
    """The result of a method. values: of the explained point, without the batch, or one map.

    facts: further numbers, by what they are called.
    """

    values: Tensor
    facts: Mapping[str, float] = field(default_factory=lambda: {})


@dataclass(frozen=True)
class ScoredSample:
    """One score of a network in evaluation mode for one sample.

    inputs: (1, ...) for each Input. input_index: the Input that is explained. kind: of its
    sample, as `methods` have it. score: what the module returns to (N,).
    """

    module: nn.Module
    report: Report
    inputs: tuple[Tensor, ...]
    score: Score
    input_index: int = 0
    kind: str = "picture"

    @property
    def point(self) -> Tensor:
        """What is explained, (1, ...) of floats: the input, or of tokens what they are embedded
        as. Raises NotExplained for tokens that no Embedding reads."""
        given = self.inputs[self.input_index].detach()
        return given.clone() if self.kind != TOKENS else embedded(self)

    def run(self, points: Tensor) -> Tensor:
        """The scores (N,) of variants (N, ...) of the point."""
        inputs = [x.expand(len(points), *x.shape[1:]) for x in self.inputs]
        if self.kind != TOKENS:
            inputs[self.input_index] = points.clone()  # a first block may work in place
            return self.score(self.module(*inputs))
        with embedding_gives(self, points):
            return self.score(self.module(*inputs))

    def at_once(self) -> int:
        """How many variants are run together, so that they fit in memory."""
        return max(1, min(MOST_AT_ONCE, ROOM_VALUES // max(self.point.numel(), 1)))

    def scores(self, points: Tensor) -> Tensor:
        """The scores (N,) of many variants, without gradients."""
        with quiet(self.module):
            return torch.cat([self.run(part) for part in split(points, self.at_once())])

    def gradients(self, points: Tensor) -> Tensor:
        """The gradient of each variant's score by that variant, (N, ...)."""
        parts: list[Tensor] = []
        with differentiable(self.module):
            for part in split(points, self.at_once()):
                leaf = part.detach().clone().requires_grad_()
                (gradient,) = gradients_by(self._total(leaf), [leaf])
                parts.append(torch.zeros_like(leaf) if gradient is None else gradient)
        return torch.cat(parts)

    def _total(self, leaf: Tensor) -> Tensor:
        total = self.run(leaf).sum()
        if not total.requires_grad:
            raise NotExplained(
                "The score has no gradient with respect to this input: "
                "a block in between stops it.",
                "Occlusion needs no gradient.",
            )
        return total


def embedded(subject: ScoredSample) -> Tensor:
    """What the tokens of a subject are embedded as, (1, L, D)."""
    seen: list[Tensor] = []

    def keep(output: Tensor) -> None:
        seen.append(output.detach().clone())

    with quiet(subject.module), _at_lookup(subject, keep):
        subject.module(*subject.inputs)
    if not seen:
        raise NotExplained(
            "Tokens have no gradient, and no Embedding reads this Input directly.",
            "Look at the values of a later block instead.",
        )
    return seen[0]


@contextmanager
def embedding_gives(subject: ScoredSample, points: Tensor) -> Generator[None]:
    """Replace the output of the Embedding that reads the tokens by these values, (N, L, D)."""
    with _at_lookup(subject, lambda _: points.clone()):
        yield


@contextmanager
def _at_lookup(subject: ScoredSample, act: Callable[[Tensor], Tensor | None]) -> Generator[None]:
    """Call `act` with what the first lookup of the tokens gives; its answer replaces that."""
    tokens, done = subject.inputs[subject.input_index], list[bool]()

    def hook(_module: nn.Module, given: tuple[Any, ...], output: Tensor) -> Tensor | None:
        ids = given[0] if given else None
        if done or not isinstance(ids, Tensor) or ids.shape[1:] != tokens.shape[1:]:
            return None
        if not torch.equal(ids[:1], tokens.to(ids.dtype)):
            return None
        done.append(True)
        return act(output)

    lookups = [m for m in subject.module.modules() if isinstance(m, nn.Embedding)]
    handles = [m.register_forward_hook(hook) for m in lookups]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def score_of(measure: Measure, output: int, number: int, position: int = -1) -> Score:
    """The score to explain, of what a module returns.

    measure: of a kind of target whose readout has a score. output: which of the network's. number:
    class, label, token or number. position: of a token or a step of a series.
    """

    def score(returned: Any) -> Tensor:
        values = returned[output] if is_array(returned) else returned
        return measure.select(values, number, position)

    return score


def per_place(subject: ScoredSample, values: Tensor, signed: bool) -> Tensor:
    """Values of a point (1, ...) without the batch; of tokens one number for each token.

    Embedded values are added up where they have a sign, else their length (L2) is taken.
    """
    if subject.kind != TOKENS:
        return values[0]
    return values[0].sum(-1) if signed else norm(values[0], dim=-1)


def windows(
    sizes: Sequence[int], window: Sequence[int], stride: Sequence[int]
) -> Iterator[tuple[slice, ...]]:
    """Windows that slide over places of these sizes; the last one of each row ends with it."""
    starts = [
        range(0, (-(-max(size - w, 0) // s) + 1) * s, s)
        for size, w, s in zip(sizes, window, stride, strict=True)
    ]
    corners: list[tuple[int, ...]] = [()]
    for each in starts:
        corners = [(*corner, start) for corner in corners for start in each]
    for corner in corners:
        yield tuple(
            slice(start, min(start + w, size))
            for start, w, size in zip(corner, window, sizes, strict=True)
        )
