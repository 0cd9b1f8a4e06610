"""Distillation: a narrower copy learns from the network's predictions."""

from dataclasses import replace
from typing import TYPE_CHECKING

from core.wings.shrink.methods.structured import prune_channels
from core.wings.shrink.way import Amount, ReportStep, ShrinkError, SmallerNetwork, TryOptions, Way

if TYPE_CHECKING:
    from core.export.subject import Subject


def make(subject: "Subject", options: TryOptions, on_step: ReportStep) -> SmallerNetwork:
    """Narrow the drawing and let the network teach it. Raises ShrinkError where it cannot teach."""
    from core.wings.shrink.fine_tune import with_teacher

    if not options.epochs:
        raise ShrinkError(
            "Distillation needs training, but epochs is 0.",
            "Set epochs to 1 or more, or use structured pruning.",
        )
    made = prune_channels(subject, options, on_step, teach=True)
    run = subject.opened.run if subject.opened else None
    if run and made.project:
        made = replace(made, project=with_teacher(made.project, run.name))
    return made


WAY = Way(
    "distil",
    "Distillation",
    "A narrower copy starts with the strongest channels and learns from the network's "
    "predictions and the targets (Hinton et al., 2015). For classification. The result is a "
    "drawing.",
    make,
    amount=Amount("Share of channels to remove", 0.5),
    epochs=5,
    usual=False,
)
