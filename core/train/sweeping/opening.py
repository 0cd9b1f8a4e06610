"""Beginning a sweep, and going on with one: both from what its own folder says."""

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from core.project import Project, open_project
from core.train.folder import take_lock, write_json
from core.train.sweeping import checking, folder, space, study
from core.train.sweeping.driver import Sweep
from core.train.sweeping.errors import SweepError
from core.train.sweeping.keys import put
from core.train.sweeping.tied import fixed_beside

MOST_TRIALS = 100_000


def asked_for(
    project: Project,
    file: Path,
    search: Sequence[str],
    trials: int,
    fixed: Mapping[str, Any],
    **more: Any,
) -> folder.Asked:
    """Check what is asked for, and word it. more: seed, prune, name.

    Raises SweepError for what cannot be searched; DataError, TrainingError for the project itself.
    """
    _countable(trials)
    if more.get("seed", 0) < 0:
        message = f"--seed needs 0 or a larger whole number but receives {more['seed']}."
        raise SweepError("seed", message, "Any will do.")
    if not search:
        message = "Nothing is searched."
        raise SweepError("search", message, "Give --search lr=1e-4..1e-1:log, or another key.")
    found = [space.read(text) for text in search]
    _checked(put(project, fixed), found, fixed)
    sha = folder.hash_of(project)
    return folder.Asked(str(file.absolute()), sha, tuple(search), trials, fixed=fixed, **more)


def _countable(trials: int) -> None:
    if not 1 <= trials <= MOST_TRIALS:
        message = f"--trials needs a whole number from 1 to {MOST_TRIALS:,} but receives {trials}."
        raise SweepError("trials", message, "A dozen or two tell much.")


def _checked(
    project: Project, found: list[space.Searched], fixed: Mapping[str, Any]
) -> tuple[checking.Goal, list[space.Searched]]:
    for each in found:
        if each.key in fixed:
            message = f"{each.key} is both fixed and searched."
            raise SweepError(each.key, message, "Leave one of --set and --search away.")
    fixed_beside(project, fixed, found)
    info = checking.info_of(project)
    goal = checking.goal_of(project, info)
    return goal, checking.check(project, info, goal, found)


def more_trials(where: Path, trials: int) -> None:
    """Let a sweep have another number of trials in all. Raises SweepError."""
    _countable(trials)
    asked = replace(folder.read_asked(where), trials=trials)
    write_json(where / folder.ASKED, asdict(asked), durable=True)


@contextmanager
def opened(where: Path, runs_dir: Path) -> Generator[Sweep]:
    """Open a sweep by its folder; no other process can while this one has it.

    Raises SweepError where another has it.
    """
    lock = take_lock(where / folder.LOCK, wait_s=0.5)
    if lock is None:
        message = f"{where.name} is under way in another process."
        raise SweepError(where.name, message, "Wait for it, or stop it there with Ctrl-C.")
    with lock:
        asked = folder.read_asked(where)
        project = put(open_project(where / folder.PROJECT), asked.fixed)
        found = [space.read(text) for text in asked.search]
        goal, found = _checked(project, found, asked.fixed)
        kept = study.opened(where, asked, goal.direction)
        counted = study.fill(kept, asked, found)
        beside = Path(asked.file).parent if asked.file else None
        yield Sweep(runs_dir, asked, project, found, goal, kept, beside, counted)
