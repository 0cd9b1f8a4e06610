"""Grad-CAM: where the maps of a block speak for a score."""

import torch
from torch import Tensor

from core.insight.attribution.block_gradients import block_gradients
from core.insight.attribution.subject import Finding, NotExplained, Subject
from core.insight.eval_context import first_tensor


def grad_cam(subject: Subject, node: str) -> Finding:
    """One map (H, W) of a block that puts out maps (N, C, H, W), >= 0 (Selvaraju et al., 2017).

    Raises NotExplained for a block that puts out none, or that the score does not depend on.
    """
    values, gradients = block_gradients(
        subject.module,
        subject.report,
        subject.inputs,
        lambda returned: subject.score(returned).sum(),
        frozenset({node}),
    )
    if node not in values:
        raise NotExplained(f"{node} did not run.", "Choose a block of this network.")
    maps = first_tensor(values[node])
    if maps.ndim < 4:
        raise NotExplained(
            f"{node} puts out {tuple(maps.shape)}, but Grad-CAM needs maps (N, C, H, W).",
            "Choose a convolution, an activation or a pooling before the maps are flattened.",
        )
    if node not in gradients:
        raise NotExplained(f"The score does not depend on {node}.", "Choose another block.")
    return Finding(weighed(maps, gradients[node]))


def weighed(maps: Tensor, gradient: Tensor) -> Tensor:
    """Maps (1, C, ...), weighed by the mean gradient of each, added up and cut off below 0."""
    dims = tuple(range(2, maps.ndim))
    return torch.relu((gradient.mean(dims, keepdim=True) * maps).sum(dim=1))[0]
