"""Every block with random legal settings: its statements compute what torch's own call computes."""

import os
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from torch import nn
from torch.nn import functional as F

from blocks import CATALOGUE, Block, N, Port, Signature
from blocks.checks import block_problems
from blocks.validate import setting_problems
from blocks.versions import has
from core.analyse.probe import probe
from tests.blocks.draws import given_settings
from tests.blocks.test_palette import MASKS, P, shape_of
from tests.blocks.torch_truth import complete, execute, tensor

EXAMPLES = settings(
    max_examples=int(os.environ.get("EXAMPLES", "12")),
    deadline=None,
    derandomize="EXAMPLES" not in os.environ,
    database=None,
    suppress_health_check=tuple(HealthCheck),
)
# Compared elsewhere: nodes without inputs, integers, and modules made of other modules.
ELSEWHERE = {"Parameter", "Buffer", "size", "calculate", "setitem", "PositionEmbedding", "arange",
             "linspace", "StochasticDepth", "tensor", "CTCLoss",
             # what depends on the data, in test_boxes
             "nonzero", "unique", "nms", "batched_nms", "roi_align", "index_put",
             "paste_masks_in_image", "heatmaps_to_keypoints"}  # fmt: skip
Call = Callable[..., Any]
SPECIAL: dict[str, Call] = {
    "cat": lambda x, **kw: torch.cat(list(x), **kw),
    "stack": lambda x, **kw: torch.stack(list(x), **kw),
    "cross": lambda x, other, **kw: torch.linalg.cross(x, other, **kw),
    "multi_dot": lambda x: torch.linalg.multi_dot(list(x)),
    "einsum": lambda x, equation: torch.einsum(equation, *x),
    "meshgrid": lambda x, indexing="ij": torch.meshgrid(*x, indexing=indexing),
    "tensor_split": lambda x, indices_or_sections, dim=0: x.tensor_split(indices_or_sections, dim),
    "expand_as": lambda x, other: x.expand(other.shape),
    "view_as": lambda x, other: x.view(other.shape),
    "index": lambda x, i, dim=0: x[(*[slice(None)] * dim, *i)],
    "batch_norm": lambda x, mean=None, var=None, **kw: F.batch_norm(x, mean, var, **kw),
    "scatter": lambda x, i, src=None, *, dim, value: (
        x.scatter(dim, i, value) if src is None else x.scatter(dim, i, src)
    ),
    "quantile": lambda x, q, **kw: x.quantile(q, **kw),
    "getitem": lambda x, index, **letters: torch.from_numpy(
        np.copy(x.numpy()[eval(f"np.s_{index}", {"np": np, **letters})])
    ),
    "in_train_phase": lambda training, evaluation: training,
    "to": lambda x, dtype: x.type(dtype),
    "expand": lambda x, size: x.expand(*size),
    "repeat": lambda x, repeats: x.repeat(*repeats),
    "masked_fill": lambda x, mask, value: torch.where(mask, torch.tensor(value), x),
    "unfold": lambda x, dimension, size, step: x.unfold(dimension, size, step),
    "flatten": lambda x, **kw: x.flatten(**kw),
}


def wires(block: Block) -> dict[str, Any]:
    """The wires of the palette's test, one signature for every port that must be connected."""
    return {
        port.name: (signature(block, port),) * 2 if port.listed else signature(block, port)
        for port in block.inputs
        if not port.optional
    }


def signature(block: Block, port: Port) -> Signature:
    """What comes into one port."""
    shape = shape_of(block, port)
    dtype = "int64" if port.dtype == "int" else "bool" if port.name in MASKS else "float32"
    return Signature(shape[1:] if shape[:1] == (P,) else (N, *shape), dtype)


def plain(setting: Any, value: Any) -> Any:
    """A setting as torch's Python takes it."""
    if setting.bare == "torch." and value is not None:
        return getattr(torch, value)
    if callable(setting.bare) and value is not None:
        return eval(setting.bare(value), {"torch": torch, "nn": nn})
    return float(value) if setting.kind == "float" and isinstance(value, str) else value


def torchs_own(block: Block, chosen: Mapping[str, Any], data: dict[str, Any]) -> Any:
    """Call torch with the settings by name: no line of it comes from a template."""
    numbers = {
        s.name: plain(s, chosen[s.name])
        for s in block.settings
        if s.name not in data and chosen[s.name] != s.default and not s.chooses
    }
    called = {s.name for s in block.settings if s.call}
    if block.init:
        module = _module(block, {k: v for k, v in numbers.items() if k not in called})
        return module(*data.values(), **{k: v for k, v in numbers.items() if k in called})
    if block.name in SPECIAL:
        return SPECIAL[block.name](*data.values(), **numbers)
    name, first = next(iter(data.items()))
    rest = {k: v for k, v in (data | numbers).items() if k != name}
    for place in (F, torch, torch.linalg):
        if hasattr(place, block.name):
            return getattr(place, block.name)(first, **rest)
    return getattr(first, block.name)(**rest)


