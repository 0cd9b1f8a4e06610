"""Layers with weights: convolution, linear, normalisation, dropout."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from core.wings.importing.onnx.call import NodeCall
from core.wings.importing.onnx.ops.elementwise import short
from core.wings.importing.onnx.ops.pool import padded, simple


def filled(layer: nn.Module, **weights: Any) -> nn.Module:
    """Copy arrays into a layer's weights."""
    with torch.no_grad():
        for name, value in weights.items():
            if value is not None:
                getattr(layer, name).copy_(torch.from_numpy(np.array(value)))
    return layer


CONVOLUTIONS: dict[int, Any] = {1: nn.Conv1d, 2: nn.Conv2d, 3: nn.Conv3d}
TRANSPOSED: dict[int, Any] = {1: nn.ConvTranspose1d, 2: nn.ConvTranspose2d, 3: nn.ConvTranspose3d}


def _weight(call: NodeCall, place: int, what: str) -> Any:
    result = call.known(place)
    if result is None:
        raise call.node.refuse(
            f"calculates its {what} from data, but a layer owns its weights.",
            "Import a file whose weights are initialisers.",
        )
    return result


def _convolve(call: NodeCall) -> Tensor:
    weight = _weight(call, 1, "weight")
    rank = weight.ndim - 2
    if rank not in CONVOLUTIONS:
        raise call.node.refuse(f"convolves over {rank} dimensions, but torch over 1 to 3.")
    x, padding = padded(call, call.tensor(0), list(weight.shape[2:]))
    bias = call.known(2)

    def make() -> nn.Module:
        group = call.get("group", 1)
        layer = CONVOLUTIONS[rank](
            weight.shape[1] * group,
            weight.shape[0],
            simple(weight.shape[2:]),
            simple(call.get("strides", [1] * rank)),
            simple(padding),
            simple(call.get("dilations", [1] * rank)),
            group,
            bias is not None,
        )
        return filled(layer, weight=weight, bias=bias)

    return call.layer(make, "conv", 1)(x)


def _transposed(call: NodeCall) -> Tensor:
    weight = _weight(call, 1, "weight")
    rank = weight.ndim - 2
    strides = call.get("strides", [1] * rank)
    dilations = call.get("dilations", [1] * rank)
    extra = call.get("output_padding", [0] * rank)
    pads = call.get("pads", [0] * 2 * rank)
    if call.get("auto_pad", "NOTSET") in ("SAME_UPPER", "SAME_LOWER") or call.get("output_shape"):
        pads, extra = _fitted(call, weight.shape[2:], strides, dilations, extra)
    low, high = pads[:rank], pads[rank:]
    common = [min(a, b) for a, b in zip(low, high, strict=True)]
    if max(extra) and any(e >= s for e, s in zip(extra, strides, strict=True)):
        raise call.node.refuse("pads its result by more than its stride, which torch refuses.")

    def make() -> nn.Module:
        group = call.get("group", 1)
        layer = TRANSPOSED[rank](
            weight.shape[0],
            weight.shape[1] * group,
            simple(weight.shape[2:]),
            simple(strides),
            simple(common),
            simple(extra),
            group,
            call.has(2),
            simple(dilations),
        )
        return filled(layer, weight=weight, bias=call.known(2))

    result = call.layer(make, "up", 1)(call.tensor(0))
    return _cropped(result, low, high, common)


def _fitted(
    call: NodeCall, kernel: Any, strides: Any, dilations: Any, extra: Any
) -> tuple[list[int], list[int]]:
    """The pads of a transposed convolution for a given output size, as ONNX defines them."""
    sizes = [int(n) for n in call.tensor(0).shape[2:]]
    wanted = call.get("output_shape") or [s * t for s, t in zip(sizes, strides, strict=True)]
    rank, low, high = len(sizes), list[int](), list[int]()
    for i, size in enumerate(sizes):
        reach = (kernel[i] - 1) * dilations[i] + 1
        total = strides[i] * (size - 1) + extra[i] + reach - wanted[-rank:][i]
        half = total // 2
        upper = call.get("auto_pad", "NOTSET") == "SAME_UPPER"
        low.append(half if upper else total - half)
        high.append(total - half if upper else half)
    if min(low + high) < 0:
        extra = [e - min(a + b, 0) for e, a, b in zip(extra, low, high, strict=True)]
        low, high = [max(a, 0) for a in low], [max(b, 0) for b in high]
    call.fix(f"{call.node.place} pads for an input of {sizes}")
    return low + high, list(extra)


