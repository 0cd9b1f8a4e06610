"""Batch norm folded into the convolution before it."""

from typing import TYPE_CHECKING

from core.shrink.way import Asked, Shrunk, Tell, Way

if TYPE_CHECKING:
    from core.export.subject import Subject


def make(subject: "Subject", asked: Asked, tell: Tell) -> Shrunk:
    """Fold what can be folded. Raises Refused where there is no batch norm."""
    from core.shrink.drawings import begin, built, named, project_of, weights_of
    from core.shrink.fusing import fuse

    project, _ = project_of(subject)
    project, weights, lines = fuse(project, weights_of(subject))
    project = named(project, "batch norm folded")
    module, _ = built(project, weights)
    imports = "from torch.nn.utils.fusion import fuse_conv_bn_eval, fuse_linear_bn_eval\n"
    text = f'{imports}{begin(subject)}\n{lines}\nsave_file(net.state_dict(), "smaller.safetensors")'
    return Shrunk(module, text, project=project, weights=weights)


WAY = Way(
    "fuse",
    "Batch norm folded",
    "Each batch norm becomes part of the convolution before it, which gets a bias. The "
    "predictions stay the same, with fewer operations.",
    make,
)
