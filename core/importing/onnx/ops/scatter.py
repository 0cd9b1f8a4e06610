"""Reading and writing at places that numbers name, and sequences turned round by their length."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from core.importing.onnx.call import Call
from core.importing.onnx.ops.elementwise import CASTS, short


def _gather(call: Call) -> Tensor:
    """Each row of numbers names one place, from the dimension behind batch_dims on."""
    x, places, shared = call.tensor(0), call.tensor(1), call.get("batch_dims", 0)
    if shared > 1:
        raise call.node.refuse(f"reads in {shared} dimensions side by side, of more than samples.")
    rows = list(torch.unbind(places, -1))
    if shared:
        samples = torch.arange(x.shape[0], device=call.plan.anchor.device)
        ones = [1] * (rows[0].dim() - 1)
        rows.insert(0, samples.reshape([-1, *ones]) if ones else samples)
    return x[tuple(rows)]


def _written(call: Call) -> Tensor:
    """A copy with what is given written at the places that rows of numbers name."""
    _plainly(call)
    x, places, new = (call.tensor(i) for i in range(3))
    x = x.clone()
    x[tuple(torch.unbind(places, -1))] = new
    return x


def _elements(call: Call) -> Tensor:
    """A copy in which each number names a place of its own line."""
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


def _plainly(call: Call) -> None:
    if call.get("reduction", "none") != "none":
        raise call.node.refuse(
            f"joins what it writes with what is there ({call.get('reduction')}), and no block does."
        )


def _compress(call: Call) -> Tensor:
    """Entries where a mask that the file holds is true."""
    x, mask, axis = call.tensor(0), call.known(1), call.get("axis")
    if mask is None:
        raise call.node.refuse("keeps entries by a mask calculated from data.")
    if axis is None or axis % x.dim() == 0:
        raise call.node.refuse("keeps some of the samples and drops others.")
    places = np.nonzero(mask.reshape(-1))[0]
    return torch.index_select(x, axis % x.dim(), call.constant("places", places))


def _nonzero(call: Call) -> Tensor:
    return torch.stack(torch.where(call.tensor(0)))


def _reverse(call: Call) -> Tensor:
    """The first entries of every sample in turned order, as many as its length says."""
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


def _hardmax(call: Call) -> Tensor:
    """One at the first of the largest numbers, zeros elsewhere."""
    x, old = call.tensor(0), call.node.opset < 13
    axis = call.get("axis", 1 if old else -1) % x.dim()
    if old and axis != x.dim() - 1:
        raise call.node.refuse("looks for one largest number in several dimensions.")
    if axis == 0:
        raise call.node.refuse("looks for the largest number among the samples.")
    found = F.one_hot(torch.argmax(x, axis), int(x.shape[axis]))
    found = found if axis == x.dim() - 1 else torch.movedim(found, -1, axis)
    return found.to(x.dtype)


def _eye(call: Call) -> Tensor:
    x, k = call.tensor(0), call.get("k", 0)
    return torch.tril(torch.triu(torch.ones_like(x, dtype=_kind(call, x)), k), k)


def _aligned(call: Call) -> Tensor:
    """Boxes cut out of feature maps, by torchvision's function."""
    from torchvision.ops import roi_align

    if call.get("mode", "avg") != "avg":
        raise call.node.refuse("keeps the largest of its points, where torchvision averages.")
    x, boxes, samples = (call.tensor(i) for i in range(3))
    old = call.node.opset < 16
    at = call.get("coordinate_transformation_mode", "output_half_pixel" if old else "half_pixel")
    return roi_align(
        x, torch.cat([samples.to(boxes.dtype).unsqueeze(1), boxes], 1),
        (call.get("output_height", 1), call.get("output_width", 1)),
        short(call.get("spatial_scale", 1.0)), call.get("sampling_ratio", 0) or -1,
        at == "half_pixel",
    )  # fmt: skip


def _kind(call: Call, x: Tensor) -> torch.dtype:
    return CASTS.get(call.get("dtype"), x.dtype) if call.get("dtype") else x.dtype


OPERATIONS: dict[str, Callable[[Call], Any]] = {
    "GatherND": _gather, "ScatterND": _written, "ScatterElements": _elements,
    "Scatter": _elements, "Compress": _compress, "NonZero": _nonzero,
    "ReverseSequence": _reverse, "Hardmax": _hardmax, "EyeLike": _eye,
    "RoiAlign": _aligned,
}  # fmt: skip