def _cropped(x: Tensor, low: list[int], high: list[int], common: list[int]) -> Tensor:
    cut = [
        -(p - c)
        for a, b, c in zip(low[::-1], high[::-1], common[::-1], strict=True)
        for p in (a, b)
    ]
    return F.pad(x, cut) if any(cut) else x


def _gemm(call: NodeCall) -> Tensor:
    weight, bias = call.known(1), call.known(2) if call.has(2) else None
    plain = call.get("alpha", 1.0) == 1 and call.get("beta", 1.0) == 1 and not call.get("transA")
    rows = 0 if weight is None else weight.shape[0 if call.get("transB") else 1]
    fits = not call.has(2) or (bias is not None and bias.shape in ((rows,), (1, rows)))
    if weight is not None and plain and fits and isinstance(call.given[0], Tensor):
        turned = weight if call.get("transB") else weight.T
        return linear(call, turned, bias, call.tensor(0))
    a, b = call.tensor(0), call.tensor(1)
    a = a.transpose(0, 1) if call.get("transA") else a
    b = b.transpose(0, 1) if call.get("transB") else b
    result = torch.matmul(a, b)
    result = result if call.get("alpha", 1.0) == 1 else result * short(call.get("alpha"))
    if not call.has(2):
        return result
    c = call.operand(2, 2)
    return result + (c if call.get("beta", 1.0) == 1 else c * short(call.get("beta")))


def linear(call: NodeCall, weight: Any, bias: Any, x: Tensor) -> Tensor:
    """An nn.Linear with weights in torch's layout."""

    def make() -> nn.Module:
        layer = nn.Linear(weight.shape[1], weight.shape[0], bias is not None)
        return filled(layer, weight=weight, bias=None if bias is None else bias.reshape(-1))

    return call.layer(make, "fc", 1)(x)


def _matmul(call: NodeCall) -> Tensor:
    weight = call.known(1)
    if weight is not None and weight.ndim == 2 and weight.dtype.kind == "f":
        x = call.tensor(0)
        bias = call.known(2) if len(call) > 2 else None
        return linear(call, weight.T, bias, x)
    a, b = call.tensor(0), call.tensor(1)
    for _ in range(a.dim() - b.dim() if b.dim() > 2 else 0):
        b = b.unsqueeze(0)
    return torch.matmul(a, b)


def _batch_norm(call: NodeCall) -> Tensor:
    x = call.tensor(0)
    scale, bias, mean, var = (_weight(call, i, "statistics") for i in range(1, 5))
    if call.get("training_mode") or not call.get("spatial", 1):
        raise call.node.refuse("normalises as in training.", "Export the model in eval mode.")
    kinds: dict[int, Any] = {
        2: nn.BatchNorm1d,
        3: nn.BatchNorm1d,
        4: nn.BatchNorm2d,
        5: nn.BatchNorm3d,
    }
    if x.dim() not in kinds:
        raise call.node.refuse(f"normalises {x.dim()} dimensions, but torch 2 to 5.")

    def make() -> nn.Module:
        layer = kinds[x.dim()](
            scale.size, short(call.get("epsilon", 1e-5)), short(1 - call.get("momentum", 0.9))
        )
        return filled(layer, weight=scale, bias=bias, running_mean=mean, running_var=var)

    return call.layer(make, "bn", 1)(x)


