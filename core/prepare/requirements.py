"""Missing requirements of a project: data, initial weights, teacher runs.

Only whether it is there is looked at: nothing is run, and no torch is imported. Own Python of
blocks that waits for trust is an error of the analysis.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from core.common.errors import DataError, TrainingError
from core.data.builtin.catalogue import SOURCES
from core.data.builtin.downloads import data_root, is_here
from core.data.custom import dataset_file
from core.data.facts.settings import check_keys, read_settings
from core.data.sources.custom_source import read_custom_source
from core.data.sources.paths import locate
from core.files.safe_path import is_file
from core.project.model import Project
from core.runs import checkpoint
from core.settings.distillation import check_run_name
from core.settings.init_weights import WHICH, read_init_weights

REFUSED = "refused_setting"
"""The code of settings that training refuses, not of missing files."""
Need = Mapping[str, Any]
"""As `check --json` lists a warning: {"node", "code", "message", "hint", "fixes"}."""


def missing(project: Project, beside: Path | None, runs_dir: Path) -> list[Need]:
    """All requirements of training this project that are missing here.

    beside: the folder of the project's file, None for one that was never saved; runs_dir: the
    folder of its runs.
    """
    training = project.training
    if needs := [*_refused(project)]:
        return needs
    needs = [*_data(project.data)]
    needs += _start(training.get("start_from"), beside, runs_dir)
    needs += _teacher(training.get("distil"), runs_dir)
    return needs


def _refused(project: Project) -> Iterator[Need]:
    """Paths and names that training refuses by their form, without access to the disk."""
    distil = project.training.get("distil")
    try:
        check_keys(project.data)
        if read_custom_source(project.data) is None and project.data.get("source"):
            read_settings(project.data)
    except DataError as error:
        yield need(REFUSED, error.message, error.hint)
    try:
        read_init_weights(project.training.get("start_from"))
        if isinstance(distil, Mapping) and isinstance(distil.get("run"), str):
            check_run_name(distil["run"])
    except TrainingError as error:
        yield need(REFUSED, error.message, error.hint)


def _data(data: Mapping[str, Any]) -> Iterator[Need]:
    try:
        custom = read_custom_source(data)
        if custom is not None:
            locate(custom.path, custom.key)
    except DataError as error:
        yield need("missing_data", error.message, error.hint)
        return
    if name := dataset_file.untrusted_path(data):
        yield need(
            "untrusted_data", f"{_shown(name)} {dataset_file.WAITS}.", f"{dataset_file.HOW}."
        )
    source = SOURCES.get(str(data.get("source", "")))
    if custom is None and source is not None and not is_here(source, data_root()):
        message = f"The project needs the data set {source.name}, which is not on this machine."
        yield need("missing_data", message, "Download it on the Data page.")


def _start(value: Any, beside: Path | None, runs_dir: Path) -> Iterator[Need]:
    if not isinstance(value, Mapping):
        return
    name = value.get("weights")
    if isinstance(name, str) and beside is None:
        message = (
            f"{_shown(name)} must be in the folder of the project, which has not been saved yet."
        )
        yield need("missing_weights", message, "Save the project, then copy the file there.")
    elif isinstance(name, str) and beside is not None and not is_file(beside / name):
        message = f"Training starts from {_shown(name)}, which is not in the folder of the project."
        yield need("missing_weights", message, "Copy it there, or choose other weights.")
    if isinstance(value.get("run"), str):
        yield from _run(value, runs_dir, "whose weights training starts from")


def _teacher(value: Any, runs_dir: Path) -> Iterator[Need]:
    if isinstance(value, Mapping) and isinstance(value.get("run"), str):
        yield from _run(value, runs_dir, "the teacher of this project")


def _run(value: Mapping[str, Any], runs_dir: Path, what: str) -> Iterator[Need]:
    name, which = value["run"], value.get("which", "best")
    run_dir = runs_dir / name
    if not is_file(run_dir / "spec.json"):  # a name too long is nowhere
        message = f"There is no run called {_shown(name)} in {runs_dir}, {what}."
        yield need("missing_run", message, "Train it first, choose another run, or none.")
    elif which in WHICH and not checkpoint.path_of(run_dir, which).is_file():
        message = f"The run {_shown(name)}, {what}, has no {which} checkpoint."
        yield need("missing_run", message, "Resume it, choose another run, or none.")


def _shown(name: str) -> str:
    """A name of the file, without what could move a terminal's cursor."""
    return name[:80] if name.isprintable() else ascii(name[:80])


def need(code: str, message: str, hint: str) -> Need:
    """One missing or refused requirement, as `check --json` lists it."""
    return {"node": "", "code": code, "message": message, "hint": hint, "fixes": []}
