"""The Lightning script: the same training as the plain script's, in Lightning's shape.

Model, data, batches, losses and validation are the plain script's, word for word; so are the lines
of a step. What Lightning's own steps cannot do is refused.
"""

from dataclasses import replace

from core.data.facts.info import DataInfo
from core.project.model import Project
from core.script import accelerations, lightning_module
from core.script.head import docstring
from core.script.learning import Learning
from core.script.model import Written
from core.script.optim import network_lines
from core.script.program import file_of, functions_of, imports_of, program_of
from core.script.script import NAMES, arguments, beginning, main_function

OWN_STEPS = (
    "compile_step: Lightning runs the backward pass and optimiser itself, so the step is "
    "not compiled; the training script compiles it."
)


def write_lightning(
    project: Project, report: Written, info: DataInfo, teacher: Written | None = None
) -> str:
    """Write a standalone script for Lightning, for a project whose analysis gave a source.

    Raises ValueError without a source, TrainingError for wrong training settings, and for those
    that Lightning's own steps cannot do.
    """
    learning = program_of(project, report, info, teacher, NAMES, "    ")
    lightning_module.check_supported(learning)
    note = OWN_STEPS if learning.training["compile_step"] != "off" else ""
    # no step is compiled, and `evaluate` is what `validation_step` does
    learning = replace(learning, training={**learning.training, "compile_step": "off"})
    functions = functions_of(learning)
    written = [
        *functions.read,
        functions.batches,
        *functions.losses,
        lightning_module.module_class(replace(learning, indent=lightning_module.DEEP)),
        arguments(learning),
        _main(learning, note),
    ]
    imports = (
        "import argparse",
        *(["import contextlib"] if learning.draws else []),
        "import lightning",
        "from lightning.pytorch.loggers import CSVLogger",
        *imports_of(learning),
    )
    return file_of(learning, docstring(project, learning, "lightning"), imports, written)


def _main(learning: Learning, note: str) -> str:
    return main_function(
        [
            *beginning(learning),
            "",
            *network_lines(learning),
            *accelerations.commented(note, learning.indent),
            *lightning_module.trainer_lines(learning),
        ]
    )
