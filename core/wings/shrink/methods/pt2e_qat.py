"""Quantisation-aware training: training with the rounding of 8-bit integers."""

from typing import TYPE_CHECKING

from core.wings.shrink.methods.pt2e_static import BEGIN, convert, graph_of, quantizer
from core.wings.shrink.way import ReportStep, ShrinkError, SmallerNetwork, TryOptions, Way

if TYPE_CHECKING:
    from core.export.subject import Subject


def make(subject: "Subject", options: TryOptions, on_step: ReportStep) -> SmallerNetwork:
    """Train the exported graph with rounded weights and values, then quantise it.

    Raises ShrinkError.
    """
    from torchao.quantization.pt2e import allow_exported_model_train_eval
    from torchao.quantization.pt2e.quantize_pt2e import prepare_qat_pt2e

    from core.wings.shrink.drawings import project_of
    from core.wings.shrink.fine_tune import fine_tune

    if not options.epochs:
        raise ShrinkError(
            "Quantisation-aware training needs training, but epochs is 0.",
            "Set epochs to 1 or more, or use PT2E, 8-bit.",
        )
    prepared = prepare_qat_pt2e(graph_of(subject), quantizer(qat=True))
    allow_exported_model_train_eval(prepared)
    fine_tune(subject, prepared, project_of(subject), options.epochs, on_step, last=True)
    return convert(subject, prepared, LINES, compared=False)


LINES = BEGIN.format(
    prepare="prepare_qat_pt2e",
    qat=True,
    teach="prepared(*samples)  # replace by some epochs of training, as in the run",
)
WAY = Way(
    "pt2e-qat",
    "PT2E, quantisation-aware training",
    "A few epochs of training with weights and values rounded to 8 bits, so that the network "
    "adapts to the rounding.",
    make,
    ending=".pt2",
    epochs=2,
    packages=("torchao",),
    usual=False,
)
