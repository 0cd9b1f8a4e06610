"""The files of a run in a bundle: settings, curves, notes, drawing, weights; never source code.

Received files are checked, so that the run list, the curves and a new run can read them: a foreign
file is no worse than a damaged one of our own. Worker and optimiser state are left out.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from core.common.errors import ProjectError, RunError
from core.files.messages import fail, quote
from core.files.strict import decode, parse
from core.project.model import Project
from core.project.read import read_text
from core.project.values import json_object
from core.runs import jsonl
from core.runs.files import FORMAT, read_json, read_status, threads_of
from core.runs.listing import ALIVE, DONE, view_run
from core.runs.vocabulary import VOCABULARY
from core.settings.distillation import PROJECT as TEACHER
from core.settings.distillation import WEIGHTS as TEACHER_WEIGHTS
from core.settings.init_weights import FILE as START
from core.wings.bundle.archive import ANEW

SPEC, STATUS, PROJECT = "spec.json", "status.json", "project.loom.json"
METRICS, EVENTS, NOTES, BEST = "metrics.jsonl", "events.jsonl", "marks.json", "best.safetensors"
LARGEST = {
    SPEC: 4_000_000,
    STATUS: 1_000_000,
    PROJECT: 5_000_000,
    METRICS: 256 << 20,
    EVENTS: 16 << 20,
    NOTES: 100_000,
    VOCABULARY: 16 << 20,
    TEACHER: 5_000_000,
}
"""Most bytes of each file; those of weights have the limit of the bundle."""
WEIGHTS = (BEST, START, TEACHER_WEIGHTS)
ALLOWED = (*LARGEST, *WEIGHTS)
NEEDED = (SPEC, STATUS, PROJECT)
KEPT = (
    "epoch",
    "step",
    "steps",
    "epochs",
    "elapsed_s",
    "metrics",
    "best",
    "attempt",
    "message",
    "hint",
    "warnings",
    "origin",
    "skipped",
    "exploded",
    "device",
    "exact",
)
"""What travels of status.json."""
TEXT_KEYS = ("name", "project", "task", "class_name", "source_sha256")
LONGEST_LINE = 64 << 20


def texts_of(run_dir: Path) -> dict[str, bytes]:
    """The small files of a run as they travel, by name. Raises RunError for a run under way."""
    view = view_run(run_dir)
    if view.state in ALIVE:
        raise RunError(run_dir.name, f"{run_dir.name} is still training.", "Stop it, or wait.")
    if view.state == "lost":
        raise RunError(run_dir.name, view.message, view.hint)
    spec = {**read_json(run_dir / SPEC)}
    for here in ("brought", "document"):  # what is so in this workspace alone
        spec.pop(here, None)
    status = {key: value for key, value in read_status(run_dir).items() if key in KEPT}
    state = view.state if view.state in DONE else "stopped"
    stated = {SPEC: spec, STATUS: {"format": FORMAT, "state": state, **status}}
    files = {name: _json(run_dir.name, name, value) for name, value in stated.items()}
    for name in (PROJECT, METRICS, EVENTS, NOTES, TEACHER, VOCABULARY):
        path = run_dir / name
        if path.is_file() and not path.is_symlink():
            files[name] = path.read_bytes()
    return files


def _json(run: str, name: str, value: Any) -> bytes:
    """What a file of a run says, as bytes. Raises RunError for half a character in it."""
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=1).encode() + b"\n"
    except UnicodeEncodeError as error:
        half = f"\\u{ord(error.object[error.start]):04x}"
        message = f"{name} of {run} contains half a character ({half})."
        raise RunError(run, message, "Remove it from the file, or share another run.") from error


def check_run(folder: Path, name: str) -> tuple[dict[str, Any], Project]:
    """Check what came of a run; its spec and the project it trained. Raises ProjectError."""
    folder_name = f"runs/{name}"
    for needed in NEEDED:
        if not (folder / needed).is_file():
            fail(folder_name, f"has no {needed}.", ANEW)
    spec = _object(folder / SPEC, f"{folder_name}/{SPEC}")
    _check_spec(spec, f"{folder_name}/{SPEC}")
    status = _object(folder / STATUS, f"{folder_name}/{STATUS}")
    if status.get("state") not in DONE:
        fail(
            f"{folder_name}/{STATUS}",
            f"needs the state of a finished run but has {quote(status.get('state'))}.",
        )
    if (folder / NOTES).is_file():
        _object(folder / NOTES, f"{folder_name}/{NOTES}")
    if (folder / VOCABULARY).is_file():
        vocabulary = _object(folder / VOCABULARY, f"{folder_name}/{VOCABULARY}")
        _check_words(vocabulary.get("tokens"), f"{folder_name}/{VOCABULARY}, tokens")
    for lines in (METRICS, EVENTS):
        if (folder / lines).is_file():
            _check_lines(folder / lines, f"{folder_name}/{lines}", lines == METRICS)
    project = _project(folder / PROJECT, f"{folder_name}/{PROJECT}")
    if (folder / TEACHER).is_file():
        _project(folder / TEACHER, f"{folder_name}/{TEACHER}")
    if view_run(folder).state not in DONE:
        fail(folder_name, "is not a complete run.", ANEW)
    return spec, project


def _object(path: Path, place: str) -> dict[str, Any]:
    try:
        limit = LARGEST[path.name]
        return json_object(parse(decode(path.read_bytes(), limit), limit), "")
    except ProjectError as error:
        fail(place, f"{error.place} {error.message}".strip(), error.hint)


def _project(path: Path, place: str) -> Project:
    try:
        return read_text(decode(path.read_bytes()), place)
    except ProjectError as error:
        fail(error.place or place, error.message, error.hint)


def _check_spec(spec: Mapping[str, Any], place: str) -> None:
    if spec.get("format") != FORMAT:
        message = f"has format {quote(spec.get('format'))}, but this version reads {FORMAT}."
        fail(place, message, "Open it with the version that wrote it, or a newer one.")
    for key in TEXT_KEYS:
        if not isinstance(spec.get(key), str) or len(spec[key]) > 200:
            fail(place, f"needs text as {key} but receives {quote(spec.get(key))}.")
    for key in ("training", "data"):
        if not isinstance(spec.get(key), dict):
            fail(place, f"needs an object as {key} but receives {quote(spec.get(key))}.")
    _check_words(spec.get("classes", []), f"{place}, classes")
    _check_names(spec.get("branch"), f"{place}, branch")
    try:
        threads_of(spec, "the run")
    except RunError as error:
        fail(place, error.message, error.hint)
    if type(spec["training"].get("epochs")) is not int or type(spec.get("params")) is not int:
        fail(place, "needs whole numbers for training.epochs and params.")


def _check_names(value: Any, place: str) -> None:
    """What says where a run came from names another run by text."""
    if value is None:
        return
    if not isinstance(value, dict):
        fail(place, f"needs an object but receives {quote(value)}.", ANEW)
    if "run" in value and not isinstance(value["run"], str):
        fail(place, f"needs the name of a run but receives {quote(value['run'])}.", ANEW)


def _check_words(value: Any, place: str) -> None:
    """What names classes or tokens by their numbers is a list of texts."""
    if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
        fail(place, "needs a list of texts.", ANEW)


def _check_lines(path: Path, place: str, numbers: bool) -> None:
    """Every line is an object; of metrics, of parallel lists of numbers."""
    with path.open("rb") as file:
        for count, line in enumerate(iter(lambda: file.readline(LONGEST_LINE + 1), b""), 1):
            record = jsonl.parse(line) if len(line) <= LONGEST_LINE else None
            if record is None or not (jsonl.is_curve(record) if numbers else _is_event(record)):
                fail(f"{place}, line {count}", "is not a valid record.", ANEW)


def _is_event(record: Mapping[str, Any]) -> bool:
    return all(isinstance(record.get(key, ""), str) for key in ("kind", "message"))
