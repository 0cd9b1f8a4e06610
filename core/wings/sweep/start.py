"""Start a sweep or resume one, from its folder."""

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from core.common.errors import RunError, SweepError
from core.project import Project, open_project
from core.runs.files import take_lock, write_json
from core.settings.launcher import KEY, Launcher
from core.settings.override import put
from core.settings.schema import TRAINING
from core.wings.sweep import check, files, objectives, search_space, study
from core.wings.sweep.conditional import fixed_beside
from core.wings.sweep.folds import FOLD
from core.wings.sweep.pruning import pruner_of
from core.wings.sweep.sweep import Sweep
from core.wings.sweep.together import HOW
from core.wings.sweep.workers import JOURNAL_LOCK, SharedLock, any_lives, enrolled

EPOCHS = next(setting.default for setting in TRAINING if setting.name == "epochs")
MOST_TRIALS = 100_000


def request_of(
    project: Project,
    file: Path | None,
    search: Sequence[str],
    trials: int,
    fixed: Mapping[str, Any],
    **more: Any,
) -> files.SweepRequest:
    """Check the request, and put it into words.

    more: seed, prune, pruner, objectives, name, document, together, launcher.

    file: None for a project that was never saved.

    Raises SweepError for what cannot be searched; DataError, TrainingError for the project itself.
    """
    _check_trials(trials)
    if more.get("seed", 0) < 0:
        message = f"--seed needs 0 or a larger whole number but receives {more['seed']}."
        raise SweepError("seed", message, "Any such number will do.")
    if more.get("together", "auto") not in HOW:
        message = f"together is {' or '.join(HOW)}, not {more['together']!r:.40}."
        raise SweepError("together", message, "Auto suits most sweeps.")
    if not search:
        message = "No search space is given."
        raise SweepError("search", message, "Add --search lr=1e-4..1e-1:log, or another key.")
    space = [search_space.read(text) for text in search]
    more["objectives"] = tuple(more.get("objectives", ()))
    _, scored = _checked(
        check.with_goal(put(project, fixed), space), space, fixed, more["objectives"]
    )
    sha = files.hash_of(project)
    where = str(file.absolute()) if file else ""
    request = files.SweepRequest(where, sha, tuple(search), trials, fixed=fixed, **more)
    return _with_launcher(_with_pruning(request, len(scored)), request.launcher)


def _with_pruning(request: files.SweepRequest, scored: int) -> files.SweepRequest:
    """The request, without early stopping where there are several objectives."""
    if scored < 2:
        return request
    if request.prune and request.pruner != "median":
        message = f"{request.pruner} stops trials by one objective but there are {scored}."
        hint = "Omit --prune, or keep one --objective: a trial bad by one may be best by another."
        raise SweepError("prune", message, hint)
    return replace(request, prune=False)


def _with_launcher(request: files.SweepRequest, stored: Mapping[str, Any]) -> files.SweepRequest:
    """The request with trials that train by this launcher; each then has its own process.

    stored: as in spec.json, {} for this machine. Raises SweepError.
    """
    if not stored:
        return replace(request, launcher={})
    title = str(stored.get("kind", ""))
    if request.together == "on":
        message = f"Trials that train by {title} are jobs of their own, so none train together."
        raise SweepError("together", message, "Omit --together.")
    return replace(request, launcher=dict(stored), together="off")


def _check_trials(trials: int) -> None:
    if not 1 <= trials <= MOST_TRIALS:
        message = f"--trials needs a whole number from 1 to {MOST_TRIALS:,} but receives {trials}."
        raise SweepError("trials", message, "10 to 20 trials are a good start.")


def _checked(
    project: Project,
    space: list[search_space.Searched],
    fixed: Mapping[str, Any],
    names: Sequence[str],
) -> tuple[list[search_space.Searched], tuple[objectives.SweepObjective, ...]]:
    for each in space:
        if each.key in fixed:
            message = f"{each.key} is both fixed and searched."
            raise SweepError(each.key, message, "Remove one of --set and --search.")
    fixed_beside(project, fixed, space)
    info = check.info_of(project)
    scored = check.objectives_of(project, info, names)
    if len(scored) > 1 and any(each.key == FOLD for each in space):
        message = f"--folds compares means of one objective but there are {len(scored)}."
        raise SweepError("objective", message, "Remove --folds, or keep one --objective.")
    return check.check(project, info, scored, space), scored


def more_trials(where: Path, trials: int) -> None:
    """Let a sweep have another number of trials in all. Raises SweepError."""
    _check_trials(trials)
    request = replace(files.read_request(where), trials=trials)
    write_json(where / files.ASKED, asdict(request), durable=True)


def set_launcher(where: Path, stored: Mapping[str, Any]) -> None:
    """Let the trials of a sweep train by another launcher from here on. Raises SweepError."""
    request = _with_launcher(files.read_request(where), stored)
    write_json(where / files.ASKED, asdict(request), durable=True)


def launcher_of(request: files.SweepRequest) -> Launcher | None:
    """Where the trials of a sweep train, None for one process here. Raises SweepError."""
    try:
        launcher = Launcher.read({KEY: request.launcher or None})
    except RunError as error:
        raise SweepError(request.name, error.message, error.hint) from error
    return None if launcher.plain else launcher


@contextmanager
def open_study(where: Path, runs_dir: Path, join: bool = False) -> Generator[Sweep]:
    """Open a sweep by its folder. join: work on it beside the processes that have it already.

    Raises SweepError where another process has it and this one does not join.
    """
    first = take_lock(where / files.LOCK, wait_s=0.5)
    if not join and (first is None or any_lives(where)):
        message = f"{where.name} is running in another process."
        hint = f"Wait for it to end, stop it there with Ctrl-C, or help it with --join {where}."
        raise SweepError(where.name, message, hint)
    lock = SharedLock(where / JOURNAL_LOCK, where / files.JOURNAL)
    with first or nullcontext(), enrolled(where, lock) as worker:
        request = files.read_request(where)
        project = put(open_project(where / files.PROJECT), request.fixed)
        space = [search_space.read(text) for text in request.search]
        project = check.with_goal(project, space)
        space, scored = _checked(project, space, request.fixed, request.objectives)
        pruner = pruner_of(request.rule, _longest(project, space))
        opened = study.load_study(where, request, [each.direction for each in scored], lock, pruner)
        with lock.held():
            counted = study.fill(opened, request, space)
        beside = Path(request.file).parent if request.file else None
        goal = check.goal_among(scored)
        given = (runs_dir, request, project, space, goal, scored, opened, lock, worker, beside)
        yield Sweep(*given, counted, launcher_of(request))


def _longest(project: Project, space: Sequence[search_space.Searched]) -> int:
    """Epochs of the longest trial."""
    given = project.training.get("epochs")
    searched = [value for each in space if each.key == "epochs" for value in each.ends]
    return max([value for value in (given, *searched) if type(value) is int] or [EPOCHS])
