"""Modules that are one step of a run: layers of torch.nn, and what computes the bits of one.

A module of the user's own that drops whole samples hands on what it is given in eval mode, where a
recorded run does not see it: it is known by what it computes in training.
"""

import copy
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch
from torch import nn

from blocks import CATALOGUE, Block
from core.importing.tracing.computed_weights import computed_names

LAYERS = {block.init for block in CATALOGUE.values() if block.init == f"nn.{block.name}"} - {
    "nn.TransformerEncoder", "nn.TransformerDecoder", "nn.Transformer"  # drawn with their layers
}  # fmt: skip
FURTHER = {("torchvision.ops.stochastic_depth", "StochasticDepth")}
"""Layers outside torch.nn that are blocks of the same name and settings."""
CUSTOM_LEAVES: dict[type, Block] = {}
"""Classes of the user's that are leaf modules at present, with their block of own Python."""
TRIES = 64
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
    """The constructor of the block that this module is, "" if it is none."""
    if (type(module).__module__, type(module).__name__) in FURTHER:
        return f"nn.{type(module).__name__}"
    if computed_names(module):
        return ""
    for kind in type(module).__mro__:
        name = f"nn.{kind.__name__}"
        if kind.__module__.startswith("torch.nn") and name in LAYERS:
            return name if type(module).forward is kind.forward else ""
    return ""


def leaf_of(module: nn.Module) -> nn.Module | None:
    """The layer that a module is, or computes the same as; None for one with steps of its own."""
    own = type(module) in CUSTOM_LEAVES
    return module if own or leaf_block(module) else as_depth(module)


def as_depth(module: nn.Module) -> nn.Module | None:
    """The StochasticDepth that computes the same bits with the same random numbers, if one does."""
    if any(True for _ in (*module.children(), *module.parameters(), *module.buffers())):
        return None
    return next((twin for twin in _twins(module) if _is_same(module, twin)), None)


def _twins(module: nn.Module) -> Iterator[nn.Module]:
    """One for every probability that a module keeps."""
    chances = [v for v in vars(module).values() if isinstance(v, float) and 0 < v < 1]
    if chances:
        from torchvision.ops import StochasticDepth  # takes seconds, and few models need it

        yield from (StochasticDepth(chance, "row") for chance in chances)


def _is_same(module: nn.Module, twin: nn.Module) -> bool:
    trial = copy.deepcopy(module)
    return all(
        _alike(_tried(trial.train(mode), rank), _tried(twin.train(mode), rank))
        for mode in (True, False)
        for rank in (2, 4)
    )


def _alike(found: Any, wanted: Any) -> bool:
    return isinstance(found, torch.Tensor) and torch.equal(found, wanted)


def _tried(module: nn.Module, rank: int) -> Any:
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(0)
        given = torch.rand(TRIES, *(2,) * (rank - 1))
        try:
            return module(given)
        except Exception:  # the user's own code may end in anything on a trial it was not made for
            return None
