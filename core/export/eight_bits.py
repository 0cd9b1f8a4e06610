"""How far a network's outputs move where its weights and values are kept in 8 bits.

Measured on the network itself, as `rounding.py` does for half precision: its weights and values are
rounded as ONNX Runtime's two ways of quantisation do.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils._python_dispatch import TorchDispatchMode

from core.export.parity import Inputs, copy_module
from core.export.rounding import RoundedValues, is_wide

LEVELS = 255
"""Steps of a value between its lowest and highest."""
WEIGHT_LEVELS = 64
"""Steps of a weight on each side of 0: 7 of its 8 bits are used."""
UNIT = 0.5 / LEVELS
"""The largest error of a value, as a share of its range."""
BATCH = 32
TINY = 1e-12
aten = torch.ops.aten
QUANTISED: Mapping[Any, int] = {
    aten.addmm: 1,
    aten.mm: 0,
    aten.linear: 0,
    aten.convolution: 0,
    aten.mkldnn_rnn_layer: 0,
}
"""Operations whose values are quantised at run time, and the place of that value among their
arguments."""
Run = Callable[..., Any]
Range = tuple[float, float]
Ranges = dict[tuple[int, str], Range]
"""The lowest and highest value of each operation, by its place in a run and its name."""


def dynamic(module: Run) -> Callable[[int], Run]:
    """The network with 8-bit weights, one scale for each, and 8-bit values at matrix products.

    The seed is 0 for rounding to the nearest; with others, values are moved before at random.
    """
    small = _with_small_weights(module, per_channel=False)

    def at(seed: int) -> Run:
        def run(*inputs: Tensor) -> Any:
            with _single_operations(), _Products(_generator(seed)):
                return small(*inputs)

        return run

    return at


def static(module: Run, samples: Inputs) -> Callable[[int], Run]:
    """The network with 8-bit weights, a scale for each channel, and every value in 8 bits between
    the lowest and the highest that calibration samples give it."""
    small, recorder = _with_small_weights(module, per_channel=True), _Recorder()
    for part in zip(*(column.split(BATCH) for column in samples), strict=True):
        recorder.place = 0
        with torch.no_grad(), _single_operations(), recorder:
            module(*part)
    borders = [_range(column) for column in samples]

    def at(seed: int) -> Run:
        def run(*inputs: Tensor) -> Any:
            generator = _generator(seed)
            near = [_kept(v, b, generator) for v, b in zip(inputs, borders, strict=True)]
            with _single_operations(), _Calibrated(recorder.ranges, generator):
                return small(*near)

        return run

    return at


class _Products(TorchDispatchMode):
    """Rounds what matrix products and convolutions receive, by the range that it has just then."""

    def __init__(self, generator: torch.Generator | None) -> None:
        super().__init__()
        self.generator = generator

    def __torch_dispatch__(
        self,
        func: Any,
        types: Sequence[type],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        place, read = QUANTISED.get(func.overloadpacket), list(args)
        if place is not None and is_wide(read[place]):
            read[place] = _kept(read[place], _range(read[place]), self.generator)
        return func(*read, **(kwargs or {}))


class _Recorder(RoundedValues):
    """Notes the range of what each operation gives."""

    def __init__(self) -> None:
        super().__init__()
        self.place, self.ranges = 0, Ranges()

    def kept(self, value: Tensor, operation: str) -> Tensor:
        key = self.place, operation
        low, high = _range(value)
        before = self.ranges.get(key, (low, high))
        self.ranges[key] = min(low, before[0]), max(high, before[1])
        self.place += 1
        return value


class _Calibrated(RoundedValues):
    """Rounds what each operation gives between the borders of its range, beyond which it is cut
    off."""

    def __init__(self, ranges: Ranges, generator: torch.Generator | None) -> None:
        super().__init__()
        self.place, self.ranges, self.generator = 0, ranges, generator

    def kept(self, value: Tensor, operation: str) -> Tensor:
        found = self.ranges.get((self.place, operation)) or _range(value)
        self.place += 1
        return _kept(value, found, self.generator)


def _range(value: Tensor) -> Range:
    """The lowest and highest finite value, with 0 among them."""
    if not value.is_floating_point():
        return 0.0, 0.0
    finite = value.masked_fill(~torch.isfinite(value), 0.0)
    if not finite.numel():
        return 0.0, 0.0
    low, high = finite.aminmax()
    return min(low.item(), 0.0), max(high.item(), 0.0)


def _kept(value: Tensor, borders: Range, generator: torch.Generator | None) -> Tensor:
    """A value as 8 bits hold it between these borders."""
    low, high = borders
    if not is_wide(value) or not value.numel():
        return value
    scale = max((high - low) / LEVELS, TINY)
    moved = value
    if generator is not None:
        moved = value + scale * torch.empty_like(value).uniform_(-0.5, 0.5, generator=generator)
    zero = min(LEVELS, max(0, round(-low / scale)))
    small = torch.fake_quantize_per_tensor_affine(moved, scale, zero, 0, LEVELS)
    return torch.where(torch.isfinite(value), small, value)


def _with_small_weights(module: Run, per_channel: bool) -> Run:
    """A copy whose matrices have the weights that 8 bits hold."""
    if not isinstance(module, nn.Module):
        return module
    small = copy_module(module)
    with torch.no_grad():
        for weight in small.parameters():
            if weight.dim() > 1 and is_wide(weight):
                weight.copy_(_small_weight(weight, per_channel))
    return small


def _small_weight(weight: Tensor, per_channel: bool) -> Tensor:
    most = weight.abs().flatten(1).amax(1) if per_channel else weight.abs().amax()[None]
    scale = (most / WEIGHT_LEVELS).clamp(min=TINY).reshape(-1, *[1] * (weight.dim() - 1))
    return (weight / scale).round() * scale


def _generator(seed: int) -> torch.Generator | None:
    return torch.Generator().manual_seed(seed) if seed else None


@contextmanager
def _single_operations() -> Iterator[None]:
    """Compute attention by its single operations, as a file holds it."""
    fast = torch.backends.mha.get_fastpath_enabled()
    torch.backends.mha.set_fastpath_enabled(False)
    try:
        with sdpa_kernel(SDPBackend.MATH):
            yield
    finally:
        torch.backends.mha.set_fastpath_enabled(fast)
