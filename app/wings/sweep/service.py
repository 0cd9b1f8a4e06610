"""Sweeps on the pages: start, progress, stop, resume; the command runs them.

A sweep runs in a process of its own, `layerloom sweep --resume NAME`, which outlives page and
server. All that is known of it stands in its folder; what it is request is a file there, too.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from app.process import pool
from app.services import module_process, paths
from app.services.document import DRAFT, Document
from core.common.errors import RunError, SweepError
from core.common.json_types import is_array, is_object
from core.graph import Graph
from core.project import Project
from core.runs import listing
from core.runs.files import read_end, read_json
from core.settings.launcher import HERE, KEY, Launcher
from core.settings.override import declared, put
from core.wings.sweep import files, stopping
from core.wings.sweep.counts import counts, outcome_of
from core.wings.sweep.files import SweepRequest
from core.wings.sweep.folds import FOLD, FOLDS
from core.wings.sweep.objective_text import stored_objectives
from core.worker import child_process, force, launch, launcher_trust

BEGIN_S = 120.0
ERROR, HINT = "error: ", "hint: "
"""As a command begins the lines that say what is wrong, and what to do."""
LOG_BYTES = 4000
EPOCHS = "epochs"
OPEN = ("unfinished", "waiting")
"""States of a trial that has not ended."""
ABSENT: Any = object()
"""In place of a setting that is not there."""
_starting: dict[Path, "child_process.Process[bytes]"] = {}
_retrying: set[Path] = set()


@dataclass(frozen=True)
class SweepView:
    """How a sweep stands. state: starting, running, stopping, stopped or finished.

    trials: rows of results.json, best first, each with "live" and "curve"; total: how many there
    will be; message: the error its process ended by, without trials what it said last. objectives:
    what trials are compared by; front: trials that no other beats by all of them, [] with one.
    mean: the settings with the best mean, where each is trained on several folds.
    """

    name: str
    state: str
    request: SweepRequest
    metric: str = ""
    maximise: bool = False
    total: int = 0
    trials: tuple[Mapping[str, Any], ...] = ()
    importances: Mapping[str, float] = field(default_factory=lambda: {})
    message: str = ""
    objectives: tuple[Mapping[str, Any], ...] = ()
    front: tuple[int, ...] = ()
    mean: Mapping[str, Any] | None = None

    @property
    def over(self) -> bool:
        """Whether no trial of it trains or waits any more."""
        return self.state in ("stopped", "finished")

    @property
    def keys(self) -> list[str]:
        """What is searched, in its order."""
        return [text.partition("=")[0].strip() for text in self.request.search]

    @property
    def powers(self) -> list[str]:
        """What of it is searched by powers of ten."""
        pairs = zip(self.keys, self.request.search, strict=True)
        return [key for key, text in pairs if text.rstrip().endswith(":log")]

    @property
    def failed(self) -> int:
        """How many trials failed."""
        return counts(self.trials)["failed"]

    @property
    def outcome(self) -> str:
        """ "2 of 6 finished, 4 failed: REASON", "" where none failed."""
        return outcome_of(self.trials, self.total)

    @property
    def best(self) -> Mapping[str, Any] | None:
        """The best trial so far; with folds the settings with the best mean."""
        if self.mean:
            return self.mean
        first = self.trials[0] if self.trials else None
        return first if first and first.get("value") is not None else None


def enter(
    text: str,
    file: str,
    runs_dir: str,
    search: Sequence[str],
    trials: int,
    fixed: Mapping[str, Any],
    more: Mapping[str, Any],
) -> str:
    """Check what is request for and make the folder of the sweep; its name. In a worker process.

    Raises SweepError, and what reading the project and its data raises.
    """
    from core.project import read_text
    from core.wings.sweep.start import request_of
    from core.worker.launchers import check_launcher

    project = read_text(text)
    if stored := more.get("launcher"):
        launcher = Launcher.read({KEY: stored})
        check_launcher(launcher, {**project.training, **fixed})
        launcher_trust.trust(launcher)
    request = request_of(project, Path(file) if file else None, search, trials, fixed, **more)
    return files.entered(Path(runs_dir), request, project).name


def begin(
    document: Document,
    search: Sequence[str],
    trials: int,
    fixed: Mapping[str, Any],
    jobs: int,
    how: Mapping[str, Any],
) -> str:
    """Begin a sweep of this project, or go on with the one that asks for the same; its name.

    how: "prune", "pruner", "together", "objectives", "launcher", as
    `core.wings.sweep.files.SweepRequest` has them.
    Raises PoolError for what cannot be searched, SweepError where its process does not start.
    """
    file = str(document.path) if document.path else ""
    more = {**how, "document": document.address}
    given = document.text(), file, str(paths.runs_dir()), tuple(search), trials, dict(fixed), more
    name = pool.run(enter, *given, timeout_s=BEGIN_S)
    go_on(name, jobs)
    return name


def go_on(name: str, jobs: int = 1, here: bool = False, again: bool = False) -> None:
    """Start the process of a sweep. here: with trials on this machine from here on.

    again: with the trials that failed, once more.

    Raises SweepError.
    """
    runs_dir = paths.runs_dir()
    folder = files.find_sweep(runs_dir, name)
    if _starts(folder) or files.under_way(folder):
        return
    files.forget_stop(folder)
    (_retrying.add if again else _retrying.discard)(folder)
    words = ["sweep", "--resume", name, "--runs", str(runs_dir), "--jobs", str(jobs)]
    words += ["--launcher", HERE] if here else []
    words += ["--retry-failed"] if again else []
    try:
        _starting[folder] = module_process.start_layerloom(words, folder / files.LOG)
    except OSError as error:
        message = f"The process of {name} did not start: {error.strerror or error}."
        raise SweepError(
            name, message, "Check the free disk space and the folder's permissions."
        ) from error


def _starts(folder: Path) -> bool:
    """Whether a process that was started here has not the sweep yet."""
    process = _starting.get(folder)
    return process is not None and process.poll() is None


def untrusted_launcher(view: SweepView) -> Launcher | None:
    """Where a sweep would train its trials, if this user never chose that place; else None."""
    try:
        launcher = Launcher.read({KEY: view.request.launcher or None})
    except RunError:
        return None  # its process refuses it with a sentence
    return None if launcher_trust.is_trusted(launcher) else launcher


def stop(name: str) -> force.Answer:
    """Ask a sweep to stop; its runs keep checkpoints; a second request ends it.

    Returns which of the two happened. Raises SweepError, RunError, OSError.
    """
    folder = files.find_sweep(paths.runs_dir(), name)
    if _starts(folder) and files.stop_asked(folder) and not files.under_way(folder):
        module_process.end(_starting[folder])
        return "ended"
    return stopping.stop(folder)


def stop_trial(name: str, trial: int) -> None:
    """Stop one trial with a checkpoint; what it reached counts. Raises SweepError, RunError."""
    row = next((row for row in look(name).trials if row.get("trial") == trial), None)
    folder = paths.find_run(str(row["run"])) if row and row.get("run") else None
    if folder is None or not listing.alive(folder):
        raise SweepError(
            name, f"Trial {trial} of {name} is not running.", "Choose a running trial."
        )
    launch.stop(folder)


def names(document: Document) -> list[str]:
    """The sweeps there are: this project's first, of these the newest first."""
    found = [
        (folder, read_json(folder / files.ASKED)) for folder in files.folders(paths.runs_dir())
    ]
    found = [(folder, request) for folder, request in found if files.NAME.fullmatch(folder.name)]
    found.sort(key=lambda each: (not _own(document, each[0], each[1]), -_when(each[0])))
    return [folder.name for folder, _ in found]


