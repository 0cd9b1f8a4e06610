"""Elementwise operations: arithmetic with broadcasting, comparisons, activations."""

from collections.abc import Callable
from functools import reduce
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from core.export.onnx_draws import is_standard
from core.wings.importing.onnx.call import NodeCall

Operation = Callable[[NodeCall], Any]


def _one(function: Callable[[Tensor], Tensor]) -> Operation:
    return lambda call: function(call.tensor(0))


def sides(call: NodeCall) -> tuple[Any, Any]:
    """Two inputs; a single number stays a number."""
    _align(call)
    first, second = call.given[:2]
    if isinstance(first, Tensor) and isinstance(second, Tensor):
        return _raised(call, first, second.dim()), _raised(call, second, first.dim())
    if isinstance(first, Tensor):
        return first, call.operand(1, first.dim())
    if isinstance(second, Tensor):
        return call.operand(0, second.dim()), second
    return call.tensor(0), call.tensor(1)


def _align(call: NodeCall) -> None:
    """Let the second input begin at the axis that files older than opset 7 name."""
    first, second = call.given[:2]
    if call.node.opset < 7 and call.get("broadcast") and call.get("axis") is not None:
        behind = len(first.shape) - call.get("axis") % len(first.shape) - len(second.shape)
        call.given[1] = second.reshape(*second.shape, *(1,) * behind)


def _raised(call: NodeCall, x: Tensor, rank: int) -> Tensor:
    """Add the leading dimensions that ONNX's broadcasting implies: a drawing has a batch
    dimension."""
    batch = int(call.plan.anchor.shape[0])
    batched = batch > 0 and any(int(n) % batch == 0 for n in x.shape)
    for _ in range(rank - x.dim() if batched else 0):
        x = x.unsqueeze(0)
    return x


def _two(function: Callable[[Any, Any], Tensor]) -> Operation:
    return lambda call: function(*sides(call))


def _logical(function: Callable[[Tensor, Tensor], Tensor]) -> Operation:
    """A function of two masks, neither of which may be a plain number."""
    return lambda call: function(call.tensor(0), call.tensor(1))


def _compare(function: Any, mirrored: Any) -> Operation:
    """A comparison; torch needs the tensor as the first argument."""

    def run(call: NodeCall) -> Tensor:
        a, b = sides(call)
        return function(a, b) if isinstance(a, Tensor) else mirrored(b, a)

    return run


def _divide(call: NodeCall) -> Tensor:
    a, b = sides(call)
    whole = not any(isinstance(s, float) or is_float(s) for s in (a, b))
    return torch.div(a, b, rounding_mode="trunc") if whole else a / b


def is_float(x: Any) -> bool:
    """Whether a tensor is of floating point."""
    return isinstance(x, Tensor) and x.is_floating_point()


def _power(call: NodeCall) -> Tensor:
    a, b = sides(call)
    return in_dtype(torch.pow(a, b), dtype_of(call, 0))


def dtype_of(call: NodeCall, place: int) -> torch.dtype | None:
    """The dtype of an input; None for sizes, which have none."""
    value = call.given[place]
    if isinstance(value, Tensor):
        return value.dtype
    return getattr(torch, str(value.dtype), None)


def in_dtype(x: Tensor, dtype: torch.dtype | None) -> Tensor:
    """A result in the dtype of its operand, as ONNX has it: torch adds integers as int64."""
    return x if dtype in (None, x.dtype) else x.to(dtype)


def _modulo(call: NodeCall) -> Tensor:
    a, b = sides(call)
    return torch.fmod(a, b) if call.get("fmod") else torch.remainder(a, b)


def _many(function: Callable[[Any, Any], Tensor]) -> Operation:
    return lambda call: reduce(function, [call.tensor(i) for i in range(len(call))])


def _mean(call: NodeCall) -> Tensor:
    return reduce(torch.add, [call.tensor(i) for i in range(len(call))]) / len(call)


def _clip(call: NodeCall) -> Tensor:
    x = call.tensor(0)
    low, high = call.scalar(1, "min"), call.scalar(2, "max")
    if not x.is_floating_point():
        return x if low is None and high is None else torch.clamp(x, low, high)
    if (low, high) == (0.0, 6.0):
        return call.layer(nn.ReLU6, "relu")(x)
    if low is None and high is None:
        return x
    if low == 0 and high is None:
        return call.layer(nn.ReLU, "relu")(x)
    return torch.clamp(x, low, high)


def _cast(call: NodeCall) -> Tensor:
    x, kind = call.tensor(0), CASTS.get(call.get("to"))
    if kind is None:
        raise call.node.refuse("casts to a kind of number that torch's layers do not take.")
    return x if x.dtype == kind else x.to(kind)


