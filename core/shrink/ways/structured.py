"""Structured pruning: channels and neurons are removed, and the drawing gets narrower."""

from typing import TYPE_CHECKING

from core.shrink.way import Amount, Asked, Shrunk, Tell, Way

if TYPE_CHECKING:
    from core.export.subject import Subject


def make(subject: "Subject", asked: Asked, tell: Tell) -> Shrunk:
    """Take the channels with the smallest weights out, and train what is left. Raises Refused."""
    return narrowed(subject, asked, tell, teach=False)


def narrowed(subject: "Subject", asked: Asked, tell: Tell, teach: bool) -> Shrunk:
    """A narrower drawing. teach: it learns from the answers of the network, too."""
    from core.shrink.drawings import begin, built, named, project_of, weights_of
    from core.shrink.fine_tune import fine_tune
    from core.shrink.narrower import narrow

    project, report = project_of(subject)
    kept = f"{1 - asked.amount:.0%} of the channels"
    project, weights, stays, lines = narrow(project, report, weights_of(subject), asked.amount)
    project = named(project, kept)
    module, smaller = built(project, weights)
    fine_tune(subject, module, (project, smaller), asked.epochs, tell, teach=teach)
    text = f'{begin(subject)}\n{lines}\nsave_file(w, "smaller.safetensors")'
    return Shrunk(
        module,
        text + trained_after(asked),
        project=project,
        weights=module.state_dict(),
        notes=tuple(stays),
        compared=False,
    )


def trained_after(asked: Asked) -> str:
    """What the lines leave to the training script, as a comment."""
    return f"\n# then {asked.epochs} epochs of training, as in the run" if asked.epochs else ""


WAY = Way(
    "structured",
    "Structured pruning",
    "Removes the channels and neurons with the smallest weights. The network gets smaller and "
    "faster. The result is a narrower drawing that you can open and train further.",
    make,
    amount=Amount("Share of channels to remove", 0.3),
    epochs=3,
)
