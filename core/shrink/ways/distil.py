"""Distillation: a narrower copy learns from the network's predictions."""

from dataclasses import replace
from typing import TYPE_CHECKING

from core.shrink.way import Amount, Asked, Refused, Shrunk, Tell, Way
from core.shrink.ways.structured import narrowed

if TYPE_CHECKING:
    from core.export.subject import Subject


def make(subject: "Subject", asked: Asked, tell: Tell) -> Shrunk:
    """Narrow the drawing and let the network teach it. Raises Refused where it cannot teach."""
    from core.shrink.fine_tune import taught_by

    if not asked.epochs:
        raise Refused("Distillation needs training, but epochs is 0.",
                      "Set epochs to 1 or more, or use structured pruning.")  # fmt: skip
    made = narrowed(subject, asked, tell, teach=True)
    run = subject.opened.run if subject.opened else None
    if run and made.project:
        made = replace(made, project=taught_by(made.project, run.name))
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