def _instance_norm(call: NodeCall) -> Tensor:
    x, scale, bias = call.tensor(0), _weight(call, 1, "scale"), _weight(call, 2, "bias")
    kinds: dict[int, Any] = {3: nn.InstanceNorm1d, 4: nn.InstanceNorm2d, 5: nn.InstanceNorm3d}
    if x.dim() not in kinds:
        raise call.node.refuse(f"normalises {x.dim()} dimensions, but torch 3 to 5.")

    def make() -> nn.Module:
        layer = kinds[x.dim()](scale.size, short(call.get("epsilon", 1e-5)), affine=True)
        return filled(layer, weight=scale, bias=bias)

    return call.layer(make, "norm", 1)(x)


def _layer_norm(call: NodeCall) -> Any:
    x, scale = call.tensor(0), _weight(call, 1, "scale")
    axis = call.get("axis", -1) % x.dim()
    shape = [int(n) for n in x.shape[axis:]]
    rms = call.node.op == "RMSNormalization"
    if axis == 0:
        raise call.node.refuse("normalises over the samples, too.")
    if scale.ndim > len(shape):
        raise call.node.refuse("scales by weights of another shape than it normalises.")

    def make() -> nn.Module:  # copying broadcasts the weights as ONNX does
        eps = short(call.get("epsilon", 1e-5))
        if rms:
            return filled(nn.RMSNorm(shape, eps), weight=scale)
        layer = nn.LayerNorm(shape, eps, bias=call.has(2))
        return filled(layer, weight=scale, bias=call.known(2) if call.has(2) else None)

    found = call.layer(make, "norm", 1)(x)
    return _with_statistics(call, x, found, axis) if any(call.node.outputs[1:]) else found


def _with_statistics(call: NodeCall, x: Tensor, found: Tensor, axis: int) -> list[Tensor]:
    axes = tuple(range(axis, x.dim()))
    mean = torch.mean(x, axes, True)
    square = torch.mean(torch.square(x - mean), axes, True)
    return [found, mean, torch.rsqrt(square + short(call.get("epsilon", 1e-5)))]


def _group_norm(call: NodeCall) -> Tensor:
    x, scale, bias = call.tensor(0), _weight(call, 1, "scale"), _weight(call, 2, "bias")
    groups, channels = call.get("num_groups"), int(x.shape[1])
    if scale.size != channels:
        scale, bias = (np.repeat(w, channels // groups) for w in (scale, bias))

    def make() -> nn.Module:
        layer = nn.GroupNorm(groups, channels, short(call.get("epsilon", 1e-5)))
        return filled(layer, weight=scale, bias=bias)

    return call.layer(make, "norm", 1)(x)


def _local_norm(call: NodeCall) -> Tensor:
    def make() -> nn.Module:
        return nn.LocalResponseNorm(
            call.get("size"),
            short(call.get("alpha", 1e-4)),
            short(call.get("beta", 0.75)),
            short(call.get("bias", 1.0)),
        )

    return call.layer(make, "lrn")(call.tensor(0))


def _dropout(call: NodeCall) -> Any:
    ratio = call.scalar(1, "ratio", 0.5) if call.has(1) else call.get("ratio", 0.5)
    if call.has(2) and call.scalar(2) and ratio:
        raise call.node.refuse("drops as in training.", "Export the model in eval mode.")
    x = call.tensor(0)
    result = call.layer(lambda: nn.Dropout(short(ratio)), "dropout")(x)
    if not call.reads(1):
        return result
    call.fix(f"{call.node.place} hands on a mask that drops nothing, as outside of training")
    return [result, torch.ones_like(x, dtype=torch.bool)]


OPERATIONS: dict[str, Callable[[NodeCall], Any]] = {
    "Conv": _convolve,
    "ConvTranspose": _transposed,
    "Gemm": _gemm,
    "MatMul": _matmul,
    "BatchNormalization": _batch_norm,
    "InstanceNormalization": _instance_norm,
    "LayerNormalization": _layer_norm,
    "RMSNormalization": _layer_norm,
    "GroupNormalization": _group_norm,
    "LRN": _local_norm,
    "Dropout": _dropout,
}
