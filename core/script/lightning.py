"""The Lightning script: the same training as the plain script's, in Lightning's shape.

Model, data, batches, losses and validation are the plain script's, word for word; so are the lines
of a step. What Lightning's own steps cannot do is refused.
"""

from dataclasses import replace

from core.data.info import DataInfo
from core.project.model import Project
from core.script import (
    accelerations,
    distillation,
    lightning_module,
    lightning_validation,
    script,
)
from core.script.learning import Learning
from core.script.model import Written, classes_of, imports_for, keep_apart
from core.script.optim import network_lines
from core.settings.validate import resolve
from core.source.literal import literal

OWN_STEPS = (
    "compile_step: Lightning calls backward pass and optimiser itself, so steps are calculated;"
    " the training script compiles them."
)
EVALUATE = "def evaluate("
"""What Lightning does a batch at a time, in `validation_step`."""


def write_lightning(
    project: Project, report: Written, info: DataInfo, teacher: Written | None = None
) -> str:
    """Write a standalone script for Lightning, for a project whose analysis gave a source.

    Raises ValueError without a source, TrainingError for wrong training settings, and for those
    that Lightning's own steps cannot do.
    """
    model = script.source_of(report)
    training = resolve(project.training, info.task, info.losses)
    learning = script.learning_of(report, info, training, script.NAMES, "    ", teacher)
    lightning_module.refuse(learning)
    note = OWN_STEPS if training["compile_step"] != "off" else ""
    deep = script.learning_of(report, info, training, script.NAMES, lightning_module.DEEP, teacher)
    learning, deep = (_calculated(each) for each in (learning, deep))
    functions = [
        *(text for text in script.functions_of(learning, model) if EVALUATE not in text),
        lightning_module.module_class(deep),
        script.arguments(learning),
        _main(learning, note),
    ]
    seed = f"SEED = {literal(training['seed'])}"
    further = (
        "import argparse",
        *(["import contextlib"] if lightning_validation.draws(deep) else []),
        "import lightning",
        "from lightning.pytorch.loggers import CSVLogger",
        *script.imports_of(learning),
        *script.imports_of_weights(training, teacher),
        *accelerations.imports(training),
    )
    ours = keep_apart(model, "\n\n\n".join(text for text in functions if text), ["SEED"])
    head = script.docstring(project, info, training, "lightning")
    lead = keep_apart(model, seed, ["SEED"])
    parts = [
        f"{head}\n\n{script.parted(imports_for(model, further))}\n\n{lead}",
        classes_of(model),
        distillation.classes(teacher),
        ours,
        'if __name__ == "__main__":\n    main()',
    ]
    return "\n\n\n".join(part for part in parts if part) + "\n"


def _calculated(learning: Learning) -> Learning:
    """What is learned, with no step compiled."""
    return replace(learning, training={**learning.training, "compile_step": "off"})


def _main(learning: Learning, note: str) -> str:
    body = [
        *script.beginning(learning),
        "",
        *network_lines(learning),
        *accelerations.commented(note, learning.indent),
        *lightning_module.trainer_lines(learning),
    ]
    return "\n".join(["def main() -> None:", *(f"    {line}".rstrip() for line in body)])
