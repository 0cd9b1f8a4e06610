"""Weights averaged over the steps of a run, as torch.optim.swa_utils averages them."""

from collections.abc import Mapping
from typing import Any

from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn


class AveragedWeights(AveragedModel):
    """AveragedModel that finds its tensors once and never waits for a GPU.

    Torch's own brings its count of steps to the device at every step, which waits for all that the
    device still has to do. What it calculates is the same to the bit.
    """

    def update_parameters(self, model: nn.Module) -> None:
        """Move the average towards the weights and buffers of the model."""
        if self.n_averaged == 0:
            for mine, other in self._pairs(model)[0]:
                mine.copy_(other)
        else:
            self.copy_buffers(model)
        self.n_averaged += 1

    def copy_buffers(self, model: nn.Module) -> None:
        """Move it without counting: what a step does that is recorded, after the first one."""
        assert self.multi_avg_fn is not None
        for mine, other in self._pairs(model)[1]:
            self.multi_avg_fn(mine, other, self.n_averaged)

    def forget_places(self) -> None:
        """Find the tensors anew: they lie elsewhere in memory."""
        self.__dict__.pop("_known", None)

    def _pairs(self, model: nn.Module) -> Any:
        """Every tensor beside the model's, and the same by kind, as lists."""
        known = self.__dict__.get("_known")
        if known is None or known[0] is not model:
            sides = [[*m.parameters(), *m.buffers()] for m in (self.module, model)]
            pairs = [(a.detach(), b.detach()) for a, b in zip(*sides, strict=True)]
            kinds = dict.fromkeys((a.device, a.dtype) for a, _ in pairs)
            by_kind = [
                tuple(zip(*(p for p in pairs if (p[0].device, p[0].dtype) == kind), strict=True))
                for kind in kinds
            ]
            known = (model, pairs, [tuple(map(list, kind)) for kind in by_kind])
            self.__dict__["_known"] = known
        return known[1:]


def make_averaged(module: nn.Module, decay: float | None) -> AveragedWeights | None:
    """A copy of the module that follows it slowly, buffers too; None without a decay."""
    if not decay:
        return None
    return AveragedWeights(module, multi_avg_fn=get_ema_multi_avg_fn(decay), use_buffers=True)


def weights_of(state: Mapping[str, Any]) -> dict[str, Tensor]:
    """The weights of a checkpoint that are used and given away: the averaged ones, if there are."""
    average = state.get("average")
    if not average:
        return state["model"]
    return {k.removeprefix("module."): v for k, v in average.items() if k.startswith("module.")}
