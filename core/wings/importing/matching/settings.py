"""Settings of a layer: the constructor arguments of a live torch.nn module."""

import inspect
import math
from collections.abc import Mapping
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F

from blocks import CATALOGUE, Block, Setting
from core.analyse.calls import meta_module
from core.common.article import an
from core.common.errors import ImportRefused
from core.source.statement import construct, is_default, plain
from core.wings.importing.tracing.computed_weights import drawn_way
from core.wings.importing.tracing.leaf_modules import leaf_block


def layer_settings(module: nn.Module, place: str) -> tuple[Block, dict[str, Any]]:
    """Read a layer's settings off its attributes, checked by constructing an equal layer.

    Raises ImportRefused if the constructed layer differs.
    """
    block = CATALOGUE[_stock(module)]
    settings = _read(block, module)
    _refuse_tensors(settings, type(module).__name__, place)
    if block.init != leaf_block(module):
        return block, settings
    twin = _construct(block, settings, place)
    if _form(twin) != _form(module) or _read(block, twin) != settings:
        raise ImportRefused(
            place,
            f"is {an(type(module).__name__)} that its settings do not describe.",
            "It was changed after construction, or has extra state.",
        )
    return block, settings


def _refuse_tensors(settings: Mapping[str, Any], kind: str, place: str) -> None:
    """Refuse a layer with a tensor among its settings: a trace on the meta device has no values."""
    names = [name for name, value in settings.items() if isinstance(value, torch.Tensor)]
    if names:
        raise ImportRefused(
            place,
            f"is {an(kind)} with a tensor as {' and '.join(names)}, whose numbers an import does "
            "not read.",
            f"Import it without, and enter the numbers in {' and '.join(names)} of the block.",
        )


def _read(block: Block, module: nn.Module) -> dict[str, Any]:
    found = {s: _attribute(module, s.name) for s in block.settings if not s.call}
    return {s.name: plain(s, s.default if v is MISSING else v) for s, v in found.items()}


class _Missing:
    pass


MISSING: Any = _Missing()


def _attribute(module: nn.Module, name: str) -> Any:
    reader = READERS.get((_stock(module), name)) or READERS.get(("", name))
    return literal_of(reader(module) if reader else getattr(module, name, MISSING))


def _stock(module: nn.Module) -> str:
    return leaf_block(module).removeprefix("nn.")


def literal_of(value: Any) -> Any:
    """A value as a project file holds it: lists as tuples, sizes as integers."""
    if isinstance(value, bool) or value is None or value is MISSING:
        return value
    if isinstance(value, (int, float)):
        return int(value) if isinstance(value, int) else float(value)
    if isinstance(value, (tuple, list)):
        return tuple(literal_of(item) for item in value)
    if isinstance(value, (torch.dtype, torch.memory_format)):
        return str(value).removeprefix("torch.")
    if value in NAMES_OF:
        return NAMES_OF[value]
    return value


NAMES_OF: dict[Any, str] = {F.relu: "relu", F.gelu: "gelu", torch.relu: "relu"}


def _has_bias(module: nn.Module) -> Any:
    bias = getattr(module, "bias", None)
    if bias is None and not getattr(module, "affine", True):
        return MISSING  # without scale and shift, torch's value has no meaning
    return bias if isinstance(bias, bool) else bias is not None


TRANSFORMERS: dict[str, Any] = {
    "d_model": lambda m: m.self_attn.embed_dim,
    "nhead": lambda m: m.self_attn.num_heads,
    "dim_feedforward": lambda m: m.linear1.out_features,
    "dropout": lambda m: m.dropout.p,
    "layer_norm_eps": lambda m: m.norm1.eps,
    "batch_first": lambda m: m.self_attn.batch_first,
    "bias": lambda m: m.linear1.bias is not None,
}
READERS: dict[tuple[str, str], Any] = {
    ("", "bias"): _has_bias,
    ("", "parametrize"): lambda m: drawn_way(m) or None,
    ("PReLU", "init"): lambda m: 0.25,
    ("MultiheadAttention", "bias"): lambda m: m.in_proj_bias is not None,
    ("MultiheadAttention", "add_bias_kv"): lambda m: m.bias_k is not None,
    ("MultiheadAttention", "kdim"): lambda m: None if m._qkv_same_embed_dim else m.kdim,
    ("MultiheadAttention", "vdim"): lambda m: None if m._qkv_same_embed_dim else m.vdim,
    ("LinearCrossEntropyLoss", "in_features"): lambda m: m.linear.in_features,
    ("LinearCrossEntropyLoss", "bias"): lambda m: m.linear.bias is not None,
    **{("TransformerEncoderLayer", name): reader for name, reader in TRANSFORMERS.items()},
    **{("TransformerDecoderLayer", name): reader for name, reader in TRANSFORMERS.items()},
}
"""Where a layer keeps a constructor's argument under another name, or not at all."""


def _construct(block: Block, settings: Mapping[str, Any], place: str) -> nn.Module:
    kind = getattr(nn, block.name)
    if settings.get("parametrize"):
        made = meta_module(construct(block, settings))
        assert isinstance(made, nn.Module)
        return made
    known = inspect.signature(kind).parameters  # an older torch has fewer settings
    arguments = {
        n: v
        for n, v in settings.items()
        if n in known or not ((s := block.setting(n)) and is_default(s, v))
    }
    try:
        with torch.device("meta"):
            return kind(**arguments)
    except (TypeError, ValueError, RuntimeError, AssertionError, KeyError) as error:
        raise ImportRefused(
            place, f"is {an(block.name)} whose settings could not be read: {error}."
        ) from None


def _form(module: nn.Module) -> dict[str, tuple[int, ...]]:
    return {name: tuple(t.shape) for name, t in module.state_dict().items()}


def non_default_settings(block: Block, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Only the settings that differ from torch's default and are not inferred from the input."""
    declared = {s.name: s for s in block.settings if s.name in settings}
    return {
        name: _storable(settings[name])
        for name, s in declared.items()
        if _must_be_written(s, settings[name]) and not is_default(s, settings[name])
    }


def _storable(value: Any) -> Any:
    """A setting as a project file holds it: infinity is a string there."""
    if isinstance(value, float) and math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return value


def _must_be_written(setting: Setting, value: Any) -> bool:
    """Whether a setting has to be written: it is not inferred from the input, or it has several
    sizes (a LayerNorm over the last two dimensions)."""
    return not setting.infer or (isinstance(value, tuple) and len(value) > 1)


def bound_arguments(module: nn.Module, args: Any, kwargs: Any) -> dict[str, Any]:
    """Arguments of a layer's call by name."""
    return dict(inspect.signature(module.forward).bind(*args, **kwargs).arguments)
