"""Export as text: model file, training script, notebook."""

import ast
import json
from collections.abc import Callable
from functools import partial

import torch

from core.analyse import build
from core.export.agreement import compare_outputs
from core.export.companions import companions
from core.export.result import ExportedFile, ExportError
from core.export.subject import Subject

NO_WEIGHTS = "the file has no weights"


def make_python(subject: Subject) -> ExportedFile:
    """The model file, compared by building it again and giving it the same weights."""
    return ExportedFile(subject.source.encode(), _rebuilt(subject), (NO_WEIGHTS,))


def make_script(subject: Subject) -> ExportedFile:
    """The training script, whose network has to be the model file's."""
    from core.script.script import write_script

    return _trains(subject, write_script)


def make_plain_script(subject: Subject) -> ExportedFile:
    """The same with DataLoader's own shuffle: shorter, and near the run instead of equal to it."""
    from core.script.script import write_script

    return _trains(subject, partial(write_script, shuffled=True))


def make_shared_script(subject: Subject) -> ExportedFile:
    """The training script for several processes."""
    from core.script.script import write_script

    return _trains(subject, partial(write_script, processes=True))


def make_lightning(subject: Subject) -> ExportedFile:
    """The Lightning script, whose network has to be the model file's."""
    from core.script.lightning import write_lightning

    return _trains(subject, write_lightning)


def _trains(subject: Subject, write: Callable[..., str]) -> ExportedFile:
    files_beside = companions(subject)
    text = write(*subject.parts(), files_beside.teacher)
    _same_classes(subject.source, text)
    return ExportedFile(
        text.encode(), _rebuilt(subject), (NO_WEIGHTS, *files_beside.notes), files_beside.files
    )


def make_notebook(subject: Subject) -> ExportedFile:
    """The notebook, whose network has to be the model file's."""
    from core.script.notebook import write_notebook

    files_beside = companions(subject)
    text = write_notebook(*subject.parts(), files_beside.teacher)
    cells = [c for c in json.loads(text)["cells"] if c["cell_type"] == "code"]
    _same_classes(subject.source, "\n".join("".join(c["source"]) for c in cells))
    return ExportedFile(
        text.encode(), _rebuilt(subject), (NO_WEIGHTS, *files_beside.notes), files_beside.files
    )


def _rebuilt(subject: Subject) -> float | None:
    with torch.random.fork_rng(devices=[]):
        again = build(subject.source, subject.class_name).eval()
    again.load_state_dict(subject.module.state_dict())
    return compare_outputs(subject.module, again, subject.sample, subject.batches)


def _same_classes(source: str, other: str) -> None:
    """Check that the other text defines the same classes. Raises ExportError."""
    wanted, got = _classes(source), _classes(other)
    for name, text in wanted.items():
        if got.get(name) != text:
            raise ExportError(
                f"The class {name} in the written file needs to be the network's but differs.",
                "Export the Python source, and report this.",
            )


def _classes(text: str) -> dict[str, str]:
    class_nodes = (n for n in ast.parse(text).body if isinstance(n, ast.ClassDef))
    return {n.name: ast.dump(ast.Module(_without_text(n), [])) for n in class_nodes}


def _without_text(node: ast.ClassDef) -> list[ast.stmt]:
    return [s for s in node.body if not (isinstance(s, ast.Expr) and _is_text(s.value))]


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)
