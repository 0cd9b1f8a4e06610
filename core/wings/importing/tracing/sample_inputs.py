"""Samples for verdicts: inputs, perturbed weights, and our module with the same weights."""

from collections.abc import Callable, Iterator, Mapping, Sequence

import torch
from torch import Tensor, nn

from core.common.device import CPU

WHOLE = "whole and half"
SCALES: dict[str, Callable[[Tensor], Tensor]] = {
    "normal": lambda t: (t - 0.5) * 3.46,  # of mean 0 and deviation 1
    "negative": lambda t: -t,
    "zeros": torch.zeros_like,
    "large": lambda t: (t - 0.5) * 1000,
    WHOLE: lambda t: torch.round((t - 0.5) * 40) / 2,
}
"""What verdicts try besides values in [0, 1)."""
SEEDS = ["normal", "negative", "zeros", "large", "", WHOLE]
"""The order of the scales in the seeds of their samples."""


SEED = 90_181
"""Of random numbers while results are compared: none that a model is likely to set itself."""


def samples(
    shapes: Sequence[tuple[int, ...]],
    dtypes: Sequence[str],
    batch: int,
    device: str = CPU,
    scale: str = "",
) -> list[Tensor]:
    """Inputs of the given shapes: values in [0, 1), or of another scale; integers of their range.

    dtypes: torch's names, with a bound where integers have one: int64<100.
    """
    random = torch.Generator().manual_seed(batch + 100 * (1 + SEEDS.index(scale)))
    result: list[Tensor] = []
    for shape, name in zip(shapes, dtypes, strict=True):
        name, _, bound = name.partition("<")
        dtype, size = getattr(torch, name), (batch, *shape)
        if device == "meta":
            result.append(torch.empty(size, dtype=dtype, device=device))
        elif dtype.is_floating_point:
            drawn = torch.rand(size, generator=random)
            result.append((SCALES[scale](drawn) if scale else drawn).to(dtype))
        else:
            free = scale == WHOLE and not bound and dtype != torch.bool
            low, high = FREE if free else (0, int(bound or 2))
            drawn = torch.randint(max(low, integers(dtype)), high, size, generator=random)
            ends = {"zeros": 0, "large": int(bound or 2) - 1}
            result.append((drawn.fill_(ends[scale]) if scale in ends else drawn).to(dtype))
    return result


FREE = (-9, 10)
"""From where to where integers without a bound are tried."""


def integers(dtype: torch.dtype) -> int:
    """The smallest integer of a dtype."""
    return 0 if dtype == torch.bool else torch.iinfo(dtype).min


LARGE = 224
"""Side of an image from which on another size is a smaller one, which takes less time; of a video
half of it."""
LONG = 8
"""Frames from which on another length of a video is a shorter one."""


def other_sizes(shapes: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """The same inputs with images of another size, neither side in step with the other."""

    def other(shape: tuple[int, ...]) -> tuple[int, ...]:
        if len(shape) not in (3, 4):
            return shape
        *c, h, w = shape
        c = (c[0], c[1] * 3 // 4 if c[1] >= LONG else c[1] + 2) if len(c) == 2 else c
        if not are_large(shapes):
            return *c, h + 32, w + 64
        return *c, h * 5 // 7 // 32 * 32, w * 4 // 7 // 32 * 32

    return [other(shape) for shape in shapes]


def other_lengths(
    shapes: Sequence[tuple[int, ...]], dtypes: Sequence[str]
) -> Iterator[list[tuple[int, ...]]]:
    """The same inputs with sequences of another length, longer and shorter: each of the ways in
    which tokens, or rows of numbers, may be sequences."""
    tokens = [i for i, name in enumerate(dtypes) if not name.startswith("float")]
    rows = [i for i, shape in enumerate(shapes) if len(shape) == 2]
    begun = next(iter([*tokens, *rows]), None)
    if begun is None or not shapes[begun]:
        return
    for dim in range(len(shapes[begun])):
        length = shapes[begun][dim]
        for other in (length + 3, length - length // 3):
            if other != length:
                yield [
                    (*s[:dim], other, *s[dim + 1 :]) if len(s) > dim and s[dim] == length else s
                    for s in shapes
                ]


def are_large(shapes: Sequence[tuple[int, ...]]) -> bool:
    """Whether the inputs are images of the usual size or more."""
    images = [(len(shape), *shape[-2:]) for shape in shapes if len(shape) in (3, 4)]
    least = {3: LARGE, 4: LARGE // 2}
    return bool(images) and all(min(sides) >= least[rank] for rank, *sides in images)


def perturb(module: nn.Module, seed: int = 0) -> None:
    """Move every floating parameter and buffer a little, reproducibly."""
    noise = Noise(seed)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.add_(noise.take(parameter.shape))
        for buffer in module.buffers():
            if buffer.is_floating_point() and not is_mask(buffer):
                buffer.add_(noise.take(buffer.shape).abs() * 4)


def is_mask(buffer: Tensor) -> bool:
    """Whether a buffer holds what chooses or counts, which others values would make senseless:
    a mask of ones or of infinities, a table of whole numbers."""
    whole = bool((buffer.isinf() | (buffer == buffer.round())).all())
    return whole and (buffer.dim() > 1 or not bool(buffer.isfinite().all()))


class Noise:
    """Small random numbers, drawn once; a tensor takes them from where the last one ended.

    Their count is a prime, so that no two tensors, and no two rows of one, get the same.
    """

    COUNT = 1_048_583

    def __init__(self, seed: int) -> None:
        random = torch.Generator().manual_seed(seed)
        self.drawn = torch.randn(self.COUNT, generator=random) * 0.02
        self.next = 0

    def take(self, shape: torch.Size) -> Tensor:
        """As many as a tensor of this shape holds."""
        begin, count = self.next, shape.numel()
        self.next = (begin + count) % self.COUNT
        rounds = (begin + count) // self.COUNT + 1
        whole = self.drawn if rounds == 1 else self.drawn.repeat(rounds)
        return whole[begin : begin + count].reshape(shape)


def adopt(ours: nn.Module, state: Mapping[str, Tensor]) -> None:
    """Give our module the weights of another: parameters are shared, so that a large model takes
    no memory twice; buffers, which a training step writes into, are copies."""
    own = {name for name, _ in ours.named_buffers()}
    ours.load_state_dict({n: t.clone() if n in own else t for n, t in state.items()}, assign=True)
