"""Files that go with a training script: initial weights, and the weights of a teacher."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from core.engine.init_weights import collect_weights
from core.export.subject import Subject
from core.prepare.create import RunFiles as Source
from core.prepare.teachers import collect_teacher as gathered_teacher
from core.script.model import Written
from core.settings import distillation, init_weights
from core.settings.validate import resolve


@dataclass(frozen=True)
class Companions:
    """files: by name, beside the training file. teacher: its source. notes: what they are for."""

    files: Mapping[str, bytes]
    teacher: Written | None
    notes: tuple[str, ...]


def companions(subject: Subject) -> Companions:
    """The files that a training file needs beside it, if they are available.

    A run has kept it. Of a project it is gathered as for a new run. Raises RunError where it does
    not fit or is gone.
    """
    project, _, info = subject.parts()
    training = resolve(project.training, info.task, info.losses, info.rare)
    start, distil, where = training["start_from"], training["distil"], _where(subject)
    files, notes, teacher = dict[str, bytes](), list[str](), None
    if start and where:
        network = (subject.source, subject.class_name)
        files[init_weights.FILE], loaded = collect_weights(start, network, *where)
        notes.append(f"{init_weights.FILE} beside it is {loaded['from']}: training begins with it")
    elif start:
        named = start.get("weights") or f"the {start['which']} weights of {start['run']}"
        notes.append(f"put {named} beside it as {init_weights.FILE}: training begins with it")
    if distil and where:
        student = (project, info, subject.source)
        taught = gathered_teacher(distil, student, *where)
        files[distillation.WEIGHTS] = taught.weights
        teacher = Source(taught.source, taught.class_name, {})
        notes.append(
            f"{distillation.WEIGHTS} beside it is {taught.spec_entry['from']}, its teacher"
        )
    return Companions(files, teacher, tuple(notes))


def _where(subject: Subject) -> tuple[Path, Path | None] | None:
    """Folders of the runs, and of the file or the run that has the weights."""
    run = subject.opened.run if subject.opened else None
    return (run.parent, run) if run else subject.where
