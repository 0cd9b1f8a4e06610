"""Tasks of a teacher's own: what must hold of a drawing, handing in, and grading.

Reading a task or a hand-in runs nothing of it and imports no torch; `evidence` and `learn` do.
"""

from core.wings.classroom.model import ClassTask, GradedLine, Requirement, TaskKey
from core.wings.classroom.read import open_key, open_task, read_key, read_task
from core.wings.classroom.write import write_key, write_task

__all__ = [
    "ClassTask",
    "GradedLine",
    "Requirement",
    "TaskKey",
    "open_key",
    "open_task",
    "read_key",
    "read_task",
    "write_key",
    "write_task",
]