CASTS = {
    1: torch.float32,
    2: torch.uint8,
    3: torch.int8,
    5: torch.int16,
    6: torch.int32,
    7: torch.int64,
    9: torch.bool,
    10: torch.float32,
    11: torch.float32,
    16: torch.bfloat16,
}
"""What Cast's numbers mean; the drawing calculates half and double precision in single."""


def _cast_like(call: NodeCall) -> Any:
    known, other = call.known(0), call.given[1]
    if known is not None and isinstance(other, Tensor) and known.dtype != object:
        return [known.astype(str(other.dtype).removeprefix("torch."))]
    x, other = call.tensor(0), call.tensor(1)
    return x if x.dtype == other.dtype else x.to(other.dtype)


def _layer(base: str, make: Callable[[NodeCall], nn.Module]) -> Operation:
    return lambda call: call.layer(lambda: make(call), base)(call.tensor(0))


def _softmax(kind: type[nn.Softmax] | type[nn.LogSoftmax], base: str) -> Operation:
    def run(call: NodeCall) -> Tensor:
        x, old = call.tensor(0), call.node.opset < 13
        dim = call.get("axis", 1 if old else -1) % x.dim()
        if not old or dim == x.dim() - 1:
            dim = -1 if dim == x.dim() - 1 and x.dim() > 2 else dim
            return call.layer(lambda: kind(dim), base)(x)
        layer = call.layer(lambda: kind(dim), base)
        return layer(torch.flatten(x, dim)).reshape(x.shape)

    return run


def _prelu(call: NodeCall) -> Tensor:
    x, slope = call.tensor(0), call.known(1)
    old = call.node.opset < 7  # where a slope is for the channels, whatever its shape
    by_channel = slope is not None and slope.size in (1, x.shape[1] if x.dim() > 1 else 1)
    if slope is None or not (by_channel if old else _is_by_channel(slope.shape, x)):
        weight = call.tensor(1)
        return torch.where(x < 0, x * weight, x)

    def make() -> nn.Module:
        layer = nn.PReLU(slope.size)
        with torch.no_grad():
            layer.weight.copy_(torch.from_numpy(slope.reshape(-1).copy()))
        return layer

    return call.layer(make, "prelu", 1)(x)


def _is_by_channel(shape: tuple[int, ...], x: Tensor) -> bool:
    """Whether an operand of this shape, aligned with the last axis as ONNX does, is one number or
    has one for each channel (axis 1) of x."""
    wide = (1,) * (x.dim() - len(shape)) + shape
    return len(wide) == x.dim() and all(n == 1 for i, n in enumerate(wide) if i != 1)


def _where(call: NodeCall) -> Tensor:
    condition = call.tensor(0)
    values = [g for g in call.given[1:] if isinstance(g, Tensor)]
    rank = max([condition.dim(), *(v.dim() for v in values)])
    first, second = call.operand(1, rank), call.operand(2, rank)
    numbers = [g for g in (first, second) if not isinstance(g, Tensor)]
    if any(isinstance(n, bool) for n in numbers):
        return torch.where(condition, call.tensor(1), call.tensor(2))
    if len({type(n) for n in numbers}) > 1:
        second = call.tensor(2)
    if isinstance(first, (int, float)) and is_float(second):
        first = float(first)
    return torch.where(condition, first, second)


def _thresholded(call: NodeCall) -> Tensor:
    return call.layer(lambda: nn.Threshold(call.get("alpha", 1.0), 0.0), "threshold")(
        call.tensor(0)
    )


def _shrink(call: NodeCall) -> Tensor:
    limit, bias, x = call.get("lambd", 0.5), call.get("bias", 0.0), call.tensor(0)
    if bias == 0:
        return call.layer(lambda: nn.Hardshrink(short(limit)), "shrink")(x)
    if bias == limit:
        return call.layer(lambda: nn.Softshrink(short(limit)), "shrink")(x)
    raise call.node.refuse(f"shrinks by {short(bias)} at {short(limit)}, which no block does.")


def short(number: float) -> float:
    """A float32 attribute with the fewest digits that round-trip."""
    return float(f"{number:.7g}")


def _hard_sigmoid(call: NodeCall) -> Tensor:
    x, slope, shift = call.tensor(0), call.get("alpha", 0.2), call.get("beta", 0.5)
    if abs(slope - 1 / 6) < 1e-6 and shift == 0.5:
        return call.layer(nn.Hardsigmoid, "hardsigmoid")(x)
    return torch.clamp(x * short(slope) + short(shift), 0.0, 1.0)


