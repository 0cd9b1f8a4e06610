"""Resize and Upsample, as far as torch's interpolation does the same."""

from collections.abc import Callable
from typing import Any

from torch import Tensor, nn
from torch.nn import functional as F

from core.importing.onnx.call import Call, plain_number


def _resize(call: Call) -> Tensor:
    x, old = call.tensor(0), call.node.op == "Upsample" or call.node.opset < 11
    place = 1 if old else 2
    scales = _fractions(call, place) or call.get("scales")
    if len(call) == 2 and call.node.op == "Resize" and not old:
        scales = _fractions(call, 1)
    sizes = call.numbers(3) if call.has(3) else None
    axes = call.get("axes") or range(len(scales or sizes or []))
    mode = _mode(call, x, old)
    wanted: list[Any] = list(x.shape)
    for i, axis in enumerate(axes):
        wanted[axis] = sizes[i] if sizes else _scaled(x.shape[axis], (scales or [])[i])
    if any(int(a) != int(b) for a, b in zip(wanted[:2], x.shape[:2], strict=True)):
        raise call.node.refuse("resizes samples or channels, not images.")
    if call.get("keep_aspect_ratio_policy", "stretch") != "stretch":
        raise call.node.refuse("keeps the aspect ratio, which torch does not.")
    ragged = [a for a, s in zip(axes, scales or [], strict=False) if s * int(x.shape[a]) % 1]
    align = call.get("coordinate_transformation_mode") == "align_corners"
    corners = {} if mode.startswith("nearest") else {"align_corners": align}
    factors = [s for axis, s in zip(axes, scales or [], strict=False) if axis > 1]
    even = not sizes and len(set(factors)) == 1 and len(factors) == x.dim() - 2
    if ragged and not sizes and (align or call.get("antialias") or not even):
        raise call.node.refuse("resizes to a size that is no whole number, then cuts it.")
    if mode == "nearest-exact" and call.get("nearest_mode") != "round_prefer_ceil":
        _no_ties(call, x, wanted)
    if call.get("antialias"):
        return F.interpolate(x, wanted[2:], mode=mode, antialias=True, **corners)
    if even:
        scale = factors[0]
        return call.layer(
            lambda: nn.Upsample(scale_factor=scale, mode=mode, **corners), "resize"
        )(x)  # fmt: skip
    return F.interpolate(x, wanted[2:], mode=mode, **corners)


def _no_ties(call: Call, x: Tensor, wanted: list[Any]) -> None:
    """torch rounds up where a pixel lies between two, ONNX down by itself."""
    for old, new in zip(x.shape[2:], wanted[2:], strict=True):
        if any((2 * i + 1) * int(old) % (2 * int(new)) == 0 for i in range(int(new))):
            raise call.node.refuse(
                "takes the lower of two pixels just as near, but torch the upper."
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
    """The name of torch's mode that takes the same values. Raises ImportRefused."""
    mode, rank = call.get("mode", "nearest"), x.dim() - 2
    at = call.get("coordinate_transformation_mode", "asymmetric" if old else "half_pixel")
    if mode == "nearest":
        rounding = call.get("nearest_mode", "floor" if old else "round_prefer_floor")
        if at == "asymmetric" and rounding == "floor":
            return "nearest"
        if at in ("half_pixel", "pytorch_half_pixel") and rounding.startswith("round"):
            return "nearest-exact"
    elif mode == "linear" and at in ("half_pixel", "pytorch_half_pixel", "align_corners"):
        return {1: "linear", 2: "bilinear", 3: "trilinear"}.get(rank, "linear")
    elif mode == "cubic" and rank == 2 and at != "asymmetric":
        usual = abs(call.get("cubic_coeff_a", -0.75) + 0.75) < 1e-6
        if usual and not call.get("exclude_outside"):
            return "bicubic"
    raise call.node.refuse(f"resizes by {mode} with {at}, which torch's interpolation does not.")


OPERATIONS: dict[str, Callable[[Call], Any]] = {"Resize": _resize, "Upsample": _resize}
