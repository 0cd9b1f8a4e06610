"""Weights beside the project: a safetensors file with the keys of the model they came from."""

from collections.abc import Mapping
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from torch import nn


def carried(
    state: Mapping[str, torch.Tensor], keys: Mapping[str, str], module: nn.Module
) -> dict[str, torch.Tensor]:
    """Weights for our module out of the original's state_dict, by the written key map."""
    return {key: state[keys.get(key, key)] for key in module.state_dict()}


def everything(module: nn.Module) -> dict[str, torch.Tensor]:
    """All parameters and buffers, those included that a state_dict leaves out."""
    kept = dict(module.state_dict())
    return kept | {n: b for n, b in module.named_buffers() if n not in kept}


def write_weights(path: Path, state: Mapping[str, torch.Tensor], keys: Mapping[str, str]) -> None:
    """Write a model's whole state_dict under its own keys; the key map stands in the header."""
    tensors = {key: tensor.detach().clone().contiguous() for key, tensor in state.items()}
    header = {"format": "pt", **{f"key:{ours}": theirs for ours, theirs in keys.items()}}
    save_file(tensors, path, metadata=header)


def read_weights(path: Path, module: nn.Module) -> None:
    """Load such a file into our module. Raises KeyError if one of its keys is not there."""
    from safetensors import safe_open

    with safe_open(path, "pt") as file:
        header = file.metadata() or {}
    keys = {k.removeprefix("key:"): v for k, v in header.items() if k.startswith("key:")}
    module.load_state_dict(carried(load_file(path), keys, module))