def _gelu(call: NodeCall) -> nn.Module:
    return nn.GELU(call.get("approximate", "none"))


def _swish(call: NodeCall) -> Tensor:
    x, alpha = call.tensor(0), call.get("alpha", 1.0)
    return call.layer(nn.SiLU, "silu")(x) if alpha == 1 else x * torch.sigmoid(x * short(alpha))


def _bernoulli(call: NodeCall) -> Any:
    raise call.node.refuse("draws random numbers in a way that no block supports.")


def _draw(call: NodeCall) -> Tensor:
    if not is_standard(call.node.op, dict(call.node.attributes)):
        raise call.node.refuse(
            "draws random numbers with another standard deviation than 1, or "
            "another number than torch."
        )
    like = torch.randn_like if call.node.op == "RandomNormalLike" else torch.rand_like
    return like(call.tensor(0))


OPERATIONS: dict[str, Operation] = {
    "Add": _two(lambda a, b: a + b),
    "Sub": _two(lambda a, b: a - b),
    "Mul": _two(lambda a, b: a * b),
    "Div": _divide,
    "Pow": _power,
    "Mod": _modulo,
    "Sum": _many(torch.add),
    "Max": _many(torch.maximum),
    "Min": _many(torch.minimum),
    "Mean": _mean,
    "Clip": _clip,
    "Cast": _cast,
    "CastLike": _cast_like,
    "Where": _where,
    "Equal": _compare(torch.eq, torch.eq),
    "Less": _compare(torch.lt, torch.gt),
    "Greater": _compare(torch.gt, torch.lt),
    "LessOrEqual": _compare(torch.le, torch.ge),
    "GreaterOrEqual": _compare(torch.ge, torch.le),
    "And": _logical(torch.logical_and),
    "Or": _logical(torch.logical_or),
    "Xor": _logical(torch.logical_xor),
    "Not": _one(torch.logical_not),
    "IsNaN": _one(torch.isnan),
    "Neg": _one(torch.neg),
    "Abs": _one(torch.abs),
    "Sign": _one(torch.sign),
    "Sqrt": _one(torch.sqrt),
    "Reciprocal": _one(torch.reciprocal),
    "Exp": _one(torch.exp),
    "Log": _one(torch.log),
    "Sin": _one(torch.sin),
    "Cos": _one(torch.cos),
    "Tan": _one(torch.tan),
    "Atan": _one(torch.atan),
    "Sinh": _one(torch.sinh),
    "Cosh": _one(torch.cosh),
    "Erf": _one(torch.erf),
    "Floor": _one(torch.floor),
    "Ceil": _one(torch.ceil),
    "Round": _one(torch.round),
    "Relu": _layer("relu", lambda c: nn.ReLU()),
    "Sigmoid": _layer("sigmoid", lambda c: nn.Sigmoid()),
    "Tanh": _layer("tanh", lambda c: nn.Tanh()),
    "LeakyRelu": _layer("leaky_relu", lambda c: nn.LeakyReLU(short(c.get("alpha", 0.01)))),
    "Elu": _layer("elu", lambda c: nn.ELU(short(c.get("alpha", 1.0)))),
    "Celu": _layer("celu", lambda c: nn.CELU(short(c.get("alpha", 1.0)))),
    "Softplus": _layer("softplus", lambda c: nn.Softplus()),
    "Softsign": _layer("softsign", lambda c: nn.Softsign()),
    "HardSwish": _layer("hardswish", lambda c: nn.Hardswish()),
    "Swish": _swish,
    "Mish": _layer("mish", lambda c: nn.Mish()),
    "Gelu": _layer("gelu", _gelu),
    "HardSigmoid": _hard_sigmoid,
    "ThresholdedRelu": _thresholded,
    "Shrink": _shrink,
    "PRelu": _prelu,
    "Softmax": _softmax(nn.Softmax, "softmax"),
    "LogSoftmax": _softmax(nn.LogSoftmax, "log_softmax"),
    "Bernoulli": _bernoulli,
    "RandomNormalLike": _draw,
    "RandomUniformLike": _draw,
}


def _selu(call: NodeCall) -> Tensor:
    alpha, gamma = call.get("alpha", 1.6732632), call.get("gamma", 1.0507010)
    x = call.tensor(0)
    if abs(alpha - 1.6732632) < 1e-6 and abs(gamma - 1.0507010) < 1e-6:
        return call.layer(nn.SELU, "selu")(x)
    return F.elu(x, short(alpha)) * short(gamma)


OPERATIONS["Selu"] = _selu
