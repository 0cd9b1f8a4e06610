"""Attention weights of each head of each attention block, and their rollout."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.overrides import TorchFunctionMode

from core.analyse.activations import ActivationRecorder, recording_activations
from core.analyse.report import Report
from core.insight.attribution.subject import NotExplained
from core.insight.eval_context import quiet


@dataclass(frozen=True)
class AttentionMap:
    """What one attention looked at for one sample. weights: (heads, L, S), each row sums to 1.

    node: path of the block; call: which of its attentions, from 0 (a decoder layer has two).
    """

    node: str
    call: int
    weights: Tensor


class AttentionRecorder(TorchFunctionMode):
    """Keeps the weights of every attention that torch computes inside the context."""

    def __init__(self, look: ActivationRecorder) -> None:
        super().__init__()
        self.look = look
        self.found: list[AttentionMap] = []

    def __torch_function__(
        self,
        func: Any,
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        given = dict(kwargs or {})
        if func is F.multi_head_attention_forward:
            return self._of_module(args, given)
        if func is F.scaled_dot_product_attention:
            self._keep(product_weights(*args, **given))
        return func(*args, **given)

    def _of_module(self, args: tuple[Any, ...], given: dict[str, Any]) -> Any:
        """Of torch's own layer: request the weights, too, and return what the caller requested."""
        wanted = given.get("need_weights", True)
        average = given.get("average_attn_weights", True)
        asked = {**given, "need_weights": True, "average_attn_weights": False}
        output, weights = F.multi_head_attention_forward(*args, **asked)
        assert weights is not None  # they were requested
        self._keep(weights)
        shown = weights.mean(dim=-3) if average else weights
        return output, shown if wanted else None

    def _keep(self, weights: Tensor) -> None:
        node = ".".join(self.look.stack)
        call = sum(each.node == node for each in self.found)
        first = weights[0] if weights.ndim > 3 else weights
        self.found.append(AttentionMap(node, call, first.detach().clone()))


def product_weights(
    query: Tensor,
    key: Tensor,
    _value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
    **_more: Any,
) -> Tensor:
    """The weights (..., L, S) that `scaled_dot_product_attention` multiplies its values by."""
    if enable_gqa:
        key = key.repeat_interleave(query.shape[-3] // key.shape[-3], dim=-3)
    scores = query @ key.transpose(-1, -2) * (query.shape[-1] ** -0.5 if scale is None else scale)
    if is_causal:
        later = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
        scores = scores.masked_fill(later, -torch.inf)
    if attn_mask is not None and attn_mask.dtype == torch.bool:
        scores = scores.masked_fill(~attn_mask, -torch.inf)
    elif attn_mask is not None:
        scores = scores + attn_mask
    return scores.softmax(dim=-1)


def attention_maps(
    module: nn.Module, report: Report, inputs: Sequence[Tensor]
) -> list[AttentionMap]:
    """The weights of every attention for the first sample of a batch, in order of execution.

    Evaluation mode, as `quiet`. Raises NotExplained for a network without attention.
    """
    fast = torch.backends.mha.get_fastpath_enabled()
    torch.backends.mha.set_fastpath_enabled(False)  # it computes attention out of sight
    try:
        with (
            quiet(module),
            recording_activations(module, report.source or "", report.lines, frozenset()) as look,
            AttentionRecorder(look) as seen,
        ):
            module(*inputs)
    finally:
        torch.backends.mha.set_fastpath_enabled(fast)
    if not seen.found:
        raise NotExplained(
            "This network has no attention.", "Saliency and occlusion work on every network."
        )
    return seen.found


def rollout(maps: Sequence[AttentionMap]) -> Tensor:
    """How far each place reaches each input place through all layers (Abnar and Zuidema, 2020).

    The product of the mean heads, half of each being the residual connection: (L, L), rows sum to
    1. Raises NotExplained where the maps are not of one sequence.
    """
    sizes = {tuple(each.weights.shape[-2:]) for each in maps}
    if len(sizes) != 1 or len(set(next(iter(sizes)))) != 1:
        raise NotExplained(
            "Rollout needs self-attention, but this network attends from one sequence to another.",
            "Look at the heads of each block instead.",
        )
    result = torch.eye(next(iter(sizes))[0])
    for each in maps:
        result = (each.weights.mean(dim=0) + torch.eye(len(result))) / 2 @ result
    return result
