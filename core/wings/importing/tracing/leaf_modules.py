"""Leaf modules, as in torch.fx: modules that are one step of a trace instead of a scope.

These are torch.nn layers with a block, custom classes taken as blocks of own Python, and modules
that compute the same as StochasticDepth, which is recognised by running both in training mode.
"""

import copy
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch
from torch import nn

from blocks import CATALOGUE, Block
from core.wings.importing.tracing.computed_weights import computed_names, drawn_way

LAYERS = {block.init for block in CATALOGUE.values() if block.init == f"nn.{block.name}"} - {
    "nn.TransformerEncoder",
    "nn.TransformerDecoder",
    "nn.Transformer",  # drawn with their layers
}
TORCHVISION_LAYERS = {("torchvision.ops.stochastic_depth", "StochasticDepth")}
"""Layers outside torch.nn that are blocks of the same name and settings."""
CUSTOM_LEAVES: dict[type, Block] = {}
"""Classes of the user's that are leaf modules at present, with their block of own Python."""
SAMPLES = 64
"""Samples of a trial: that one with another rule drops the same of them is out of the question."""


@contextmanager
def custom_leaves(blocks: Mapping[type, Block]) -> Iterator[None]:
    """Treat these classes as leaf modules inside the context."""
    CUSTOM_LEAVES.update(blocks)
    try:
        yield
    finally:
        for kind in blocks:
            del CUSTOM_LEAVES[kind]


def leaf_block(module: nn.Module) -> str:
    """The constructor of a module's block (nn.Linear), "" if it has none."""
    if (type(module).__module__, type(module).__name__) in TORCHVISION_LAYERS:
        return f"nn.{type(module).__name__}"
    if computed_names(module) and not drawn_way(module):
        return ""
    for kind in type(module).__mro__:
        name = f"nn.{kind.__name__}"
        if kind.__module__.startswith("torch.nn") and name in LAYERS:
            return name if type(module).forward is kind.forward else ""
    return ""


def leaf_of(module: nn.Module) -> nn.Module | None:
    """The layer that a module is or is equivalent to; None if it must be traced into."""
    own = type(module) in CUSTOM_LEAVES
    return module if own or leaf_block(module) else as_stochastic_depth(module)


def as_stochastic_depth(module: nn.Module) -> nn.Module | None:
    """The StochasticDepth that gives the same bits with the same random numbers, if there is
    one."""
    if any(True for _ in (*module.children(), *module.parameters(), *module.buffers())):
        return None
    return next((twin for twin in _stochastic_depths(module) if _is_same(module, twin)), None)


def _stochastic_depths(module: nn.Module) -> Iterator[nn.Module]:
    """One for every probability among a module's attributes."""
    probabilities = [v for v in vars(module).values() if isinstance(v, float) and 0 < v < 1]
    if probabilities:
        from torchvision.ops import StochasticDepth  # takes seconds, and few models need it

        yield from (StochasticDepth(p, "row") for p in probabilities)


def _is_same(module: nn.Module, twin: nn.Module) -> bool:
    trial = copy.deepcopy(module)
    return all(
        _is_equal_tensor(_output_of(trial.train(mode), rank), _output_of(twin.train(mode), rank))
        for mode in (True, False)
        for rank in (2, 4)
    )


def _is_equal_tensor(output: Any, expected: Any) -> bool:
    return isinstance(output, torch.Tensor) and torch.equal(output, expected)


def _output_of(module: nn.Module, rank: int) -> Any:
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(0)
        x = torch.rand(SAMPLES, *(2,) * (rank - 1))
        try:
            return module(x)
        except Exception:  # the user's own code may end in anything on a trial it was not made for
            return None
