"""torch's own samples of its modules as drawings: settings from constructors, Inputs from calls."""

import dataclasses
import importlib.util
import inspect
import sys
import unittest
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any
from unittest import mock

import torch
from torch import Tensor, nn

from blocks import CATALOGUE
from core.graph import Graph
from tests.core.drawing import draw

SEQUENCE = ("RNN", "LSTM", "GRU", "MultiheadAttention", "Transformer")
"""Blocks whose sequences have the batch first or second, by their setting batch_first."""
OF_CLASSES = ("CrossEntropyLoss", "NLLLoss", "MultiMarginLoss", "MultiLabelMarginLoss")
"""Losses that read the scores of one sample from a single dimension."""
STATES = ("hx", "h_0", "c_0")
PRIVATE = ("_random_samples", "device", "dtype", "size_average", "reduce")
WHEN = {"indices": "return_indices", "attn_output_weights": "need_weights"}
"""The settings without which an output has no value."""
RECURRENT = ("input_size", "hidden_size", "num_layers")


class Undrawn(Exception):
    """Why a sample has no drawing."""


@dataclass
class Drawing:
    """A sample as a drawing. inputs: of its Input nodes in order; kept: values of its buffers."""

    graph: Graph
    inputs: list[Tensor] = field(default_factory=list[Tensor])
    kept: dict[str, Tensor] = field(default_factory=dict[str, Tensor])
    alone: bool = False


def module_db() -> list[Any]:
    """torch's list of modules with samples; its file asks for a base class of tests by the way."""
    if "expecttest" not in sys.modules and importlib.util.find_spec("expecttest") is None:
        stand_in = ModuleType("expecttest")
        stand_in.TestCase = unittest.TestCase  # type: ignore[attr-defined]
        sys.modules["expecttest"] = stand_in
    freezes = mock.patch(
        "torch.backends.disable_global_flags"
    )  # for the tests that come after, too
    with warnings.catch_warnings(), freezes:
        warnings.simplefilter("ignore")
        from torch.testing._internal import common_modules
    return common_modules.module_db


def block_name(cls: type[nn.Module]) -> str:
    """The block that a class is drawn with: a lazy layer has the size that its wire decides."""
    return cls.__name__.removeprefix("Lazy")


def arguments(cls: type[nn.Module], given: Any) -> dict[str, Any]:
    """The arguments of a constructor by name."""
    if issubclass(cls, nn.RNNBase):
        return dict(zip(RECURRENT, given.args, strict=False)) | given.kwargs
    bound = inspect.signature(cls).bind(*given.args, **given.kwargs)
    return {k: v for k, v in bound.arguments.items() if k not in PRIVATE}


def call_of(cls: type[nn.Module], given: Any) -> dict[str, Any]:
    """The arguments of a call by name."""
    bound = inspect.signature(cls.forward).bind(None, *given.args, **given.kwargs)
    return {name: value for name, value in bound.arguments.items() if name != "self"}


