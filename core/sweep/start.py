"""Start a sweep or resume one, from its folder."""

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from core.errors import SweepError
from core.project import Project, open_project
from core.runs.files import take_lock, write_json
from core.settings.override import put
from core.sweep import check, files, search_space, study
from core.sweep.conditional import fixed_beside
from core.sweep.driver import Sweep
from core.sweep.together import HOW

MOST_TRIALS = 100_000


def request_of(
    project: Project,
    file: Path | None,
    search: Sequence[str],
    trials: int,
    fixed: Mapping[str, Any],
    **more: Any,
) -> files.SweepRequest:
    """Check what is asked for, and word it. more: seed, prune, name, document, together.

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
    _checked(put(project, fixed), space, fixed)
    sha = files.hash_of(project)
    where = str(file.absolute()) if file else ""
    return files.SweepRequest(where, sha, tuple(search), trials, fixed=fixed, **more)


def _check_trials(trials: int) -> None:
    if not 1 <= trials <= MOST_TRIALS:
        message = f"--trials needs a whole number from 1 to {MOST_TRIALS:,} but receives {trials}."
        raise SweepError("trials", message, "10 to 20 trials are a good start.")


def _checked(
    project: Project, space: list[search_space.Searched], fixed: Mapping[str, Any]
) -> tuple[check.Goal, list[search_space.Searched]]:
    for each in space:
        if each.key in fixed:
            message = f"{each.key} is both fixed and searched."
            raise SweepError(each.key, message, "Remove one of --set and --search.")
    fixed_beside(project, fixed, space)
    info = check.info_of(project)
    goal = check.goal_of(project, info)
    return goal, check.check(project, info, goal, space)


def more_trials(where: Path, trials: int) -> None:
    """Let a sweep have another number of trials in all. Raises SweepError."""
    _check_trials(trials)
    asked = replace(files.read_request(where), trials=trials)
    write_json(where / files.ASKED, asdict(asked), durable=True)


@contextmanager
def open_study(where: Path, runs_dir: Path) -> Generator[Sweep]:
    """Open a sweep by its folder; no other process can while this one has it.

    Raises SweepError where another has it.
    """
    lock = take_lock(where / files.LOCK, wait_s=0.5)
    if lock is None:
        message = f"{where.name} is running in another process."
        raise SweepError(where.name, message, "Wait for it to end, or stop it there with Ctrl-C.")
    with lock:
        asked = files.read_request(where)
        project = put(open_project(where / files.PROJECT), asked.fixed)
        space = [search_space.read(text) for text in asked.search]
        goal, space = _checked(project, space, asked.fixed)
        opened = study.load_study(where, asked, goal.direction)
        counted = study.fill(opened, asked, space)
        beside = Path(asked.file).parent if asked.file else None
        yield Sweep(runs_dir, asked, project, space, goal, opened, beside, counted)
