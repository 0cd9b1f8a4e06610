"""Grade the hand-ins of a folder: a row each, which depends on nothing but that hand-in."""

import os
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from threading import Event
from typing import Any

from core.common.errors import ProjectError
from core.project.model import ENDING as PROJECT
from core.wings.classroom import hand_in, sandbox
from core.wings.classroom.hand_in import stem
from core.wings.classroom.judge import not_judged
from core.wings.classroom.model import ENDING, KEY_ENDING, ClassTask, GradedLine, TaskKey
from core.wings.classroom.sandbox import SandboxLimits
from core.wings.classroom.similarity import AlikePair, alike, labels_of
from core.wings.classroom.write import write_key, write_task

MOST_FILES, DEEPEST = 1000, 3
LARGEST = 200 << 20
"""Bytes of a hand-in: a bundle with its runs."""
BESIDE = (ENDING, KEY_ENDING)
"""Files of the teacher's that may lie in the folder."""
SKIPPED = ("__MACOSX",)
OWN_PYTHON = "It has own Python: {}. --trust runs it, once you have read it."


@dataclass(frozen=True)
class GradedHandIn:
    """A hand-in that was graded.

    file: its path in the folder. fingerprint: of its bytes. own_python: names of its blocks in
    Python. problem: why it, or its rest, could not be checked, "" where it was. notes: what a
    person should look at.
    """

    file: str
    student: str
    lines: tuple[GradedLine, ...]
    fingerprint: str = ""
    own_python: tuple[str, ...] = ()
    problem: str = ""
    notes: tuple[str, ...] = ()
    labels: Mapping[str, int] = field(default_factory=lambda: {}, repr=False)

    @property
    def points(self) -> int:
        """Points awarded."""
        return sum(line.points for line in self.lines)


@dataclass(frozen=True)
class Grading:
    """How a task is graded. module: what checks one hand-in; endings: of files that hold one.

    beside: a file in whose folder the key's own data lies; jobs: hand-ins at a time.
    """

    task: ClassTask
    key: TaskKey | None
    module: str
    endings: tuple[str, ...]
    beside: str = ""
    trust: bool = False
    limits: SandboxLimits = field(default_factory=SandboxLimits)
    jobs: int = 0


@dataclass(frozen=True)
class Grades:
    """All rows, and the pairs of them whose drawings are most alike."""

    rows: tuple[GradedHandIn, ...]
    pairs: tuple[AlikePair, ...]


def files_of(places: Sequence[Path], left_out: Sequence[Path] = ()) -> list[tuple[Path, str]]:
    """The files that were handed in, each with its name in the table. Raises ProjectError.

    left_out: files that the command writes itself. Links are among them, to be refused by row.
    """
    ours = {path.absolute() for path in left_out}
    found = list[tuple[Path, str]]()
    for place in places:
        if place.is_dir() and not place.is_symlink():
            found += [(f, str(f.relative_to(place))) for f in _walk(place, DEEPEST)]
        else:
            found.append((place, place.name))
    found = [(file, name) for file, name in found if file.absolute() not in ours]
    if len(found) > MOST_FILES:
        message = f"has {len(found):,} files; at most {MOST_FILES:,} are graded at once."
        raise ProjectError(str(places[0]), message, "Grade the folders in it one by one.")
    return found


def _walk(folder: Path, deep: int) -> Iterator[Path]:
    """Files of a folder and of those in it, by name; neither hidden ones nor the teacher's."""
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        raise ProjectError(str(folder), f"cannot be read: {error.strerror}.") from error
    for entry in entries:
        if entry.name.startswith(".") or entry.name in SKIPPED:
            continue
        if entry.is_dir(follow_symlinks=False):
            if deep > 1:
                yield from _walk(Path(entry.path), deep - 1)
        elif not entry.name.endswith(BESIDE):
            yield Path(entry.path)


