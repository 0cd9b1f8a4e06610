"""A hand-in: the drawing, who drew it, for which task, and the figures of a run. No torch.

What it says of a run is what the student's machine wrote: `learn` trains anew where that counts.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from core.claims import forms
from core.claims.forms import Key as Field
from core.claims.forms import keys, words
from core.common.errors import ProjectError
from core.files.messages import at, fail, in_file
from core.files.read import read_bytes
from core.files.strict import decode, parse
from core.project import Project, values, write_text
from core.project.read import read_json
from core.runs.files import read_json as read_file
from core.runs.listing import RunView
from core.wings.classroom.read import FORMAT, LONGEST_TITLE, project_within

ENDING = ".handin.json"
LONGEST_NAME = 80
MOST_METRICS = 200
MARK = "hand_in"


def _nothing() -> dict[str, float]:
    return {}


@dataclass(frozen=True)
class RunFigures:
    """A run as it is handed in. source: sha256 of the source that it trained; metrics: those of
    the best epoch; seconds: that it trained."""

    name: str
    source: str
    epochs: int = 0
    seconds: float = 0.0
    metrics: Mapping[str, float] = field(default_factory=_nothing)


@dataclass(frozen=True)
class HandIn:
    """What is handed in. student, task: "" where a project came alone."""

    project: Project
    student: str = ""
    task: str = ""
    run: RunFigures | None = None


def figures_of(view: RunView) -> RunFigures:
    """The figures of a run, at its best epoch."""
    best = (view.best or {}).get("metrics") or view.metrics
    known = {k: float(v) for k, v in best.items() if isinstance(v, int | float)}
    source = str(read_file(view.dir / "spec.json").get("source_sha256", ""))
    return RunFigures(view.name, source, view.epoch, round(view.elapsed_s, 1), known)


def write_hand_in(hand_in: HandIn) -> str:
    """Write a hand-in as the text of its file. Raises ProjectError."""
    run = hand_in.run
    figures = (
        {
            "name": run.name,
            "source": run.source,
            "epochs": run.epochs,
            "seconds": run.seconds,
            "metrics": dict(run.metrics),
        }
        if run
        else None
    )
    rows = [
        f'"{MARK}": {FORMAT}',
        f'"student": {json.dumps(hand_in.student, ensure_ascii=False)}',
        f'"task": {json.dumps(hand_in.task, ensure_ascii=False)}',
        *([f'"run": {json.dumps(figures, allow_nan=False)}'] if figures else []),
        '"project": ' + write_text(hand_in.project).rstrip("\n").replace("\n", "\n  "),
    ]
    return "{\n  " + ",\n  ".join(rows) + "\n}\n"


def fingerprint(content: bytes) -> str:
    """The first digits of sha256 of a hand-in's file, by which student and teacher name it."""
    return hashlib.sha256(content).hexdigest()[:12]


def read_hand_in(content: bytes) -> HandIn:
    """Read a hand-in, or a project that was handed in alone. Raises ProjectError."""
    value = parse(decode(content))
    if not isinstance(value, dict) or MARK not in value:
        return HandIn(read_json(value, []))
    form = {
        MARK: Field(lambda v, p: values.whole(v, p, FORMAT, FORMAT)),
        "student": Field(lambda v, p: words(v, p, LONGEST_NAME)),
        "task": Field(lambda v, p: words(v, p, LONGEST_TITLE)),
        "run": Field(_run, optional=True),
        "project": Field(project_within),
    }
    fields = keys(values.json_object(value, ""), "", form)
    del fields[MARK]
    return HandIn(**fields)


def _run(value: Any, path: str) -> RunFigures:
    form = {
        "name": Field(lambda v, p: words(v, p, 200)),
        "source": Field(lambda v, p: words(v, p, 64)),
        "epochs": Field(forms.count),
        "seconds": Field(forms.number),
        "metrics": Field(_metrics),
    }
    return RunFigures(**keys(values.json_object(value, path), path, form))


def _metrics(value: Any, path: str) -> dict[str, float]:
    given = values.json_object(value, path)
    if len(given) > MOST_METRICS:
        fail(path, f"has {len(given)} figures.", f"At most {MOST_METRICS} are allowed.")
    return {forms.word(k, path): forms.number(v, at(path, k)) for k, v in given.items()}


def stem(file: Path) -> str:
    """The name of a file without its endings."""
    return file.name.split(".")[0] or file.name


def open_hand_in(file: Path) -> HandIn:
    """Read the file of a hand-in. Raises ProjectError with the file and the JSON path."""
    content = read_bytes(file)
    try:
        return read_hand_in(content)
    except ProjectError as error:
        raise in_file(file.name, error) from None
