"""The program of a training, from which script, notebook and Lightning script are composed.

Where a new line comes from, so that all three have it:

- a setting of the step: the text of `core/engine/step.py`, which `loop` folds;
- one around the step: `epoch.py` (what an epoch keeps and prints), `optim` (optimiser, schedule) or
  `accelerations`; `lightning_module` refuses what Lightning cannot do;
- a task: its declaration in `core/tasks`, whose losses `losses` writes and whose metrics `metrics`;
- a source of data: `data`, `custom_files` or `streamed`, between which `reading` chooses;
- a function that a run calls too: an `excerpt` of it.

What differs by the form of the samples (x and y, or columns) comes from `samples` and `validation`.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from core.data.facts.info import DataInfo
from core.project.model import Project
from core.script import (
    accelerations,
    batches,
    custom_dataset,
    data,
    distillation,
    init_weights,
    losses,
    ranks,
    reading,
    streamed,
)
from core.script.evaluate import evaluate_function
from core.script.head import group_imports
from core.script.learning import Learning, Names
from core.script.model import (
    Written,
    classes_of,
    imports_for,
    outputs_of,
    rename_clashes,
    source_of,
)
from core.script.param_groups import groups_function
from core.settings.validate import resolve
from core.source.literal import literal

START = 'if __name__ == "__main__":\n    main()'


@dataclass(frozen=True)
class Functions:
    """The functions of a program in their order.

    read: those that read the data. batches: what makes batches, "" where DataLoader does. losses:
    those that learn. evaluate: the one that validates.
    """

    read: list[str]
    batches: str
    losses: list[str]
    evaluate: str

    @property
    def learn(self) -> list[str]:
        """All that follows reading."""
        return [text for text in (self.batches, *self.losses, self.evaluate) if text]


def program_of(
    project: Project,
    report: Written,
    info: DataInfo,
    teacher: Written | None,
    names: Names,
    indent: str,
) -> Learning:
    """What the files for a project are written from; names, indent: as `Learning` has them.

    Raises ValueError without a source, TrainingError for wrong training settings or where a teacher
    is missing.
    """
    source_of(report)
    training = resolve(project.training, info.task, info.losses, info.rare)
    return learning_of(report, info, training, names, indent, teacher)


def learning_of(
    report: Written,
    info: DataInfo,
    training: dict[str, Any],
    names: Names,
    indent: str,
    teacher: Written | None = None,
) -> Learning:
    """The same for training settings that are resolved."""
    distillation.require_teacher(training, teacher)
    taught, model = teacher if distillation.has_teacher(training) else None, source_of(report)
    return Learning(
        info,
        training,
        names,
        report.class_name,
        indent,
        outputs=outputs_of(model),
        rates=getattr(report, "rates", {}),
        model=model,
        teacher=taught.class_name if taught else "",
        teacher_model=(taught.source if taught else None) or "",
        learns=getattr(report, "trainable_params", 1) > 0,
    )


def functions_of(learning: Learning) -> Functions:
    """The functions of a program. Raises TrainingError where own Python takes their names."""
    info, read = learning.info, reading.functions(learning.info)
    learn = [
        *ranks.functions(learning),
        *losses.classes(learning),
        groups_function(learning),
        *distillation.functions(learning),
        "" if info.plain else losses.loss_function(learning),
    ]
    functions = Functions(
        [text for text in read if text],
        batches.functions(learning),
        [text for text in learn if text],
        evaluate_function(learning),
    )
    ours = [text for text in functions.read if text not in data.functions(info)]
    custom_dataset.check_names(info, learning.model, [*ours, *functions.learn])
    return functions


def imports_of(learning: Learning) -> tuple[str, ...]:
    """The import lines that data, batches, weights and deterministic training need."""
    training, info = learning.training, learning.info
    lines, iterates = reading.imports(info), streamed.measures(info)
    return (
        *batches.imports(lines, training, learning.shuffled, iterates),
        *init_weights.imports(training),
        *distillation.imports(learning),
        *accelerations.imports(training),
        *ranks.imports(learning),
    )


def file_of(
    learning: Learning, docstring: str, imports: Iterable[str], functions: Iterable[str]
) -> str:
    """A file that trains when it is executed. functions: the last one is `main`."""
    model = learning.model
    seed = rename_clashes(model, f"SEED = {literal(learning.training['seed'])}", ["SEED"])
    own = rename_clashes(model, "\n\n\n".join(functions), ["SEED"])
    head = f"{docstring}\n\n{group_imports(imports_for(model, imports))}\n\n{seed}"
    pieces = [head, classes_of(model), distillation.classes(learning), own, START]
    return "\n\n\n".join(piece for piece in pieces if piece) + "\n"
