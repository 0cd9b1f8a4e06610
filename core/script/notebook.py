"""The notebook: the same training as the script's, in cells to read, run and change."""

import json
import re
from typing import Any

from core.data.facts.info import DataInfo
from core.project.model import Project
from core.script import accelerations, custom_files, distillation, init_weights, loop, reading
from core.script.final_test import test_lines
from core.script.head import group_imports, packages
from core.script.learning import Learning, Names
from core.script.model import Written, classes_of, imports_for, rename_clashes
from core.script.notebook_cells import best, curve_figures, curves, look, predictions
from core.script.optim import set_up
from core.script.program import functions_of, imports_of, program_of
from core.script.samples import LOOK
from core.script.script import device_text
from core.script.training import epochs_loop
from core.settings.distillation import WEIGHTS
from core.settings.init_weights import FILE
from core.source.literal import literal, prose
from core.tasks.registry import TASKS

NAMES = Names("EPOCHS", "LR", "BATCH_SIZE", "OUT", "START", "TEACHER")
CONSTANTS = ("SEED", "EPOCHS", "LR", "BATCH_SIZE", "OUT", "START", "TEACHER", "CLASSES")
PICTURES = """\
try:
    import matplotlib.pyplot as plt
except ImportError:
    plt = None  # everything except the plots works without it"""


def write_notebook(
    project: Project, report: Written, info: DataInfo, teacher: Written | None = None
) -> str:
    """Write a notebook (nbformat 4.5) for a project whose analysis gave a source.

    teacher: as for a script. Raises ValueError without a source, TrainingError for wrong training
    settings.
    """
    learning = program_of(project, report, info, teacher, NAMES, "")
    model, functions = learning.model, functions_of(learning)
    epoch = "last" if learning.newest else "best"
    cells = [
        _words("about", _about(project, info)),
        _code("imports", _imports(learning)),
        _words("data-title", f"## Data\n\n{info.about} {info.summary}"),
        _code("data", _data(learning, functions.read)),
        _words("samples-title", "## A few samples"),
        _code("samples", look(info)),
        _words("model-title", "## The network"),
        _code("model", classes_of(model)),
        *_teaching(learning),
        _words("training-title", f"## Training\n\nThe weights of the {epoch} epoch are kept."),
        _code("functions", "\n\n\n".join(functions.learn)),
        _code("setup", "\n".join([*set_up(learning), _count()])),
        _code("training", _training(learning)),
        _words("curves-title", "## Curves"),
        _code("curves", curves(learning)),
        _words("outcome-title", "## Results"),
        _code("best", best(learning)),
        _code("outcome", predictions(learning)),
        *_test(learning),
    ]
    for cell in cells:
        if cell["cell_type"] == "code" and cell["id"] not in ("model", "teacher"):
            cell["source"] = _lines(rename_clashes(model, "".join(cell["source"]), CONSTANTS))
    return json.dumps(_notebook(cells), indent=1, ensure_ascii=False) + "\n"


def _test(learning: Learning) -> list[dict[str, Any]]:
    """The cells that evaluate the test samples, once."""
    lines = test_lines(learning)
    words = (
        "## Test\n\nThese samples were not used for training or for any choice. Evaluate on "
        "them only once."
    )
    return [_words("test-title", words), _code("test", "\n".join(lines))] if lines else []


def _teaching(learning: Learning) -> list[dict[str, Any]]:
    """The cells with the classes of the teacher."""
    text = distillation.classes(learning)
    words = "## The teacher\n\nIts softened predictions are part of the loss, with the targets."
    return [_words("teacher-title", words), _code("teacher", text)] if text else []


def _notebook(cells: list[dict[str, Any]]) -> dict[str, Any]:
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    return {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def _words(name: str, text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "id": name, "metadata": {}, "source": _lines(text)}


def _code(name: str, text: str) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "execution_count": None,
        "id": name,
        "metadata": {},
        "outputs": [],
        "source": _lines(text),
    }


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def _about(project: Project, info: DataInfo) -> str:
    needs = f"It needs torch{packages(info)}; with matplotlib it also draws plots."
    paragraphs = [f"# {plain(project.name) or 'Training'}", plain(project.about)]
    paragraphs.append(f"Written by Layerloom. {needs} Run the cells from top to bottom.")
    return "\n\n".join(text for text in paragraphs if text)


def plain(text: str) -> str:
    """Free text as Markdown that shows it as it is."""
    return re.sub(r"([\\`*_{}\[\]<>()#+!|$&~-])", r"\\\1", prose(text))


def _imports(learning: Learning) -> str:
    training = learning.training
    constants = [
        f"SEED = {literal(training['seed'])}",
        f"EPOCHS = {literal(training['epochs'])}",
        f"LR = {literal(training['lr'])}",
        f"BATCH_SIZE = {literal(training['batch_size'])}",
        'OUT = "model.pt"  # file for the best weights',
        *(
            [f'START = "{FILE}"  # initial weights']
            if init_weights.has_init_weights(training)
            else []
        ),
        *([f'TEACHER = "{WEIGHTS}"  # weights of the teacher'] if learning.teacher else []),
    ]
    device = f"device = torch.device({device_text(training['device'])})"
    threads = training["threads"]
    more = [f"torch.set_num_threads({literal(threads)})"] if threads else []
    further = (*imports_of(learning), *loop.imports(training))
    imports = group_imports(imports_for(learning.model, further))
    more += accelerations.deterministic_lines(training)
    return "\n".join([imports, "", PICTURES, "", *constants, device, *more])


def _data(learning: Learning, functions: list[str]) -> str:
    info, (learned, validated) = learning.info, learning.samples.counted
    counts = f"{{len({learned})}} training samples, {{len({validated})}} validation samples"
    lines = [
        *(_classes(info) if info.classes and TASKS[info.task].one_class else []),
        *reading.lines(info, literal(custom_files.default_path(info))),
        f'print(f"{counts}")',
        *(LOOK if info.streamed else []),
    ]
    return "\n\n\n".join([*functions, "\n".join(lines)])


def _classes(info: DataInfo) -> list[str]:
    line = f"CLASSES = {literal(info.classes)}"
    if len(line) <= 88:
        return [line]
    return ["CLASSES = (", *(f"    {literal(name)}," for name in info.classes), ")"]


def _count() -> str:
    return 'print(f"{sum(weight.numel() for weight in model.parameters()):,} parameters")'


def _training(learning: Learning) -> str:
    """The loop over epochs, which keeps the numbers that `curves` draws."""
    kept = [f"train_loss / {learning.count}", *curve_figures(learning)]
    keep = f"history.append(({', '.join(kept)}))"
    return "\n".join(["history = []", *epochs_loop(learning, keep)])
