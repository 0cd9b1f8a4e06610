"""Low-rank factors: each large Linear becomes two small ones."""

from typing import TYPE_CHECKING

from core.wings.shrink.methods.structured import training_comment
from core.wings.shrink.way import Amount, ReportStep, SmallerNetwork, TryOptions, Way

if TYPE_CHECKING:
    from core.export.subject import Subject


def make(subject: "Subject", options: TryOptions, on_step: ReportStep) -> SmallerNetwork:
    """Split what is worth it by its singular values. Raises ShrinkError."""
    from core.wings.shrink.drawings import (
        build_drawing,
        loading_lines,
        project_of,
        weights_of,
        with_name_suffix,
    )
    from core.wings.shrink.fine_tune import fine_tune
    from core.wings.shrink.low_rank import split

    project, _ = project_of(subject)
    project, weights, lines = split(project, weights_of(subject), options.amount)
    project = with_name_suffix(project, "low rank")
    module, smaller = build_drawing(project, weights)
    fine_tune(subject, module, (project, smaller), options.epochs, on_step)
    text = f'{loading_lines(subject)}\n{lines}\nsave_file(w, "smaller.safetensors")'
    return SmallerNetwork(
        module,
        text + training_comment(options),
        project=project,
        weights=module.state_dict(),
        compared=not options.epochs,
    )


WAY = Way(
    "low-rank",
    "Low-rank factors",
    "Each large Linear is replaced by two smaller ones from its largest singular values: nearly "
    "the same function with fewer weights. Two blocks in the drawing.",
    make,
    amount=Amount("Share of their weights to remove", 0.5),
    epochs=1,
)