def _module(block: Block, numbers: dict[str, Any]) -> nn.Module:
    if block.name not in ("TransformerEncoder", "TransformerDecoder"):
        return getattr(nn, block.name)(**numbers)
    own = {k: numbers.pop(k) for k in ("enable_nested_tensor", "mask_check") if k in numbers}
    count, norm = numbers.pop("num_layers"), numbers.pop("norm", False)
    stage = getattr(nn, f"{block.name}Layer")(**numbers)
    eps, bias = numbers.get("layer_norm_eps", 1e-5), numbers.get("bias", True)
    end = nn.LayerNorm(numbers["d_model"], eps=eps, bias=bias) if norm else None
    return getattr(nn, block.name)(stage, count, norm=end, **own)


def legal(block: Block, chosen: dict[str, Any], inputs: dict[str, Any]) -> dict[str, Any] | None:
    """All settings, if the analysis accepts them."""
    if setting_problems(block, chosen):
        return None
    full = complete(block, chosen, inputs)
    missing = any(s.name not in full for s in block.settings)
    if missing or block_problems(block, full, inputs) or probe(block, full, inputs).error:
        return None
    return full


def same(a: Any, b: Any) -> bool:
    """Whether two results are equal bit for bit, with the same nesting."""
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    if a is None or b is None:
        return a is b
    return a.dtype == b.dtype and torch.equal(torch.nan_to_num(a), torch.nan_to_num(b))


def seed(number: int) -> None:
    """Seed the processor only: torch.manual_seed notes the stack for each GPU, at length."""
    torch.default_generator.manual_seed(number)


def compare(block: Block, full: dict[str, Any], inputs: dict[str, Any]) -> None:
    """Run both sides from one seed."""
    seed(1)
    data = {
        name: [tensor(s) for s in wire] if isinstance(wire, tuple) else tensor(wire)
        for name, wire in inputs.items()
    }
    if block.name == "BCELoss":  # it takes probabilities
        data = {name: torch.rand(3, 4, 16, 16) for name in data}
    seed(2)
    ours = execute(block, full, inputs, data)
    seed(2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert same(ours, torchs_own(block, full, data))


@pytest.mark.gate
@pytest.mark.parametrize(
    "name",
    [
        b.name
        for b in CATALOGUE.values()
        if b.family != "ends" and b.name not in ELSEWHERE and has(b, torch.__version__)
    ],
)
@EXAMPLES
@given(data=st.data())
def test_statements_compute_what_torchs_own_call_computes(name: str, data: st.DataObject):
    block = CATALOGUE[name]
    inputs = wires(block)
    start = legal(block, dict(block.start), inputs)
    assert start is not None
    drawn = {**block.start, **data.draw(given_settings(block))}
    compare(block, legal(block, drawn, inputs) or start, inputs)


@pytest.mark.parametrize("sizes", [(4,), (4, 5), (4, 5, 5), (3, 4, 5, 5)])
@pytest.mark.parametrize("mode", ["row", "batch"])
def test_stochastic_depth_draws_the_numbers_of_torchvision(mode: str, sizes: tuple[int, ...]):
    from torchvision import ops  # a dependency: missing, this has to fail

    x = torch.rand(6, *sizes)
    block = CATALOGUE["StochasticDepth"]
    settings = {"p": 0.4, "mode": mode, "rank": x.dim()}
    torch.manual_seed(3)
    ours = execute(block, settings, {"input": Signature((N, *sizes))}, {"input": x})
    torch.manual_seed(3)
    assert torch.equal(ours, ops.stochastic_depth(x, 0.4, mode, training=True))


def test_numbers_stand_on_either_side():
    x = torch.tensor([2.0, 4.0])
    wire, data = {"input": Signature((2,))}, {"input": x}
    other, given_other = {"other": Signature((2,))}, {"other": x}

    def run(
        name: str, numbers: dict[str, Any], inputs: dict[str, Any], tensors: Any
    ) -> list[float]:
        block = CATALOGUE[name]
        return execute(block, {**block.defaults, **numbers}, inputs, tensors).tolist()

    assert run("add", {"other": 1}, wire, data) == [3.0, 5.0]
    assert run("sub", {"input": 1}, other, given_other) == [-1.0, -3.0]
    assert run("div", {"input": 8}, other, given_other) == [4.0, 2.0]
    assert run("mul", {"other": -0.5}, wire, data) == [-1.0, -2.0]
    exponent = {"exponent": Signature((2,))}
    assert run("pow", {"input": -2}, exponent, {"exponent": x}) == [4.0, 16.0]
