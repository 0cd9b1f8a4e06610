"""GatherND, scatter, compress, one-hot maximum, reversed sequences, RoI align."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from core.wings.importing.onnx.call import NodeCall
from core.wings.importing.onnx.ops.elementwise import CASTS, short


def _gather(call: NodeCall) -> Tensor:
    """GatherND: each row of indices selects an entry, from the dimension behind batch_dims on."""
    x, places, shared = call.tensor(0), call.tensor(1), call.get("batch_dims", 0)
    if shared > 1:
        raise call.node.refuse(f"reads in {shared} dimensions side by side, of more than samples.")
    rows = list(torch.unbind(places, -1))
    if shared:
        samples = torch.arange(x.shape[0], device=call.plan.anchor.device)
        ones = [1] * (rows[0].dim() - 1)
        rows.insert(0, samples.reshape([-1, *ones]) if ones else samples)
    return x[tuple(rows)]


def _written(call: NodeCall) -> Tensor:
    """ScatterND: a copy with updates at the positions of rows of indices."""
    _plainly(call)
    x, places, new = (call.tensor(i) for i in range(3))
    x = x.clone()
    x[tuple(torch.unbind(places, -1))] = new
    return x


def _elements(call: NodeCall) -> Tensor:
    """ScatterElements: a copy in which each index selects a position along the axis."""
    _plainly(call)
    x, places, new = (call.tensor(i) for i in range(3))
    axis = call.get("axis", 0) % x.dim()
    rows: list[Tensor] = []
    for i, size in enumerate(places.shape):
        if i == axis:
            rows.append(places)
            continue
        line = torch.arange(size, device=call.plan.anchor.device)
        sizes = [1] * x.dim()
        sizes[i] = -1
        rows.append(line.reshape(sizes))
    x = x.clone()
    x[tuple(rows)] = new
    return x


def _plainly(call: NodeCall) -> None:
    if call.get("reduction", "none") != "none":
        raise call.node.refuse(
            f"joins what it writes with what is there ({call.get('reduction')}), and no block does."
        )


def _compress(call: NodeCall) -> Tensor:
    """Entries where a constant mask is true."""
    x, mask, axis = call.tensor(0), call.known(1), call.get("axis")
    if mask is None:
        raise call.node.refuse("keeps entries by a mask calculated from data.")
    if axis is None or axis % x.dim() == 0:
        raise call.node.refuse("keeps some of the samples and drops others.")
    places = np.nonzero(mask.reshape(-1))[0]
    return torch.index_select(x, axis % x.dim(), call.constant("places", places))


def _nonzero(call: NodeCall) -> Tensor:
    return torch.stack(torch.where(call.tensor(0)))


def _reverse(call: NodeCall) -> Tensor:
    """ReverseSequence: the first entries of each sample reversed, as many as its length."""
    x, lengths = call.tensor(0), call.tensor(1)
    time, batch = call.get("time_axis", 0), call.get("batch_axis", 1)
    sizes = [1] * x.dim()
    sizes[time] = -1
    step = torch.arange(x.shape[time], device=call.plan.anchor.device).reshape(sizes)
    sizes = [1] * x.dim()
    sizes[batch] = -1
    end = lengths.reshape(sizes)
    places = torch.where(torch.lt(step, end), end - 1 - step, step)
    return torch.gather(x, time, places.expand_as(x))


def _hardmax(call: NodeCall) -> Tensor:
    """One at the first maximum, zeros elsewhere."""
    x, old = call.tensor(0), call.node.opset < 13
    axis = call.get("axis", 1 if old else -1) % x.dim()
    if old and axis != x.dim() - 1:
        raise call.node.refuse("looks for one largest number in several dimensions.")
    if axis == 0:
        raise call.node.refuse("looks for the largest number among the samples.")
    found = F.one_hot(torch.argmax(x, axis), int(x.shape[axis]))
    found = found if axis == x.dim() - 1 else torch.movedim(found, -1, axis)
    return found.to(x.dtype)


def _eye(call: NodeCall) -> Tensor:
    x, k = call.tensor(0), call.get("k", 0)
    return torch.tril(torch.triu(torch.ones_like(x, dtype=_kind(call, x)), k), k)


def _aligned(call: NodeCall) -> Tensor:
    """torchvision's roi_align."""
    from torchvision.ops import roi_align

    if call.get("mode", "avg") != "avg":
        raise call.node.refuse("keeps the largest of its points, where torchvision averages.")
    x, boxes, samples = (call.tensor(i) for i in range(3))
    old = call.node.opset < 16
    at = call.get("coordinate_transformation_mode", "output_half_pixel" if old else "half_pixel")
    return roi_align(
        x,
        torch.cat([samples.to(boxes.dtype).unsqueeze(1), boxes], 1),
        (call.get("output_height", 1), call.get("output_width", 1)),
        short(call.get("spatial_scale", 1.0)),
        call.get("sampling_ratio", 0) or -1,
        at == "half_pixel",
    )


def _kind(call: NodeCall, x: Tensor) -> torch.dtype:
    return CASTS.get(call.get("dtype"), x.dtype) if call.get("dtype") else x.dtype


OPERATIONS: dict[str, Callable[[NodeCall], Any]] = {
    "GatherND": _gather,
    "ScatterND": _written,
    "ScatterElements": _elements,
    "Scatter": _elements,
    "Compress": _compress,
    "NonZero": _nonzero,
    "ReverseSequence": _reverse,
    "Hardmax": _hardmax,
    "EyeLike": _eye,
    "RoiAlign": _aligned,
}
