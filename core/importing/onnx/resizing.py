"""Resize and Upsample: torch's interpolation where it does the same, else a matrix."""

from collections.abc import Callable
from typing import Any

from torch import Tensor, nn
from torch.nn import functional as F

from core.importing.onnx.call import Call, plain_number
from core.importing.onnx.resampling import resampled


def _resize(call: Call) -> Tensor:
    x, old = call.tensor(0), call.node.op == "Upsample" or call.node.opset < 11
    scales, wanted = _sizes(call, x, old)
    mode = "" if _lone(call, x, wanted) else _mode(call, x, old)
    kept = all(scales.get(a, 1.0) == 1 for a in (0, 1))
    ragged = [a for a, s in scales.items() if abs(s * int(x.shape[a]) - int(wanted[a])) > 1e-4]
    align = call.get("coordinate_transformation_mode") == "align_corners"
    corners = {} if mode.startswith("nearest") else {"align_corners": align}
    factors = [s for axis, s in scales.items() if axis > 1]
    given = not call.has(3) and call.get("keep_aspect_ratio_policy", "stretch") == "stretch"
    even = given and len(set(factors)) == 1 and len(factors) == x.dim() - 2
    cut = ragged and (align or not even)
    if not mode or not kept or cut or _ties(call, mode, x, wanted):
        return resampled(call, x, scales, wanted)
    if even:
        scale = factors[0]
        return call.layer(
            lambda: nn.Upsample(scale_factor=scale, mode=mode, **corners), "resize"
        )(x)  # fmt: skip
    return F.interpolate(x, wanted[2:], mode=mode, **corners)


def _sizes(call: Call, x: Tensor, old: bool) -> tuple[dict[int, float], list[Any]]:
    """The scale of each axis, and all sizes of the result."""
    scales = _fractions(call, 1 if old else 2) or call.get("scales")
    if len(call) == 2 and call.node.op == "Resize" and not old:
        scales = _fractions(call, 1)
    sizes = list(call.numbers(3) or []) if call.has(3) else None
    axes = [int(a) % x.dim() for a in call.get("axes") or range(len(scales or sizes or []))]
    wanted: list[Any] = list(x.shape)
    if not sizes:
        for axis, scale in zip(axes, scales or [], strict=True):
            wanted[axis] = _scaled(x.shape[axis], scale)
        return dict(zip(axes, scales or [], strict=True)), wanted
    if axes[0] == 0 and int(sizes[0]) == call.plan.batch:
        sizes[0] = x.shape[0]  # the samples, however many they are
    each = [int(n) / int(x.shape[a]) for a, n in zip(axes, sizes, strict=True)]
    policy = call.get("keep_aspect_ratio_policy", "stretch")
    if policy != "stretch":
        each = [(min if policy == "not_larger" else max)(each)] * len(each)
        sizes = [int(int(x.shape[a]) * s + 0.5) for a, s in zip(axes, each, strict=True)]
    for axis, new in zip(axes, sizes, strict=True):
        wanted[axis] = x.shape[axis] if int(new) == int(x.shape[axis]) else new
    return dict(zip(axes, each, strict=True)), wanted


def _lone(call: Call, x: Tensor, wanted: list[Any]) -> bool:
    """Whether one entry is to stand for many: ONNX then takes the first, torch the middle."""
    at = call.get("coordinate_transformation_mode")
    sizes = zip(x.shape, wanted, strict=True)
    return at == "pytorch_half_pixel" and any(int(n) == 1 < int(o) for o, n in sizes)


def _ties(call: Call, mode: str, x: Tensor, wanted: list[Any]) -> bool:
    """Whether a pixel lies between two: torch takes the upper one, ONNX the lower by itself."""
    if mode != "nearest-exact" or call.get("nearest_mode") == "round_prefer_ceil":
        return False
    return any(
        (2 * i + 1) * int(old) % (2 * int(new)) == 0
        for old, new in zip(x.shape[2:], wanted[2:], strict=True)
        for i in range(int(new))
    )


def _fractions(call: Call, place: int) -> list[float] | None:
    found = call.known(place) if call.has(place) else None
    if found is None or not found.size:
        return None
    return [float(plain_number(found.reshape(-1)[i : i + 1])) for i in range(found.size)]


def _scaled(size: Any, scale: float) -> Any:
    if scale == 1:
        return size
    return size * int(scale) if float(scale).is_integer() else int(int(size) * scale)


def _mode(call: Call, x: Tensor, old: bool) -> str:
    """The name of torch's mode that takes the same values, "" for none."""
    mode, rank = call.get("mode", "nearest"), x.dim() - 2
    if call.get("antialias"):  # torch's looks at no entries beyond an edge
        return ""
    at = call.get("coordinate_transformation_mode", "asymmetric" if old else "half_pixel")
    if mode == "nearest":
        rounding = call.get("nearest_mode", "floor" if old else "round_prefer_floor")
        if at == "asymmetric" and rounding == "floor":
            return "nearest"
        if at in ("half_pixel", "pytorch_half_pixel") and rounding.startswith("round"):
            return "nearest-exact"
    elif at not in ("half_pixel", "pytorch_half_pixel", "align_corners"):
        return ""
    elif mode == "linear":
        return {1: "linear", 2: "bilinear", 3: "trilinear"}.get(rank, "linear")
    elif mode == "cubic" and rank == 2:
        usual = abs(call.get("cubic_coeff_a", -0.75) + 0.75) < 1e-6
        if usual and not call.get("exclude_outside"):
            return "bicubic"
    return ""


OPERATIONS: dict[str, Callable[[Call], Any]] = {"Resize": _resize, "Upsample": _resize}