def is_own(document: Document, view: SweepView) -> bool:
    """Whether a sweep is of this project."""
    return _own(
        document,
        paths.runs_dir() / files.SWEEPS / view.name,
        {
            "document": view.request.document,
            "file": view.request.file,
        },
    )


def _own(document: Document, folder: Path, request: Mapping[str, Any]) -> bool:
    named = request.get("document")
    if named in (document.address, document.doc_id):
        return True
    if document.path and request.get("file") == str(document.path):
        return True
    unsure = not named or (document.path and str(named).startswith(DRAFT))
    return bool(unsure) and read_json(folder / files.PROJECT).get("name") == document.project.name


def _when(folder: Path) -> float:
    try:
        return (folder / files.ASKED).stat().st_mtime
    except FileNotFoundError:
        return 0.0


def look(name: str) -> SweepView:
    """How a sweep stands now. Raises SweepError where there is none of that name."""
    folder = files.find_sweep(paths.runs_dir(), name)
    request, results = files.read_request(folder), read_json(folder / files.RESULTS)
    rows = [row for row in _list(results.get("trials")) if is_object(row)]
    goal, shares = (_table(results.get(name)) for name in ("goal", "importances"))
    metric = str(goal.get("metric", ""))
    total = results.get("total")
    count = total if type(total) is int else request.trials
    view = SweepView(
        name,
        _state(folder, rows, count),
        request,
        metric,
        goal.get("direction") == "maximize",
        max(count, len(rows)),
        tuple(_row(row, metric) for row in rows),
        shares,
        objectives=tuple(stored_objectives(results)),
        mean=results["best"] if results.get("folds") and is_object(results.get("best")) else None,
        front=tuple(n for n in _list(results.get("front")) if type(n) is int),
    )
    ended = view.state in ("stopped", "finished")
    log_end = read_end(folder / files.LOG, LOG_BYTES).strip() if ended else ""
    return replace(view, message=_message(log_end.splitlines(), bool(rows)))


