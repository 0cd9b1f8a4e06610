"""Batch norm folded into the convolution before it."""

from typing import TYPE_CHECKING

from core.wings.shrink.way import ReportStep, SmallerNetwork, TryOptions, Way

if TYPE_CHECKING:
    from core.export.subject import Subject


def make(subject: "Subject", options: TryOptions, on_step: ReportStep) -> SmallerNetwork:
    """Fold what can be folded. Raises ShrinkError where there is no batch norm."""
    from core.wings.shrink.drawings import (
        build_drawing,
        loading_lines,
        project_of,
        weights_of,
        with_name_suffix,
    )
    from core.wings.shrink.fusing import fuse

    project, _ = project_of(subject)
    project, weights, lines = fuse(project, weights_of(subject))
    project = with_name_suffix(project, "batch norm folded")
    module, _ = build_drawing(project, weights)
    imports = "from torch.nn.utils.fusion import fuse_conv_bn_eval, fuse_linear_bn_eval\n"
    text = f"{imports}{loading_lines(subject)}\n{lines}\n"
    text += 'save_file(net.state_dict(), "smaller.safetensors")'
    return SmallerNetwork(module, text, project=project, weights=weights)


WAY = Way(
    "fuse",
    "Batch norm folded",
    "Each batch norm becomes part of the convolution before it, which gets a bias. The "
    "predictions stay the same, with fewer operations.",
    make,
)
