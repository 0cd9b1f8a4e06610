"""Wires with floats of two kinds: a block refuses them where torch does, and only there."""

from dataclasses import replace
from typing import Any

import pytest
import torch

from blocks import CATALOGUE, Block, Signature
from blocks.checks import block_problems
from blocks.versions import has
from core.analyse.layer import dtype_mismatch
from core.analyse.probe import probe
from tests.blocks.test_checks_against_torch import flattened
from tests.blocks.test_statements import ELSEWHERE, wires
from tests.blocks.torch_truth import N_SAMPLES, complete, execute

FURTHER = {
    **{f"conv{d}d": {"bias": (8,)} for d in (1, 2, 3)},
    **{f"conv_transpose{d}d": {"bias": (8,)} for d in (1, 2, 3)},
    **{f"{n}_norm": {"weight": (4,), "bias": (4,)} for n in ("batch", "group", "instance")},
    "layer_norm": {"weight": (64,), "bias": (64,)},
    "rms_norm": {"weight": (64,)},
    "linear": {"bias": (10,)},
    "scaled_dot_product_attention": {"attn_mask": (12, 12)},
}
"""Wires into ports that may stay open."""


def connected(block: Block) -> dict[str, Any]:
    """A float32 wire for every port that takes floats; integers and masks stay."""
    more = {port: Signature(shape) for port, shape in FURTHER.get(block.name, {}).items()}
    return {**wires(block), **more}


SEVERAL = [
    b.name
    for b in CATALOGUE.values()
    if has(b, torch.__version__)
    and b.family != "ends"
    and b.name not in ELSEWHERE
    and len(connected(b)) > 1
]


def tensor(signature: Signature, dtype: str) -> torch.Tensor:
    sizes = [d if isinstance(d, int) else N_SAMPLES for d in signature.shape]
    return (torch.rand(sizes) + 0.2).clamp(0, 1).to(getattr(torch, dtype))


@pytest.mark.gate
@pytest.mark.parametrize("name", SEVERAL)
def test_a_block_refuses_two_kinds_of_floats_where_torch_does(name: str):
    block = CATALOGUE[name]
    inputs = connected(block)
    for port, wire in inputs.items():
        if not isinstance(wire, Signature) or not wire.floating:
            continue
        mixed = {**inputs, port: replace(wire, dtype="float64")}
        full = complete(block, block.start, mixed)
        spoken = block_problems(block, full, mixed) or dtype_mismatch(block, full, mixed)
        outcome = probe(block, full, mixed)
        data = {
            p: [tensor(w, w.dtype) for w in v] if isinstance(v, tuple) else tensor(v, v.dtype)
            for p, v in mixed.items()
        }
        try:
            found = list(flattened(execute(block, full, mixed, data)))
        except (RuntimeError, ValueError):
            assert spoken or outcome.error, f"torch refuses float64 at {port}"
            continue
        if not spoken:
            assert not outcome.error, f"torch takes float64 at {port}"
            kinds = [str(t.dtype) for t in found]
            assert [f"torch.{s.dtype}" for s in dict(outcome.outputs).values()] == kinds, port
