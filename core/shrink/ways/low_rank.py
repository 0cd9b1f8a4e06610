"""Low-rank factors: each large Linear becomes two small ones."""

from typing import TYPE_CHECKING

from core.shrink.way import Amount, Asked, Shrunk, Tell, Way
from core.shrink.ways.structured import trained_after

if TYPE_CHECKING:
    from core.export.subject import Subject


def make(subject: "Subject", asked: Asked, tell: Tell) -> Shrunk:
    """Split what is worth it by its singular values. Raises Refused."""
    from core.shrink.drawings import begin, built, named, project_of, weights_of
    from core.shrink.fine_tune import fine_tune
    from core.shrink.low_rank import split

    project, _ = project_of(subject)
    project, weights, lines = split(project, weights_of(subject), asked.amount)
    project = named(project, "low rank")
    module, smaller = built(project, weights)
    fine_tune(subject, module, (project, smaller), asked.epochs, tell)
    text = f'{begin(subject)}\n{lines}\nsave_file(w, "smaller.safetensors")'
    return Shrunk(
        module,
        text + trained_after(asked),
        project=project,
        weights=module.state_dict(),
        compared=not asked.epochs,
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
