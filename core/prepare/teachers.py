"""The teacher of a distillation: whether a run can be one, and the files a new run keeps.

Refused before anything is trained: other classes, other inputs, other data.
"""

import ast
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from safetensors.torch import load_file, save
from torch import Tensor

from core.analyse import Report, analyse_project
from core.common.errors import LayerloomError, RunError, TrainingError
from core.data import DataError, DataInfo, describe_project, ends
from core.engine.distillation import Teacher, loaded
from core.engine.ema import weights_of
from core.engine.load_module import load_network
from core.graph import Graph
from core.project import Project, ProjectError, open_project, read_text, write_text
from core.runs import checkpoint
from core.runs.files import read_json, read_status
from core.settings.distillation import PLACE, PROJECT, SUITED, WEIGHTS
from core.settings.validate import resolve
from core.tasks.registry import has_one_class

SHOWN = 4
OTHER = "Choose another teacher."


@dataclass(frozen=True)
class TeacherRun:
    """A run that may teach. name: for people. accuracy: on its validation part, if it is known."""

    name: str
    project: Project
    report: Report
    info: DataInfo
    tensors: Mapping[str, Tensor]
    accuracy: float | None


@dataclass(frozen=True)
class TeacherFiles:
    """What a run keeps of its teacher: files, and `spec_entry` for its spec.json.

    source, class_name: for scripts, named apart from the network that learns.
    """

    weights: bytes
    project: str
    spec_entry: Mapping[str, Any]
    source: str
    class_name: str

    @property
    def files(self) -> dict[str, str | bytes]:
        """By name in a run folder."""
        return {WEIGHTS: self.weights, PROJECT: self.project}


def collect_teacher(
    setting: Mapping[str, Any],
    student: tuple[Project, DataInfo, str],
    runs_dir: Path,
    beside: Path | None = None,
) -> TeacherFiles:
    """Everything that a new run needs of its teacher.

    student: project, data and source. beside: the folder of a run that is branched off, which has
    kept its teacher. Raises RunError for one that cannot teach it.
    """
    stored = (
        beside is not None and (beside / "spec.json").is_file() and (beside / PROJECT).is_file()
    )
    teacher = _stored_teacher(beside) if beside and stored else teacher_run(setting, runs_dir)
    project, info, own = student
    remark = why_unsuited(teacher, project, info)
    source = teacher.report.source or ""
    loaded(source, teacher.report.class_name, teacher.tensors)
    content = save({k: v.detach().cpu().contiguous().clone() for k, v in teacher.tensors.items()})
    renamed, name = renamed_source(teacher.project, own)
    entry = {
        "from": teacher.name,
        "accuracy": teacher.accuracy,
        "params": teacher.report.total_params,
        "note": remark,
        "sha256": hashlib.sha256(content).hexdigest(),
        "source_sha256": hashlib.sha256(source.encode()).hexdigest(),
    }
    return TeacherFiles(content, write_text(teacher.project), entry, renamed, name)


def teacher_from(
    setting: Mapping[str, Any], runs_dir: Path, student: tuple[Project, DataInfo]
) -> Teacher:
    """The teacher that a setting names, without a run folder. Raises RunError."""
    run = teacher_run(setting, runs_dir)
    why_unsuited(run, *student)
    module = loaded(run.report.source or "", run.report.class_name, run.tensors)
    return Teacher(module, setting["temperature"], setting["alpha"])


def teacher_run(setting: Mapping[str, Any], runs_dir: Path) -> TeacherRun:
    """Open the run that the setting names. Raises RunError."""
    run_dir, which = runs_dir / setting["run"], setting["which"]
    if not (run_dir / "spec.json").is_file():
        message = f"There is no run called {run_dir.name}."
        raise TrainingError(f"{PLACE}.run", message, "Choose another teacher, or none.")
    rebuilt = load_network(run_dir)
    state = checkpoint.load(run_dir, which)
    name = f"the {which} weights of {run_dir.name} (epoch {state['epoch']})"
    status = read_status(run_dir)
    best = (status.get("best") or {}).get("metrics")
    metrics = (best if which == "best" else status.get("metrics")) or {}
    return _teacher_of(name, rebuilt.project, rebuilt.report, weights_of(state), metrics)


def _stored_teacher(run_dir: Path) -> TeacherRun:
    """The teacher of a run that is branched off."""
    entry = read_json(run_dir / "spec.json").get("teacher", {})
    if checkpoint.hash_of(run_dir / WEIGHTS) != entry.get("sha256"):
        message = f"{WEIGHTS} of {run_dir.name} was changed after the run was created."
        raise RunError(run_dir.name, message, "Start a new run.")
    try:
        project = open_project(run_dir / PROJECT)
    except ProjectError as error:
        raise RunError(run_dir.name, f"{error.place} {error.message}", error.hint) from error
    tensors = load_file(run_dir / WEIGHTS)
    metrics = {"val_accuracy": entry.get("accuracy")}
    return _teacher_of(str(entry["from"]), project, analyse_project(project), tensors, metrics)


def _teacher_of(
    name: str, project: Project, report: Report, tensors: Mapping[str, Tensor], metrics: Any
) -> TeacherRun:
    try:
        info = describe_project(project, *ends(report.inputs, report.outputs))
    except DataError as error:
        raise TrainingError(PLACE, f"{name}: {error.message}", error.hint or OTHER) from error
    accuracy = metrics.get("val_accuracy")
    return TeacherRun(name, project, report, info, tensors, accuracy)


