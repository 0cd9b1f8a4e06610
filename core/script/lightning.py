"""The Lightning script: the same training as the plain script's, in Lightning's shape.

Model, data, batches, losses and validation are the plain script's, word for word; so are the lines
of a step. What Lightning's own steps cannot do is refused.
"""

from core.data.info import DataInfo
from core.project.model import Project
from core.script import accelerations, distillation, lightning_module, script
from core.script.learning import Learning
from core.script.model import Written, classes_of, imports_for, keep_apart
from core.script.optim import network_lines
from core.settings.validate import resolve
from core.source.literal import literal


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
    deep = script.learning_of(report, info, training, script.NAMES, lightning_module.DEEP, teacher)
    functions = [
        *script.functions_of(learning, model),
        lightning_module.module_class(deep),
        script.arguments(learning),
        _main(learning),
    ]
    seed = f"SEED = {literal(training['seed'])}"
    further = (
        "import argparse",
        "import lightning",
        *script.imports_of(info),
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


def _main(learning: Learning) -> str:
    body = [
        *script.beginning(learning),
        "",
        *network_lines(learning),
        *lightning_module.trainer_lines(learning),
    ]
    return "\n".join(["def main() -> None:", *(f"    {line}".rstrip() for line in body)])
