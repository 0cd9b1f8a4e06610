"""What verdicts are tried on: inputs, perturbed weights, and our module with the same ones."""

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor, nn


def samples(
    shapes: Sequence[tuple[int, ...]], dtypes: Sequence[str], batch: int, device: str = "cpu"
) -> list[Tensor]:
    """Inputs of the given shapes: values in [0, 1), small integers."""
    random = torch.Generator().manual_seed(batch)
    found: list[Tensor] = []
    for shape, name in zip(shapes, dtypes, strict=True):
        dtype, size = getattr(torch, name), (batch, *shape)
        if device == "meta":
            found.append(torch.empty(size, dtype=dtype, device=device))
        elif dtype.is_floating_point:
            found.append(torch.rand(size, generator=random).to(dtype))
        else:
            found.append(torch.randint(0, 2, size, generator=random).to(dtype))
    return found


LARGE = 224
"""Side of an image from which on another size is a smaller one, which takes less time."""


def other_sizes(shapes: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """The same inputs with images of another size, neither side in step with the other."""

    def other(shape: tuple[int, ...]) -> tuple[int, ...]:
        if len(shape) != 3:
            return shape
        c, h, w = shape
        if not are_large(shapes):
            return c, h + 32, w + 64
        return c, h * 5 // 7 // 32 * 32, w * 4 // 7 // 32 * 32

    return [other(shape) for shape in shapes]


def are_large(shapes: Sequence[tuple[int, ...]]) -> bool:
    """Whether the inputs are images of the usual size or more."""
    images = [shape for shape in shapes if len(shape) == 3]
    return bool(images) and all(min(shape[1:]) >= LARGE for shape in images)


def perturb(module: nn.Module, seed: int = 0) -> None:
    """Move every floating parameter and buffer a little, reproducibly."""
    noise = Noise(seed)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.add_(noise.take(parameter.shape))
        for buffer in module.buffers():
            if buffer.is_floating_point():
                buffer.add_(noise.take(buffer.shape).abs() * 4)


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
