"""The ascent that makes an input for a channel, as a page shows it: torch only."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false
from collections.abc import Callable

import torch
from torch import Tensor


def ascend(
    mean_of: Callable[[Tensor], Tensor],
    shape: tuple[int, ...],
    low: float,
    high: float,
    jitter: int = 0,
    steps: int = 128,
    rate: float = 0.05,
    seed: int = 0,
) -> tuple[Tensor, list[float]]:
    """Make an input between low and high whose mean_of is large (Erhan et al., 2009).

    It starts in the middle with a little noise. jitter: moved by up to so many
    pixels in each step, so that no single pixel counts (Olah et al., 2017).
    Returns it, and mean_of by step and at the end.
    """
    draw = torch.Generator().manual_seed(seed)
    noise = 0.05 * (high - low) * torch.randn(shape, generator=draw)
    made = ((low + high) / 2 + noise).clamp(low, high).requires_grad_()
    optimizer = torch.optim.Adam([made], lr=rate * (high - low))
    means: list[float] = []
    for _ in range(steps):
        seen = made.clone()
        if jitter:
            shift = torch.randint(-jitter, jitter + 1, (2,), generator=draw).tolist()
            seen = made.roll(shift, dims=(-2, -1))
        mean = mean_of(seen)
        (gradient,) = torch.autograd.grad(mean, made)
        made.grad = -gradient
        optimizer.step()
        with torch.no_grad():
            made.clamp_(low, high)
        means.append(float(mean.detach()))
    return made.detach(), [*means, float(mean_of(made).detach())]