def _message(lines: Sequence[str], begun: bool) -> str:
    """Why a process ended by an error, with its hint; without trials, else what it said last."""
    errors = [at for at, line in enumerate(lines) if line.startswith(ERROR)]
    if not errors:
        return lines[-1] if lines and not begun else ""
    first, *more = lines[errors[-1] :]
    hint = next((line.strip() for line in more if line.strip().startswith(HINT)), "")
    return " ".join(filter(None, (first.removeprefix(ERROR), hint.removeprefix(HINT))))


def _table(value: Any) -> Mapping[str, Any]:
    return value if is_object(value) else {}


def _list(value: Any) -> Sequence[Any]:
    return value if is_array(value) else ()


def _state(folder: Path, rows: Sequence[Mapping[str, Any]], count: int) -> str:
    if files.under_way(folder):
        _retrying.discard(folder)
        _starting.pop(folder, None)  # it began: while it ends, it does not start
        return "stopping" if files.stop_asked(folder) else "running"
    ended = sum(row.get("state") not in OPEN for row in rows)
    again = folder in _retrying and _starts(folder)
    if rows and ended >= count and not again:  # its process may take a moment to end
        return "finished"
    if not _starts(folder):
        return "stopped"
    return "stopping" if files.stop_asked(folder) else "starting"


def _row(row: Mapping[str, Any], metric: str) -> Mapping[str, Any]:
    """A trial with its curve, and of one that trains how far it is."""
    folder = paths.find_run(str(row.get("run") or ""))
    plain: dict[str, Any] = {
        **row,
        "settings": _table(row.get("settings")),
        "values": {
            name: value
            for name, value in _table(row.get("values")).items()
            if type(value) in (int, float)
        },
        "live": False,
        "curve": {"x": [], "y": []},
    }
    if folder is None or row.get("as"):
        return plain
    plain["curve"] = curve(folder, metric)
    if row.get("state") == "unfinished":
        view = listing.view_run(folder)
        plain |= {"live": view.state in listing.ALIVE, "phase": view.phase}
        plain |= {"epoch": view.epoch, "epochs": view.epochs}
    return plain


