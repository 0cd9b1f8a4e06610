"""Hand-ins to a small task, good ones and others, and grading without a process for each."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from app.wings.classroom.check_process import unpack
from core.claims import Check
from core.project import Project, write_text
from core.project.templates import load_template
from core.wings.classroom import ClassTask, Requirement, TaskKey
from core.wings.classroom.check_one import ANSWER, answer_to
from core.wings.classroom.grade import Grading, endings
from core.wings.classroom.hand_in import HandIn, RunFigures, write_hand_in

MODULE = "app.wings.classroom.check_process"
IRIS = load_template("mlp_iris")
TASK = ClassTask(
    "Flowers",
    "Tell three kinds of iris apart.",
    IRIS,
    (
        Requirement(Check("outputs", {"shapes": ((3,),)}), 2),
        Requirement(Check("params_below", {"count": 404}), 1),
        Requirement(Check("learns", {"metric": "accuracy", "epochs": 20, "at_least": 0.9}), 4),
    ),
    has_key=True,
)
KEY = TaskKey("Flowers", {"source": "iris", "validation": 0.2, "test": 0.3, "normalize": True}, 7)
GRADING = Grading(TASK, KEY, MODULE, endings([".loom.zip"]), jobs=1)


def in_here(module: str, request: dict[str, Any], limits: Any, stop: Any) -> dict[str, Any]:
    """What a process of its own answers, without one. The folder of the hand-in is its own."""
    folder = Path(request["file"]).parent
    answer_to({**request, "folder": str(folder)}, unpack)
    file = folder / ANSWER
    answer = json.loads(file.read_text("utf-8"))
    file.unlink()
    return answer


def hand_in(project: Project = IRIS, student: str = "Ada", **more: Any) -> str:
    """The text of a hand-in."""
    return write_hand_in(HandIn(project, student, more.get("task", "Flowers"), more.get("run")))


def run_of(source: str, **metrics: float) -> RunFigures:
    return RunFigures("run-1", source, 20, 1.5, metrics)


def with_python(text: str) -> str:
    """A project with a block of its own in Python."""
    raw = json.loads(write_text(replace(IRIS, name="own")))
    raw["composites"] = {"Gate": {"python": text.splitlines()}}
    raw["graph"]["nodes"]["gate"] = {"block": "Gate"}
    raw["graph"]["edges"] = [
        e.replace("fc1 -> relu1", "fc1 -> gate") for e in raw["graph"]["edges"]
    ] + ["gate -> relu1"]
    return json.dumps(raw)
