"""The folder of a sweep, RUNS/sweeps/NAME: settings, project, journal, results.

sweep.json says what was request; workers/ has a file of each process that works on it, see
`core.wings.sweep.workers`; project.loom.json is the project as it was then; journal.log is
Optuna's; results.json is what came of it so far, for whoever looks; `stop` is there where somebody
request it to stop; sweep.log is what a process said that a page started. Its runs lie beside all
others.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from core.common.errors import SweepError
from core.files.home import make_folder
from core.project import Project, write_text
from core.runs import full_disk
from core.runs.files import is_locked, read_json, write_bytes, write_json
from core.runs.run_notes import TAG_LENGTH
from core.wings.sweep.pruning import OFF, RULES
from core.wings.sweep.workers import any_lives

SWEEPS = "sweeps"
ASKED, PROJECT, JOURNAL = "sweep.json", "project.loom.json", "journal.log"
RESULTS, LOCK = "results.json", "sweep.lock"
STOP, LOG = "stop", "sweep.log"
NAME = re.compile(rf"[A-Za-z0-9][A-Za-z0-9_-]{{0,{TAG_LENGTH - 1}}}")
STEM = 20
OLDER: dict[str, Any] = {
    "document": "",
    "together": "off",
    "objectives": [],
    "pruner": "median",
    "launcher": {},
}
"""Fields that older sweeps do not have."""
KINDS = {
    "file": str,
    "project_sha256": str,
    "search": list,
    "trials": int,
    "seed": int,
    "prune": bool,
    "fixed": dict,
    "name": str,
    "document": str,
    "together": str,
    "objectives": list,
    "pruner": str,
    "launcher": dict,
}


@dataclass(frozen=True)
class SweepRequest:
    """What a sweep is of. search: one text per key. fixed: settings of every trial.

    file: the project's, where it was, "" for one that was never saved. trials: how many there may
    be in all. document: what names the project in the workbench, "" where nobody said. together:
    whether trials that differ in numbers only train in one process: "auto", "on" (their steps are
    compiled however short the runs are) or "off". objectives: names of what trials are scored by,
    () for the metric of the best checkpoint. pruner: the rule by which bad trials end early, where
    `prune` is true. launcher: where trials train, as in spec.json; {} for this machine.
    """

    file: str
    project_sha256: str
    search: tuple[str, ...]
    trials: int
    seed: int = 0
    prune: bool = True
    fixed: Mapping[str, Any] = field(default_factory=lambda: {})
    name: str = ""
    document: str = ""
    together: str = "auto"
    objectives: tuple[str, ...] = ()
    pruner: str = "median"
    launcher: Mapping[str, Any] = field(default_factory=lambda: {})

    @property
    def rule(self) -> str:
        """The rule by which bad trials end early, "off" for none."""
        return self.pruner if self.prune else OFF


def hash_of(project: Project) -> str:
    """What tells a project from all others."""
    return hashlib.sha256(write_text(project).encode()).hexdigest()


def find_sweep(runs_dir: Path, name: str) -> Path:
    """The folder of a sweep by its name. Raises SweepError, with those there are."""
    folder = runs_dir / SWEEPS / name
    if NAME.fullmatch(name) and (folder / ASKED).is_file():
        return folder
    there = ", ".join(path.name for path in folders(runs_dir))
    hint = f"There is {there}." if there else "`layerloom sweep FILE --search KEY=...` starts one."
    raise SweepError(name, f"There is no sweep {name} in {runs_dir}.", hint)


def folders(runs_dir: Path) -> list[Path]:
    """The folders of all sweeps, by name."""
    return sorted(path.parent for path in (Path(runs_dir) / SWEEPS).glob(f"*/{ASKED}"))


def read_request(folder: Path) -> SweepRequest:
    """The request of a sweep. Raises SweepError where its file is incomplete."""
    stored = read_json(folder / ASKED)
    try:
        stored = {**OLDER, **stored}
        fields: dict[str, Any] = {name: stored[name] for name in SweepRequest.__dataclass_fields__}
        if any(type(fields[name]) is not kind for name, kind in KINDS.items()):
            raise TypeError("a value of the wrong type")
        for name in ("search", "objectives"):
            if not all(isinstance(text, str) for text in fields[name]):
                raise TypeError(f"a {name} that is not text")
            fields[name] = tuple(fields[name])
        if fields["pruner"] not in (*RULES, OFF):
            raise TypeError("an unknown pruner")
        return SweepRequest(**fields)
    except (KeyError, TypeError) as error:
        message = f"{ASKED} of {folder.name} is not a valid sweep."
        raise SweepError(folder.name, message, "Start a new sweep.") from error


def entered(runs_dir: Path, request: SweepRequest, project: Project) -> Path:
    """The folder of the sweep that asks for this, made where there is none yet.

    Another number of trials is no other sweep, nor is another launcher. Raises SweepError for a
    name that is taken.
    """
    if request.name and not NAME.fullmatch(request.name):
        message = f"A sweep cannot be called {request.name!r:.60}."
        hint = f"Use at most {TAG_LENGTH} letters, digits, - and _."
        raise SweepError(request.name, message, hint)
    for folder in folders(runs_dir):
        before = read_request(folder)
        if request.name in ("", before.name) and _is_same(request, before):
            now = replace(before, trials=request.trials, together=request.together)
            now = replace(now, launcher=request.launcher)
            write_json(folder / ASKED, asdict(now), durable=True)
            return folder
    folder = _new_folder(runs_dir / SWEEPS, request.name, project.name)
    write_bytes(folder / PROJECT, write_text(project).encode())
    write_json(folder / ASKED, asdict(replace(request, name=folder.name)), durable=True)
    return folder


def _is_same(request: SweepRequest, before: SweepRequest) -> bool:
    own = replace(before, name=request.name, trials=request.trials, file=request.file)
    own = replace(
        own, document=request.document, together=request.together, launcher=request.launcher
    )
    return own == replace(
        request, search=tuple(request.search), objectives=tuple(request.objectives)
    )


def under_way(folder: Path) -> bool:
    """Whether a living process goes through the trials of a sweep."""
    return is_locked(folder / LOCK) or any_lives(folder)


def ask_stop(folder: Path) -> None:
    """Ask the process of a sweep to stop its runs with checkpoints, and to end."""
    (folder / STOP).touch()


def stop_asked(folder: Path) -> bool:
    """Whether a stop was requested since it began or resumed."""
    return (folder / STOP).exists()


def forget_stop(folder: Path) -> None:
    """Note that a sweep begins or goes on."""
    (folder / STOP).unlink(missing_ok=True)


def _new_folder(sweeps: Path, name: str, project: str) -> Path:
    stem = re.sub(r"[^a-z0-9]+", "-", project.lower()).strip("-")[:STEM].strip("-") or "sweep"
    number = 0
    while True:
        number += 1
        folder = sweeps / (name or f"{stem}-sweep-{number}")
        try:
            sweeps.mkdir(parents=True, exist_ok=True)
            make_folder(folder)
            return folder
        except FileExistsError:
            if name:
                message = f"The sweep {name} has other search settings."
                hint = "Choose another --name, or omit it."
                raise SweepError(name, message, hint) from None
        except OSError as error:
            message = f"The folder {folder} cannot be created: {error.strerror}."
            hint = full_disk.advice(error, folder, "Choose another folder for runs.")
            raise SweepError(folder.name, message, hint) from error