def curve(run_dir: Path, metric: str) -> dict[str, list[float]]:
    """The values of a metric after each epoch of a run: {"x": epochs, "y": values}."""
    try:
        stat = (run_dir / "metrics.jsonl").stat()
    except FileNotFoundError:
        return {"x": [], "y": []}
    return _curve(run_dir, metric, stat.st_size, stat.st_mtime_ns)


@lru_cache(256)
def _curve(run_dir: Path, metric: str, _size: int, _changed_ns: int) -> dict[str, list[float]]:
    values: dict[float, float] = {}
    for record in listing.read_metrics(run_dir)[0]:
        if record.get("kind") == "epoch":
            pairs = zip(_list(record.get("epoch")), _list(record.get(metric)), strict=False)
            numbers = (int, float)
            values |= {x: y for x, y in pairs if type(x) in numbers and type(y) in numbers}
    return {"x": list(values), "y": list(values.values())}


def with_settings(document: Document, view: SweepView, trial: Mapping[str, Any]) -> Project:
    """The project with the settings of a trial, what was fixed among them. Raises SweepError."""
    values = settings_of(view, trial)
    for key in values:
        declared(document.project, key)
    return put(document.project, values)


def settings_of(view: SweepView, trial: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a trial and what was fixed for all, but how long a trial may take.

    Few epochs spare time while one searches; a run with the best settings is to have its own.
    """
    fixed = {key: value for key, value in view.request.fixed.items() if key != EPOCHS}
    values = {**fixed, **trial["settings"]}
    if FOLD in view.keys:  # which tells how good the others are; one that is used learns from all
        values = {key: value for key, value in values.items() if key not in (FOLD, FOLDS)}
    return values


@dataclass(frozen=True)
class Taken:
    """What taking a trial changed: the graph, settings of training and data; before and after.

    places: where the blocks stood that the trial leaves out.
    """

    graph: tuple[Graph, Graph]
    settings: Mapping[tuple[str, str], tuple[Any, Any]]
    places: Mapping[str, tuple[float, float]]

    def still(self, project: Project) -> bool:
        """Whether a project has all of it still, whatever else was changed since."""
        kept = (
            getattr(project, part).get(key, ABSENT) == now
            for (part, key), (_, now) in self.settings.items()
        )
        return project.graph == self.graph[1] and all(kept)

    def undone(self, project: Project) -> Project:
        """The project with what was there before, and all else as it is now."""
        parts = {part: dict(getattr(project, part)) for part in ("data", "training")}
        for (part, key), (before, _) in self.settings.items():
            parts[part].pop(key, None)
            parts[part] |= {} if before is ABSENT else {key: before}
        data, training = parts["data"], parts["training"]
        layout = {**self.places, **project.layout}
        graph = self.graph[0]
        return replace(project, graph=graph, data=data, training=training, layout=layout)


def difference(before: Project, after: Project) -> Taken:
    """Tell what differs between a project and the one with the settings of a trial."""
    found: dict[tuple[str, str], tuple[Any, Any]] = {}
    for part in ("data", "training"):
        old, new = getattr(before, part), getattr(after, part)
        for key in {*old, *new}:
            if old.get(key, ABSENT) != new.get(key, ABSENT):
                found[part, key] = old.get(key, ABSENT), new.get(key, ABSENT)
    places = {name: at for name, at in before.layout.items() if name not in after.layout}
    return Taken((before.graph, after.graph), found, places)


def take(document: Document, project: Project) -> None:
    """Make this the project: a change of the drawing is one undo step of the canvas."""
    if project.graph == document.project.graph:
        document.change(training=project.training, data=project.data)
    else:
        document.replace(project)
