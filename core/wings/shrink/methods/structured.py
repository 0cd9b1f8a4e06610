"""Structured pruning: channels and neurons are removed, and the drawing gets narrower."""

from typing import TYPE_CHECKING

from core.wings.shrink.way import Amount, ReportStep, SmallerNetwork, TryOptions, Way

if TYPE_CHECKING:
    from core.export.subject import Subject


def make(subject: "Subject", options: TryOptions, on_step: ReportStep) -> SmallerNetwork:
    """Take the channels with the smallest weights out, and train what is left.

    Raises ShrinkError.
    """
    return prune_channels(subject, options, on_step, teach=False)


def prune_channels(
    subject: "Subject", options: TryOptions, on_step: ReportStep, teach: bool
) -> SmallerNetwork:
    """A narrower drawing. teach: it also learns from the predictions of the network."""
    from core.wings.shrink.channel_pruning import narrow
    from core.wings.shrink.drawings import (
        build_drawing,
        loading_lines,
        project_of,
        weights_of,
        with_name_suffix,
    )
    from core.wings.shrink.fine_tune import fine_tune

    project, report = project_of(subject)
    kept = f"{1 - options.amount:.0%} of the channels"
    project, weights, stays, lines = narrow(project, report, weights_of(subject), options.amount)
    project = with_name_suffix(project, kept)
    module, smaller = build_drawing(project, weights)
    fine_tune(subject, module, (project, smaller), options.epochs, on_step, teach=teach)
    text = f'{loading_lines(subject)}\n{lines}\nsave_file(w, "smaller.safetensors")'
    return SmallerNetwork(
        module,
        text + training_comment(options),
        project=project,
        weights=module.state_dict(),
        notes=tuple(stays),
        compared=False,
    )


def training_comment(options: TryOptions) -> str:
    """A comment on the training that follows these lines."""
    return f"\n# then {options.epochs} epochs of training, as in the run" if options.epochs else ""


WAY = Way(
    "structured",
    "Structured pruning",
    "Removes the channels and neurons with the smallest weights. The network gets smaller and "
    "faster. The result is a narrower drawing that you can open and train further.",
    make,
    amount=Amount("Share of channels to remove", 0.3),
    epochs=3,
)
