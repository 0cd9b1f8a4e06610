"""The progress of a class: one file per student in one folder.

Where $LAYERLOOM_CLASS names a folder, `progress` keeps each student's file there, too. Without it,
students hand in their file: it is the same.
"""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.common.errors import ProjectError
from core.common.escaping import spreadsheet
from core.files.read import read_bytes
from core.wings.lessons.model import Lesson
from core.wings.lessons.progress import Progress, parse_progress

MOST = 500
"""Files of a folder that are read."""


@dataclass(frozen=True)
class Student:
    """A student: name of the file, progress; `progress.problem`: why a file has none.

    count: how many students a row stands for, more than one for those whose files are not read.
    """

    name: str
    progress: Progress
    count: int = 1


def read_class(folder: Path) -> list[Student]:
    """Read the files of a class, by name; what is over MOST is one last entry that names them.

    Raises ProjectError where the folder cannot be read.
    """
    try:
        files = sorted(folder.glob("*.json"))
    except OSError as error:
        raise ProjectError(str(folder), f"cannot be read: {error.strerror}.") from error
    students = [_student(file) for file in files[:MOST]]
    return [*students, *_left_out(files[MOST:])]


def _left_out(files: Sequence[Path]) -> list[Student]:
    """What to show for files that are not read."""
    if not files:
        return []
    first, last, count = files[0].stem, files[-1].stem, len(files)
    more = f"{count:,} more are not read: {first} to {last}"
    if count == 1:
        more = f"one more is not read: {first}"
    problem = f"A class has at most {MOST} files, so {more}."
    return [Student(f"{count:,} not read", Progress(problem=problem), count)]


def _student(file: Path) -> Student:
    try:
        return Student(file.stem, parse_progress(read_bytes(file), file.name))
    except ProjectError as error:
        return Student(file.stem, Progress(problem=str(error)))


def read_handed_in(files: Iterable[tuple[str, bytes]]) -> list[Student]:
    """Read files that students handed in: name and bytes of each."""
    students: list[Student] = []
    for name, data in files:
        try:
            progress = parse_progress(data, name)
        except ProjectError as error:
            progress = Progress(problem=str(error))
        students.append(Student(Path(name).stem, progress))
    return sorted(students, key=lambda student: student.name.lower())


def table_csv(students: Sequence[Student], course: Sequence[Lesson]) -> str:
    """The class as CSV: a row for each student, steps done in each lesson, lessons done."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["student", *(lesson.name for lesson in course), "lessons done"])
    for student in students:
        counts = [len(student.progress.done(lesson)) for lesson in course]
        writer.writerow([spreadsheet(student.name), *counts, count_done(student.progress, course)])
    return text.getvalue()


def count_done(progress: Progress, course: Sequence[Lesson]) -> int:
    """How many lessons of the course are done."""
    return sum(progress.is_done(lesson) for lesson in course)


def done_by_lesson(students: Sequence[Student], course: Sequence[Lesson]) -> Mapping[str, int]:
    """How many students have done each lesson."""
    return {
        lesson.name: sum(student.progress.is_done(lesson) for student in students)
        for lesson in course
    }