def why_unsuited(known: TeacherRun, project: Project, info: DataInfo) -> str:
    """Whether a teacher suits; returns what is to be known of it, "" for nothing.

    Raises TrainingError saying in what teacher and student differ.
    """
    theirs, name = known.info, known.name
    if not has_one_class(theirs.task) or len(theirs.terms) != 1 or theirs.terms[0].loss:
        raise _unsuited(f"{name} cannot teach classes: its task is {theirs.task}.")
    loss = resolve(known.project.training, theirs.task, theirs.losses)["loss"]
    if loss not in SUITED:
        raise _unsuited(
            f"{name} cannot teach: it was trained with {loss}, whose outputs are not "
            "logits of classes."
        )
    if theirs.classes != info.classes:
        raise _unsuited(
            f"The teacher needs the classes {_classes(info)} but {name} has {_classes(theirs)}."
        )
    if theirs.source != info.source or theirs.target != info.target:
        raise _unsuited(
            f"The teacher must be trained on {info.source} but {name} was trained on "
            f"{theirs.source}."
        )
    if _input_columns(theirs) != _input_columns(info):
        raise _unsuited(f"The network receives {_shapes(info)} but {name} needs {_shapes(theirs)}.")
    if theirs.normalize != info.normalize:
        is_, other = ("is", "is not") if info.normalize else ("is not", "is")
        raise TrainingError(
            PLACE,
            f"The data {is_} normalised here but {other} for {name}.",
            "Set data.normalize to the same value.",
        )
    return _leak_warning(known, project)


def _leak_warning(known: TeacherRun, project: Project) -> str:
    """Whether the teacher has learned from samples that the student is judged by."""

    def split_of(of: Project) -> tuple[Any, Any]:
        return of.training.get("seed", 0), of.data.get("validation")

    if known.info.origin.test and known.info.validation is None:
        return ""
    if split_of(known.project) == split_of(project):
        return ""
    return (
        "The teacher was trained on validation samples of this project, because its seed or"
        " validation share is different."
    )


def _unsuited(message: str) -> TrainingError:
    return TrainingError(PLACE, message, OTHER)


def _input_columns(info: DataInfo) -> list[tuple[Any, ...]]:
    return [(feed.column, feed.shape, feed.picks) for feed in info.feeds]


def _shapes(info: DataInfo) -> str:
    return " and ".join(str(("N", *feed.shape)).replace("'", "") for feed in info.feeds)


def _classes(info: DataInfo) -> str:
    names = [str(name) for name in info.classes]
    listed = ", ".join(names[:SHOWN]) + (", ..." if len(names) > SHOWN else "")
    return f"{listed} ({len(names)})"


def renamed_source(project: Project, student: str) -> tuple[str, str]:
    """A teacher's source whose classes bear no name of the student's, and its main class.

    Classes of the projects' own Python keep their names: both may have the same one. Raises
    RunError where they have another of that name.
    """
    taken, names = _class_texts(student), ("Teacher", "TheTeacher", "TeacherNetwork")
    own = {name: part.python for name, part in project.graph.composites.items() if part.python}
    for block in sorted(own.keys() & taken):
        if own[block] != taken[block]:
            message = f"The Python block {block} of the teacher differs from that of this project."
            raise TrainingError(f"{PLACE}.run", message, "Rename the block in one of the projects.")
    name = next(n for n in names if n not in taken)
    report = analyse_project(replace(project, name=name))
    others = _class_texts(report.source or "").keys() - {report.class_name, *own}
    if (taken.keys() | {name}) & others:
        graph = _with_prefix(project.graph)
        report = analyse_project(replace(project, name=name, graph=graph))
    return report.source or "", report.class_name


def _class_texts(source: str) -> dict[str, str]:
    """The classes of a source by name, each as it is written."""
    lines = source.split("\n")
    parts = [part for part in ast.parse(source).body if isinstance(part, ast.ClassDef)]
    return {part.name: "\n".join(lines[part.lineno - 1 : part.end_lineno]) for part in parts}


def _with_prefix(graph: Graph) -> Graph:
    """The same drawing with "Teacher" before the name of every composite."""
    drawn = [name for name, part in graph.composites.items() if not part.python]
    new = {name: f"Teacher{name[:1].upper()}{name[1:]}" for name in drawn}

    def uses(part: Graph) -> Graph:
        nodes = {k: replace(n, block=new.get(n.block, n.block)) for k, n in part.nodes.items()}
        return replace(part, nodes=nodes)

    parts = {new.get(k, k): replace(c, graph=uses(c.graph)) for k, c in graph.composites.items()}
    return replace(uses(graph), composites=parts)


def try_teacher(text: str, runs_dir: str) -> dict[str, Any]:
    """Whether the teacher that a project's text names suits, for its page.

    {"name", "accuracy", "params", "own" (the project's parameters), "note"}, or {"problem"}.
    """
    project = read_text(text)
    report = analyse_project(project)
    if report.source is None:
        return {}
    try:
        info = describe_project(project, *ends(report.inputs, report.outputs))
        setting = resolve(project.training, info.task, info.losses, info.rare)["distil"]
        if not setting:
            return {}
        teacher = teacher_run(setting, Path(runs_dir))
        note = why_unsuited(teacher, project, info)
    except LayerloomError as error:
        return {"problem": f"{error.message} {error.hint}".strip()}
    params = teacher.report.total_params
    return {
        "name": teacher.name,
        "accuracy": teacher.accuracy,
        "params": params,
        "own": report.total_params,
        "note": note,
    }
