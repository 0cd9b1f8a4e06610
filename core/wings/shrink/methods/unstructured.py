"""Unstructured pruning: single weights become 0, the smallest of the whole network."""

from typing import TYPE_CHECKING

from core.wings.shrink.methods.structured import training_comment
from core.wings.shrink.way import Amount, ReportStep, ShrinkError, SmallerNetwork, TryOptions, Way

if TYPE_CHECKING:
    from torch import nn

    from core.export.subject import Subject


def make(subject: "Subject", options: TryOptions, on_step: ReportStep) -> SmallerNetwork:
    """Set the smallest weights to 0 and train the others. Raises ShrinkError without any."""
    from torch.nn.utils import prune

    from core.wings.shrink.drawings import (
        build_drawing,
        loading_lines,
        project_of,
        weights_of,
        with_name_suffix,
    )
    from core.wings.shrink.fine_tune import fine_tune

    project, report = project_of(subject)
    module, _ = build_drawing(project, weights_of(subject))
    chosen = prunable(module)
    if not chosen:
        raise ShrinkError("The network has no Linear and no convolution.", "Use half precision.")
    prune.global_unstructured(chosen, prune.L1Unstructured, amount=options.amount)
    masks = {}
    for part, name in chosen:
        mask = getattr(part, f"{name}_mask").clone()
        prune.remove(part, name)
        masks[getattr(part, name)] = mask
    fine_tune(subject, module, (project, report), options.epochs, on_step, masks)
    return SmallerNetwork(
        module,
        loading_lines(subject)
        + lines(options.amount, computes_a_weight(module))
        + training_comment(options),
        project=with_name_suffix(project, f"{options.amount:.0%} zeros"),
        weights=module.state_dict(),
        notes=(_zipped(module, subject),),
        compared=False,
    )


def prunable(module: "nn.Module") -> "list[tuple[nn.Module, str]]":
    """The weights of layers that multiply, those of attention among them."""
    from torch import nn
    from torch.nn.utils.parametrize import is_parametrized

    kinds = (nn.Linear, nn.Conv1d, nn.Conv2d, nn.Conv3d)
    found = list[tuple[nn.Module, str]]()
    for part in module.modules():
        if isinstance(part, kinds) and not is_parametrized(part):
            found.append((part, "weight"))
        elif isinstance(part, nn.MultiheadAttention) and part.in_proj_weight is not None:
            found.append((part, "in_proj_weight"))
    return found


def computes_a_weight(module: "nn.Module") -> bool:
    """Whether a layer of it computes its weight from what is learned."""
    from torch.nn.utils.parametrize import is_parametrized

    return any(is_parametrized(part) for part in module.modules())


def lines(amount: float, computed: bool = False) -> str:
    """The Python that does it. computed: some layers compute their weight, and stay as they are."""
    own = ' and not hasattr(part, "parametrizations")]' if computed else "]"
    return f"""
from torch.nn.utils import prune

layers = (torch.nn.Linear, torch.nn.Conv1d, torch.nn.Conv2d, torch.nn.Conv3d)
chosen = [(part, "weight") for part in net.modules() if isinstance(part, layers){own}
chosen += [(part, "in_proj_weight") for part in net.modules()
           if getattr(part, "in_proj_weight", None) is not None]
prune.global_unstructured(chosen, prune.L1Unstructured, amount={amount:g})
for part, name in chosen:
    prune.remove(part, name)  # keeps the zeros
save_file(net.state_dict(), "smaller.safetensors")"""


def _zipped(module: "nn.Module", subject: "Subject") -> str:
    """What the zeros save: nothing in the file, some of it once that is packed."""
    import zlib

    from safetensors.torch import save

    after, before = (
        len(zlib.compress(save(net.state_dict()), 6)) for net in (module, subject.module)
    )
    return (
        f"Zeros still take space and time. Compressed with zlib, the weights are {after:,} bytes "
        f"instead of {before:,}."
    )


WAY = Way(
    "unstructured",
    "Unstructured pruning",
    "The smallest weights of the whole network become 0, and the others are trained further. "
    "Size and speed stay the same, but the file compresses better.",
    make,
    amount=Amount("Share of weights set to 0", 0.5),
    epochs=3,
)
