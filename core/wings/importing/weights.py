"""The weights of an import: the original's state, and ours out of it by the map of keys."""

from collections.abc import Mapping

import torch
from torch import nn

from core.wings.importing.tracing.computed_weights import effective_weights, newer_names
from core.wings.importing.tracing.unregistered import unregistered


def mapped_state(
    state: Mapping[str, torch.Tensor], keys: Mapping[str, str], module: nn.Module
) -> dict[str, torch.Tensor]:
    """A state_dict for our module out of the original's, by the key map."""
    return {key: state[keys.get(key, key)] for key in module.state_dict()}


def full_state(module: nn.Module) -> dict[str, torch.Tensor]:
    """All parameters and buffers, with non-persistent buffers, computed weights, tensors that are
    plain attributes, and norms of an older form under their newer names, too."""
    state = dict(module.state_dict()) | unregistered(module)
    state |= {n: b for n, b in module.named_buffers() if n not in state}
    state |= {new: state[old] for new, old in newer_names(module).items()}
    return state | effective_weights(module)
