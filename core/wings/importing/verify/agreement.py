"""Agreement of drawing and original at sizes where the original makes other calls.

A mask that hides nothing is left out for one token, and a window for less tokens than it is wide:
the calls are others, and the results the same.
"""

import functools
import math
from collections.abc import Callable, Mapping, Sequence

import torch
from torch import nn

from core.analyse import analyse, build
from core.graph import Graph
from core.wings.importing.tracing.computed_weights import detached_deepcopy
from core.wings.importing.tracing.outputs import tensor_leaves
from core.wings.importing.tracing.recorder import Run
from core.wings.importing.tracing.run_sample import FAILURES
from core.wings.importing.tracing.sample_inputs import SEED, adopt, perturb, samples
from core.wings.importing.weights import full_state, mapped_state

Shape = tuple[int, ...]
MOST_WEIGHTS, MOST_NUMBERS = 10**8, 10**6
"""Of a model and of a sample, beyond which nothing is tried: a larger one keeps its sizes."""
TOLERANCE = 1e-5
"""Of the largest number: torch adds in another order where it takes another kernel."""


def agreement(
    graph: Graph,
    module: nn.Module,
    keys: Mapping[str, str],
    dtypes: Sequence[str],
    run: Run | None,
) -> Callable[[Sequence[Shape]], bool]:
    """A function of the shapes of one sample per input: whether the drawing and the original, on
    the same perturbed weights, give the same beyond rounding. False where one of them fails."""

    @functools.cache
    def at(shapes: tuple[Shape, ...]) -> bool:
        weights = sum(p.numel() for p in module.parameters())
        if weights > MOST_WEIGHTS or sum(math.prod(s) for s in shapes) > MOST_NUMBERS:
            return False
        with torch.random.fork_rng(devices=[]), torch.no_grad():
            try:
                return _is_same(graph, module, keys, samples(shapes, dtypes, 2), run)
            except FAILURES:  # the user's own code may end in anything, and so it does not agree
                return False

    return lambda shapes: at(tuple(shapes))


def _is_same(
    graph: Graph,
    module: nn.Module,
    keys: Mapping[str, str],
    inputs: Sequence[torch.Tensor],
    run: Run | None,
) -> bool:
    source = analyse(graph).source
    if source is None:
        return False
    original, ours = detached_deepcopy(module).eval(), build(source).eval()
    perturb(original)
    adopt(ours, mapped_state(full_state(original), keys, ours))
    copies = [tensor.clone() for tensor in inputs]  # it may change them in place
    torch.manual_seed(SEED)
    expected = list(tensor_leaves(run(original, *copies) if run else original(*copies)))
    torch.manual_seed(SEED)
    got = list(tensor_leaves(ours(*inputs)))
    return len(expected) == len(got) and all(map(_is_close, expected, got))


def _is_close(a: torch.Tensor, b: torch.Tensor) -> bool:
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    a, b = a.double(), b.double()
    scale = max(1.0, float(a.abs().max())) if a.numel() else 1.0
    return torch.allclose(a, b, rtol=0.0, atol=TOLERANCE * scale)
