"""Attention and rotary embeddings: heads, key-value caches, masks, soft caps."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from core.wings.importing.onnx.call import NodeCall
from core.wings.importing.onnx.ops.elementwise import short

SCORES, CAPPED, MASKED, WEIGHTS = range(4)
"""What the fourth result of Attention may be."""
LOWEST = torch.finfo(torch.float32).min


def _attend(call: NodeCall) -> Any:
    flat = call.tensor(0).dim() == 3
    q, k, v = (_split(call, i) for i in range(3))
    if call.has(4):
        k = torch.cat([call.tensor(4), k], 2)
        v = torch.cat([call.tensor(5), v], 2)
    scores = [o for o in call.node.outputs[3:] if o]
    plain = not scores and not call.get("softcap", 0.0)
    result, more = _plainly(call, q, k, v) if plain else _in_steps(call, q, k, v)
    result = torch.flatten(result.transpose(1, 2), 2) if flat else result
    return [result, k, v, more]


def _split(call: NodeCall, place: int) -> Tensor:
    """(N, heads, L, size) of a tensor that may hold its heads side by side."""
    x = call.tensor(place)
    if x.dim() == 4:
        return x
    heads = call.get("q_num_heads" if place == 0 else "kv_num_heads")
    return x.unflatten(2, (heads, -1)).transpose(1, 2)


def _plainly(call: NodeCall, q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, None]:
    """By scaled_dot_product_attention."""
    mask, allowed = _given_mask(call, k), None
    causal = bool(call.get("is_causal", 0))
    alone = mask is None and not call.has(4) and not call.has(6) and not _windowed(call)
    if not (causal and alone):
        allowed, causal = _allowed(call, q, k), False
    options: dict[str, Any] = {"is_causal": causal}
    if (whole := _joined(mask, allowed)) is not None:
        options["attn_mask"] = whole
    if call.get("scale"):
        options["scale"] = short(call.get("scale"))
    if int(q.shape[1]) != int(k.shape[1]):
        options["enable_gqa"] = True
    result = F.scaled_dot_product_attention(q, k, v, **options)
    return result, None


def _in_steps(call: NodeCall, q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
    """In single steps, if a soft cap changes the scores or the file outputs them."""
    groups = int(q.shape[1]) // int(k.shape[1])
    if groups > 1:
        k, v = (torch.repeat_interleave(x, groups, 1) for x in (k, v))
    scale = call.get("scale") or float(q.shape[3]) ** -0.5
    scores = raw = torch.matmul(q, k.transpose(2, 3)) * short(scale)
    if cap := call.get("softcap", 0.0):
        scores = torch.tanh(scores / short(cap)) * short(cap)
    capped = scores
    mask = _joined(_given_mask(call, k), _allowed(call, q, k))
    if mask is not None:
        masked = mask.dtype == torch.bool
        scores = (
            scores.masked_fill(torch.logical_not(mask), float("-inf")) if masked else scores + mask
        )
    weights = torch.softmax(scores, -1)
    if mask is not None:  # where nothing may be attended to, nothing is, and not a 0 / 0
        open_ = (
            torch.any(mask, -1, True)
            if mask.dtype == torch.bool
            else torch.gt(torch.amax(mask, -1, True), LOWEST)
        )
        weights = torch.where(open_, weights, 0.0)
    mode = call.get("qk_matmul_output_mode", 0)
    return torch.matmul(weights, v), (raw, capped, scores, weights)[mode]


def _windowed(call: NodeCall) -> bool:
    return max(call.get("left_window_size", -1), call.get("right_window_size", -1)) >= 0


def _given_mask(call: NodeCall, k: Tensor) -> Tensor | None:
    if not call.has(3):
        return None
    mask = call.tensor(3)
    missing = int(k.shape[2]) - int(mask.shape[-1])
    if missing > 0:
        if mask.dtype == torch.bool:
            return F.pad(mask, [0, missing])
        return F.pad(mask, [0, missing], value=float("-inf"))
    return mask


def _allowed(call: NodeCall, q: Tensor, k: Tensor) -> Tensor | None:
    """Which keys a query may attend to, by position; None for all."""
    if not call.get("is_causal", 0) and not _windowed(call) and not call.has(6):
        return None
    here = call.plan.anchor.device
    column = torch.arange(k.shape[2], device=here).unsqueeze(0)
    row = torch.arange(q.shape[2], device=here).unsqueeze(1)
    ends = None
    if call.has(6):  # how many keys of each sample are none of padding
        ends = call.tensor(6).reshape([-1, 1, 1, 1])
        row = row + ends - q.shape[2]
    elif call.has(4):
        row = row + call.tensor(4).shape[2]
    left, right = call.get("left_window_size", -1), call.get("right_window_size", -1)
    right = 0 if call.get("is_causal", 0) else right
    masks: list[Tensor] = []
    if right >= 0:
        masks.append(torch.le(column, row + right if right else row))
    if left >= 0:
        masks.append(torch.ge(column, row - left if left else row))
    if ends is not None:
        masks.append(torch.lt(column, ends))
    whole = masks[0]
    for one in masks[1:]:
        whole = torch.logical_and(whole, one)
    return whole


def _joined(mask: Tensor | None, allowed: Tensor | None) -> Tensor | None:
    if mask is None or allowed is None:
        return allowed if mask is None else mask
    if mask.dtype == torch.bool:
        return torch.logical_and(mask, allowed)
    return mask.masked_fill(torch.logical_not(allowed), float("-inf"))


def _rotate(call: NodeCall) -> Tensor:
    """Rotary embedding: rotate pairs of features by the angles of their positions."""
    x = given = call.tensor(0)
    if x.dim() == 3:
        x = x.unflatten(2, (call.get("num_heads"), -1)).transpose(1, 2)
    cosine, sine = (call.tensor(i) for i in (1, 2))
    if call.has(3):
        cosine, sine = (table[call.tensor(3)] for table in (cosine, sine))
    cosine, sine = cosine.unsqueeze(1), sine.unsqueeze(1)  # (N, 1, L, size / 2)
    size = call.get("rotary_embedding_dim", 0) or int(x.shape[3])
    half, between = size // 2, bool(call.get("interleaved", 0))
    first = x[..., 0:size:2] if between else x[..., :half]
    second = x[..., 1:size:2] if between else x[..., half:size]
    real, imaginary = cosine * first - sine * second, sine * first + cosine * second
    turned = (
        torch.flatten(torch.stack([real, imaginary], -1), 3)
        if between
        else torch.cat([real, imaginary], 3)
    )
    rest = [x[..., size:]] if size < int(x.shape[3]) else []
    result = torch.cat([turned, *rest], 3) if rest else turned
    return torch.flatten(result.transpose(1, 2), 2) if given.dim() == 3 else result


OPERATIONS: dict[str, Callable[[NodeCall], Any]] = {
    "Attention": _attend,
    "RotaryEmbedding": _rotate,
}
