"""Every function has torch's own arguments, in torch's order, with torch's own defaults."""

import inspect
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional as F
from torchvision import ops
from torchvision.models.detection import roi_heads

from blocks import CATALOGUE, Block
from blocks.spec import REQUIRED, Setting
from blocks.versions import has

FUNCTIONS = {b.name: b for b in CATALOGUE.values() if not b.init and b.family != "ends"}
PYTHON = (
    *("interpolate", "normalize", "grid_sample", "affine_grid", "einsum", "layer_norm"),
    *("rms_norm", "group_norm", "batch_norm", "instance_norm", "embedding"),
)
# Tensor methods and functions whose arguments no schema names, or that are ours.
OWN = {
    *(
        "to",
        "arange",
        "getitem",
        "setitem",
        "calculate",
        "in_train_phase",
        "index",
        "meshgrid",
        "size",
        "linspace",
        "tensor",
    ),
    *("vector_norm", "split", "tensor_split"),
    *("nonzero", "unique", "nms", "batched_nms", "roi_align", "index_put"),
    *("paste_masks_in_image", "heatmaps_to_keypoints"),
    "scatter",  # two overloads in one: src is a wire, value a number
}
# Arguments of torch that no block has, each for a reason.
LEFT_OUT = {
    "dtype": "comes with the tensors; `to` changes it",
    "layout": "always dense",
    "device": "that of the input",
    "pin_memory": "for loading data",
    "memory_format": "a matter of speed, set for a whole network",
    "implicit": "private in torch",
    "output_size": "saves a look at the data, which the analysis cannot have",
    "unbiased": "torch's older name of correction",
    "compute_mode": "a matter of speed",
    "sparse_grad": "for tables that are learned sparsely",
    "prepend": "cat does it",
    "append": "cat does it",
}
# The schema of a chosen overload has no default where another overload, without it, stands in.
OVERLOAD_DEFAULTS = {
    ("contiguous", "memory_format"): "contiguous_format",
    ("sort", "stable"): False,
    ("squeeze", "dim"): None,
    ("mean", "dim"): None,
    ("sum", "dim"): None,
    ("div", "rounding_mode"): None,
    ("prod", "dim"): None,
    ("all", "dim"): None,
    ("any", "dim"): None,
    ("round", "decimals"): 0,
    ("var", "correction"): 1,
    ("std", "correction"): 1,
    ("count_nonzero", "dim"): None,
    ("var_mean", "correction"): 1,
    ("std_mean", "correction"): 1,
    **{
        (f"{name}{dims}d", setting): default
        for name in ("conv", "conv_transpose")
        for dims in (1, 2, 3)
        for setting, default in (
            *(("stride", 1), ("padding", 0), ("dilation", 1)),
            *([("output_padding", 0)] if name == "conv_transpose" else []),
        )
    },
}
# Blocks that ask for what torch would choose by itself from the data.
STRICTER = {("one_hot", "num_classes"), ("repeat_interleave", "output_size")}


def plain(value: Any) -> Any:
    """Compare lists as tuples."""
    return tuple(value) if isinstance(value, list) else value


SCHEMAS = {"cross": "linalg_cross", "multi_dot": "linalg_multi_dot"}
"""Operators of torch.linalg, under which name torch keeps them."""


def overloads(name: str) -> Iterator[dict[str, Any]]:
    """Arguments of every overload of a torch operator, with defaults."""
    packet = getattr(torch.ops.aten, SCHEMAS.get(name, name))
    for overload in packet.overloads():
        schema = getattr(packet, overload)._schema
        yield {
            ("input" if a.name == "self" else a.name): (
                plain(a.default_value) if a.has_default_value() else REQUIRED
            )
            for a in schema.arguments
        }


def names(block: Block) -> set[str]:
    """All names of a block: ports and settings are both arguments of torch's function."""
    return {p.name for p in block.inputs} | {s.name for s in of_torch(block)}


def of_torch(block: Block) -> list[Setting]:
    """Settings that are arguments of torch's, rather than a choice of how they are written."""
    return [s for s in block.settings if not s.chooses]


def fits(block: Block, theirs: dict[str, Any]) -> bool:
    """Whether an overload has exactly these arguments, but for what is left out for a reason."""
    ours = names(block)
    return ours <= theirs.keys() and {
        name for name in theirs.keys() - ours if name not in LEFT_OUT
    } <= {"out"}


BEHIND = {("sort", "stable")}
"""Settings that torch takes by keyword only, in front of others that it takes by place, too."""


def agree(block: Block, theirs: dict[str, Any]) -> bool:
    """Whether settings have torch's defaults and stand in torch's order."""
    ports = {p.name for p in block.inputs}
    for setting in of_torch(block):
        default = OVERLOAD_DEFAULTS.get((block.name, setting.name), theirs[setting.name])
        default = None if setting.name in ports and setting.default is None else default
        if (block.name, setting.name) not in STRICTER and setting.default != default:
            return False
    order = [name for name in theirs if block.setting(name)]
    order.sort(key=lambda name: (block.name, name) in BEHIND)
    return order == [s.name for s in of_torch(block)]


@pytest.mark.parametrize("name", sorted(FUNCTIONS.keys() - OWN - set(PYTHON)))
def test_a_function_has_the_arguments_of_torch(name: str):
    block = FUNCTIONS[name]
    fitting = [theirs for theirs in overloads(name) if fits(block, theirs)]
    assert fitting, (sorted(names(block)), [sorted(o) for o in overloads(name)])
    assert any(agree(block, theirs) for theirs in fitting), fitting


@pytest.mark.parametrize("name", PYTHON)
def test_a_python_function_has_the_arguments_of_torch(name: str):
    block = FUNCTIONS[name]
    parameters = inspect.signature(getattr(torch if name == "einsum" else F, name)).parameters
    theirs = {p.name: p.default for p in parameters.values() if p.name not in ("args", "out")}
    ours = [s.name for s in of_torch(block)]
    if name == "einsum":
        assert ours == ["equation"]
        return
    assert [n for n in theirs if n in ours] == ours
    assert theirs.keys() == names(block)
    for setting in of_torch(block):
        default = theirs[setting.name]
        assert setting.default == (REQUIRED if default is inspect.Parameter.empty else default)


def test_only_what_torch_does_not_have_bears_names_of_our_own():
    places = (nn, torch, F, torch.Tensor, torch.linalg, ops, roi_heads)
    ours = {n for n in CATALOGUE if not any(hasattr(place, n) for place in places)}
    ours -= {"getitem", "setitem", "index"}  # the brackets behind a tensor
    ours = {n for n in ours if has(CATALOGUE[n], torch.__version__)}
    assert ours == {"Input", "Output", "PositionEmbedding", "calculate", "in_train_phase"}