def settings_of(block: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Settings of a block from arguments of torch's constructor."""
    found: dict[str, Any] = {}
    for name, value in given.items():
        if value is None and not known(block, name):
            continue
        if isinstance(value, nn.Module):
            found |= of_part(name, value)
        elif isinstance(value, Tensor):
            found[name] = str(value.tolist())
        elif name == "options" and value is not None:
            found[name] = ", ".join(f"{k}={v!r}".replace("'", '"') for k, v in of_options(value))
        elif callable(value):
            found[name] = value.__name__
        else:
            found[name] = tuple(value) if isinstance(value, list | tuple) else value
    return found


def of_part(name: str, part: nn.Module) -> dict[str, Any]:
    """Settings of the stage that a stack of stages repeats."""
    if isinstance(part, nn.LayerNorm):
        return {"norm": True}
    assert isinstance(part, nn.TransformerEncoderLayer | nn.TransformerDecoderLayer)
    attention = part.self_attn
    return {
        "d_model": attention.embed_dim, "nhead": attention.num_heads,
        "dim_feedforward": part.linear1.out_features, "dropout": part.dropout.p,
        "activation": part.activation.__name__ if callable(part.activation) else part.activation,
        "layer_norm_eps": part.norm1.eps, "batch_first": attention.batch_first,
        "norm_first": part.norm_first, "bias": part.linear1.bias is not None,
    }  # fmt: skip


def of_options(options: Any) -> list[tuple[str, Any]]:
    """What a LinearCrossEntropyLoss was given beyond the defaults of its options."""
    given = [(f.name, getattr(options, f.name), f.default) for f in dataclasses.fields(options)]
    return [(name, value) for name, value, default in given if value != default]


def known(block: str, name: str) -> bool:
    return CATALOGUE[block].setting(name) is not None


def draw_sample(block: str, given: Mapping[str, Any], called: Mapping[str, Any]) -> Drawing:
    """Draw one call of a module."""
    settings = settings_of(block, given)
    ports = {k: v for k, v in called.items() if v is not None and not known_call(block, k, v)}
    settings |= {k: v for k, v in called.items() if known_call(block, k, v)}
    ports = spread(block, ports)
    drawing = Drawing(Graph({}, ()), alone=unbatched(block, ports))
    nodes: dict[str, Any] = {}
    edges: list[str] = []
    for port, value in ports.items():
        feed(drawing, nodes, edges, block, settings, port, value)
    nodes["layer"] = (block, settings)
    for output in CATALOGUE[block].outputs:
        needed = WHEN.get(output.name, "")
        if settings.get(needed, CATALOGUE[block].defaults.get(needed, True)):
            nodes[f"out_{output.name}"] = "Output"
            edges.append(f"layer.{output.name} -> out_{output.name}")
    drawing.graph = draw(nodes, edges)
    return drawing


def feed(
    drawing: Drawing, nodes: dict[str, Any], edges: list[str], block: str,
    settings: dict[str, Any], port: str, value: Any,
) -> None:  # fmt: skip
    """Add what brings an argument to its port, in a batch as it is in a drawing."""
    value = torch.tensor(value) if isinstance(value, tuple) else value
    at = batch_dim(block, settings, port)
    first = CATALOGUE[block].inputs[0]
    if drawing.alone and at is not None:
        value = value.unsqueeze(at)
        if port == first.name and value.dim() < min(first.rank or (1,)):
            value = value.unsqueeze(-1)
    if drawing.inputs and at is None and port.endswith("mask") and value.dim() == 3:
        heads(drawing, nodes, edges, port, value.unflatten(0, (len(drawing.inputs[0]), -1)))
        return
    if at is not None and drawing.inputs:
        there = value.dim() > at and value.shape[at] == len(drawing.inputs[0])
        at = at if there else None
    add(drawing, nodes, edges, port, value, at)


def known_call(block: str, name: str, value: Any) -> bool:
    setting = CATALOGUE[block].setting(name)
    return setting is not None and setting.call and not isinstance(value, Tensor)


def spread(block: str, ports: Mapping[str, Any]) -> dict[str, Any]:
    """Ports by our names: the pair of first states of an LSTM has two."""
    names = [port.name for port in CATALOGUE[block].inputs]
    found: dict[str, Any] = {}
    for name, value in ports.items():
        if isinstance(value, tuple) and name == "hx":
            found |= dict(
                zip(("h_0", "c_0") if "h_0" in names else ("hx", "cx"), value, strict=True)
            )
        elif name not in names and name in ("x", "log_input"):
            found["input"] = value
        else:
            found[name] = value
    for name in found:
        if name not in names:
            raise Undrawn(f"has no port {name}")
    return found


def unbatched(block: str, ports: Mapping[str, Any]) -> bool:
    """Whether the call is for one sample without a batch."""
    first = CATALOGUE[block].inputs[0]
    value = ports.get(first.name)
    if not isinstance(value, Tensor):
        return False
    if block in OF_CLASSES:
        return value.dim() == 1
    return value.dim() == 0 or (
        bool(first.rank) and (value.dim() not in first.rank and value.dim() + 1 in first.rank)
    )


def batch_dim(block: str, settings: Mapping[str, Any], port: str) -> int | None:
    """Which dimension of an argument is the batch; None where it has none."""
    if block.startswith("Transformer") or block == "MultiheadAttention" or block in SEQUENCE:
        if port.endswith("padding_mask"):
            return 0
        if port.endswith("mask"):
            return None
        if port in STATES:
            return 1
        return 0 if settings.get("batch_first") else 1
    if block == "CTCLoss":
        return 1 if port == "log_probs" else 0
    return 0


def add(
    drawing: Drawing, nodes: dict[str, Any], edges: list[str], port: str, value: Tensor,
    at: int | None,
) -> None:  # fmt: skip
    """Add what brings a tensor to a port: an Input, one with its batch moved, or a buffer."""
    dtype = dtype_of(value)
    if at is None:
        name = f"kept_{port}"
        nodes[name] = ("Buffer", {"shape": tuple(value.shape), "init": "weights", "dtype": dtype})
        drawing.kept[name] = value
        edges.append(f"{name} -> layer.{port}")
        return
    name = f"in_{port}"
    value = value.transpose(0, at)
    there = "int64" if dtype == "int32" else dtype
    nodes[name] = ("Input", {"shape": tuple(value.shape[1:]), "dtype": there})
    drawing.inputs.append(value.to(getattr(torch, there)))
    if there != dtype:
        nodes[f"to_{port}"] = ("to", {"dtype": dtype})
        edges.append(f"{name} -> to_{port}")
        name = f"to_{port}"
    if at:
        nodes[f"moved_{port}"] = ("transpose", {"dim0": 0, "dim1": at})
        edges.append(f"{name} -> moved_{port}")
        name = f"moved_{port}"
    edges.append(f"{name} -> layer.{port}")


def heads(
    drawing: Drawing, nodes: dict[str, Any], edges: list[str], port: str, value: Tensor
) -> None:
    """Add a mask for each sample and head: (N, heads, L, S), flattened as torch wants it."""
    nodes[f"in_{port}"] = ("Input", {"shape": tuple(value.shape[1:]), "dtype": dtype_of(value)})
    nodes[f"flat_{port}"] = ("flatten", {"start_dim": 0, "end_dim": 1})
    edges += [f"in_{port} -> flat_{port}", f"flat_{port} -> layer.{port}"]
    drawing.inputs.append(value)


def dtype_of(value: Tensor) -> str:
    return str(value.dtype).removeprefix("torch.")


def samples(info: Any) -> Iterator[Any]:
    """Torch's samples of a module, the same ones each time."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(7)
        yield from info.module_inputs_func(
            info, device="cpu", dtype=torch.float32, requires_grad=False, training=False
        )
