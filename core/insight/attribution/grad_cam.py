"""Grad-CAM: where the feature maps of a block support a score."""

import torch
from torch import Tensor

from blocks import has
from core.analyse.report import NodeReport
from core.insight.attribution.block_gradients import block_gradients
from core.insight.attribution.subject import Attributions, NotExplained, ScoredSample
from core.insight.eval_context import first_tensor


def grad_cam(subject: ScoredSample, node: str) -> Attributions:
    """One map (H, W) of a block that outputs maps (N, C, H, W), >= 0 (Selvaraju et al., 2017).

    Along a sequence it is (L,), of a block that outputs (N, C, L).

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
    if maps.ndim < 4 and not _along_sequence(subject.report.nodes.get(node), maps.ndim):
        raise NotExplained(
            f"{node} outputs {tuple(maps.shape)}, but Grad-CAM needs feature maps (N, C, H, W), or "
            "(N, C, L) of a Conv1d, a pooling or a normalisation along a sequence.",
            "Choose a convolution, an activation or a pooling before the maps are flattened.",
        )
    if node not in gradients:
        raise NotExplained(f"The score does not depend on {node}.", "Choose another block.")
    return Attributions(weighed(maps, gradients[node]))


def puts_out_maps(node: NodeReport, picture: bool) -> bool:
    """Whether a node outputs maps of more than one position, of a picture or along a
    sequence."""
    first = next(iter(node.outputs.values()), None)
    if first is None or has(node.block, "end", "stored"):
        return False
    maps = first.rank == 4 if picture else _along_sequence(node, first.rank)
    return maps and any(size != 1 for size in first.shape[2:])


def _along_sequence(node: NodeReport | None, rank: int) -> bool:
    """Whether these are maps (N, C, L): a shape does not tell them from tokens (N, L, D)."""
    return rank == 3 and node is not None and node.block.endswith("1d")


def weighed(maps: Tensor, gradient: Tensor) -> Tensor:
    """Maps (1, C, ...), weighed by the mean gradient of each, added up and cut off below 0."""
    dims = tuple(range(2, maps.ndim))
    return torch.relu((gradient.mean(dims, keepdim=True) * maps).sum(dim=1))[0]