def grade(
    grading: Grading,
    files: Sequence[tuple[Path, str]],
    on_row: Callable[[GradedHandIn], None] = lambda row: None,
) -> Grades:
    """Grade all files; on_row is called with each row once it is there, in the order of files."""
    rows, stop = list[GradedHandIn](), Event()
    with ThreadPoolExecutor(grading.jobs or _cores()) as pool:
        try:
            for row in pool.map(lambda each: _row(grading, each[0], each[1], stop), files):
                on_row(row)
                rows.append(row)
        except BaseException:  # Ctrl-C among them: what runs is ended, what waits is not begun
            stop.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    rows = _with_counts(grading.task, rows)
    pairs = alike([row.labels for row in rows], labels_of(grading.task.start.graph))
    return Grades(tuple(rows), tuple(pairs))


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _row(grading: Grading, file: Path, name: str, stop: Event) -> GradedHandIn:
    """Grade one file; whatever is wrong with it is in its row."""
    task = grading.task
    try:
        status = file.lstat()
    except OSError as error:
        return _refused(task, name, f"It cannot be read: {error.strerror}.")
    if problem := _refusal(grading, file.name, status):
        return _refused(task, name, problem)
    request = {
        "file": str(file.absolute()),
        "task": write_task(task),
        "key": write_key(grading.key) if grading.key else "",
        "trust": grading.trust,
        "beside": grading.beside,
    }
    try:
        answer = sandbox.check(grading.module, request, grading.limits, stop)
    except OSError as error:  # a full disk among them
        return _refused(task, name, f"It could not be checked: {error.strerror}.")
    row = _of_answer(task, name, answer)
    return replace(row, notes=(*_late(task, status.st_mtime), *row.notes))


def _refused(task: ClassTask, name: str, problem: str) -> GradedHandIn:
    return GradedHandIn(
        name, Path(name).name.split(".")[0], tuple(not_judged(task, 0, problem)), "", (), problem
    )


def _refusal(grading: Grading, name: str, status: os.stat_result) -> str:
    """Why a file is not even opened, "" where it is."""
    if not stat.S_ISREG(status.st_mode):
        return "It is a link or no file at all, so it is not opened."
    if not name.lower().endswith(grading.endings):
        return f"It is not a hand-in: its name ends in none of {', '.join(grading.endings)}."
    if status.st_size > LARGEST:
        size = f"{status.st_size / 1e6:,.0f} MB"
        return f"It has {size}; a hand-in has at most {LARGEST / 1e6:,.0f} MB."
    return ""


def _of_answer(task: ClassTask, name: str, answer: Mapping[str, Any]) -> GradedHandIn:
    lines, problem = [GradedLine(**line) for line in answer["lines"]], str(answer["problem"])
    lines += not_judged(task, len(lines), problem)
    theirs = str(answer.get("task", ""))
    other = theirs and theirs != task.title
    own = tuple(answer.get("own_python", ()))
    notes = [
        *([f"It was handed in for the task “{theirs}”."] if other else []),
        *([OWN_PYTHON.format(", ".join(own))] if own else []),
    ]
    student = str(answer.get("student", "")) or stem(Path(name))
    mark, labels = str(answer.get("fingerprint", "")), answer.get("labels", {})
    return GradedHandIn(name, student, tuple(lines), mark, own, problem, tuple(notes), labels)


def _late(task: ClassTask, modified: float) -> list[str]:
    """A note for what arrived after the end, by the time of the file here, not by the student's."""
    when = datetime.fromtimestamp(modified, UTC)
    if task.until is None or when <= task.until:
        return []
    here = when.astimezone(task.until.tzinfo)
    ended = f"{task.until:%Y-%m-%d %H:%M}"
    return [f"Late: the file is of {here:%Y-%m-%d %H:%M}, and the task ended {ended}."]


def _with_counts(task: ClassTask, rows: Sequence[GradedHandIn]) -> list[GradedHandIn]:
    """Note who handed in more often than allowed, or under a name that somebody else has, too."""
    counts: dict[str, int] = {}
    for row in rows:
        counts[row.student.casefold()] = counts.get(row.student.casefold(), 0) + 1
    noted = list[GradedHandIn]()
    for row in rows:
        count = counts[row.student.casefold()]
        most = f", and the task allows {task.times}" if task.times and count > task.times else ""
        words = [f"{count} hand-ins have this name{most}."] if count > 1 else []
        noted.append(replace(row, notes=(*row.notes, *words)))
    return noted


def endings(packed: Sequence[str]) -> tuple[str, ...]:
    """What the names of hand-ins end with. packed: of files that projects are packed in."""
    return (hand_in.ENDING, PROJECT, *packed)
