"""Weights averaged over the steps of a run, as torch.optim.swa_utils averages them."""

from collections.abc import Mapping
from typing import Any

from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn


def averaged(module: nn.Module, decay: float | None) -> AveragedModel | None:
    """A copy of the module that follows it slowly, buffers too; None without a decay."""
    if not decay:
        return None
    return AveragedModel(module, multi_avg_fn=get_ema_multi_avg_fn(decay), use_buffers=True)


def weights_of(state: Mapping[str, Any]) -> dict[str, Tensor]:
    """The weights of a checkpoint that are used and given away: the averaged ones, if there are."""
    found = state.get("average")
    if not found:
        return state["model"]
    return {k.removeprefix("module."): v for k, v in found.items() if k.startswith("module.")}
