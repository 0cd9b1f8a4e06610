"""SmoothGrad: saliency, averaged over noisy copies of the sample."""

import torch

from core.insight.attribution.subject import Attributions, ScoredSample, per_place

COPIES, SPREAD, SEED = 20, 0.15, 0


def smooth_grad(
    subject: ScoredSample, _node: str = "", copies: int = COPIES, spread: float = SPREAD
) -> Attributions:
    """The mean saliency of noisy copies (Smilkov et al., 2017), always the same for one sample.

    spread: standard deviation of the noise as a share of the range of the point's values.
    """
    point = subject.point
    sigma = spread * float(point.max() - point.min())
    generator = torch.Generator().manual_seed(SEED)
    noise = torch.randn((copies, *point.shape[1:]), generator=generator, dtype=point.dtype)
    found = subject.gradients(point + sigma * noise).abs().mean(dim=0, keepdim=True)
    return Attributions(per_place(subject, found, signed=False), {"copies": copies, "noise": sigma})
