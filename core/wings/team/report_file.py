"""What of a lab report is kept: one's own words, and which run they are about, as it was then.

    RUNS/.reports/RUN-KEY.json    beside the runs, so that a run may go and the words stay

A report that was written as HTML or as a notebook has the same in it, with the project that was
trained: dropped on the workbench it opens again. Nothing in it is run.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from core.common.errors import ProjectError
from core.files.safe_path import open_file
from core.files.strict import MAX_BYTES, decode, parse
from core.runs.files import write_json
from core.wings.team.lab_report import LabReport
from core.wings.team.report_pieces import PARTS
from core.wings.team.report_snapshot import Snapshot, key_of, read_snapshot, what_changed

FORMAT, FORMAT_KEY = 1, "layerloom_report"
FOLDER = ".reports"
RUN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")
KEY = re.compile(r"[0-9a-f]{16}")
LONGEST = 20_000
"""Characters of the words before one part."""
LARGEST = 64 << 20
"""Bytes of an HTML file or a notebook that is looked at."""
OPENS, CLOSES = f'<script type="application/json" id="{FORMAT_KEY}">', "</script>"
HINT = "Choose a file that `layerloom report` or the page Lab report has written."


@dataclass(frozen=True)
class ReportFile:
    """snapshot: the run as it was when the words were saved. words: by part, in Markdown.

    title: of the project. project: its text, "" where it is kept beside the run.
    """

    snapshot: Snapshot
    words: Mapping[str, str] = field(default_factory=dict[str, str])
    title: str = ""
    project: str = ""

    def json(self) -> dict[str, Any]:
        """As it is kept."""
        kept = {FORMAT_KEY: FORMAT, "title": self.title, "snapshot": self.snapshot.json()}
        kept["words"] = dict(self.words)
        return {**kept, "project": self.project} if self.project else kept

    def embedded(self) -> str:
        """As an element of HTML, which no browser runs."""
        data = json.dumps(self.json()).replace("<", "\\u003c")
        return f"{OPENS}{data}{CLOSES}"

    def gone(self, runs: Path) -> str:
        """That the run is not here, and what is known of it."""
        seen = self.snapshot
        last = f"When these words were saved it had {seen.result}." if seen.result else ""
        other = (runs / seen.run).is_dir()
        why = f"the run {seen.run} in {runs.name} is another one" if other else ""
        why = why or f"the run {seen.run} is not in {runs.name}"
        return f"{why[0].upper()}{why[1:]}, so its numbers cannot be read. {last}".rstrip()


def kept_with(report: LabReport, before: ReportFile | None) -> ReportFile:
    """What is written into the file of a report: the words that were kept, and the project."""
    seen = before.snapshot if before is not None and before.words else report.snapshot
    return ReportFile(seen, before.words if before else {}, report.title, report.project)


def remarks(report: LabReport, before: ReportFile | None) -> list[str]:
    """When the numbers were read, and whether the run changed since the words were saved."""
    now = datetime.now().astimezone().isoformat(" ", timespec="minutes")[:16]
    changed = what_changed(before.snapshot, report.snapshot) if before and before.words else ""
    return [f"Its numbers were read on {now}.", *([changed] if changed else [])]


def path_of(runs: Path, snapshot: Snapshot) -> Path:
    """Where the words on a run are kept. Raises ProjectError for a name that no run has."""
    if not RUN_NAME.fullmatch(snapshot.run) or not KEY.fullmatch(snapshot.key):
        raise ProjectError("This report", "names a run that cannot be.", HINT)
    return runs / FOLDER / f"{snapshot.run}-{snapshot.key}.json"


def load(runs: Path, snapshot: Snapshot) -> ReportFile | None:
    """The words on a run; None where there are none. Raises ProjectError for a damaged file."""
    path = path_of(runs, snapshot)
    try:
        return read(decode(_bytes(path, MAX_BYTES)), path.name)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ProjectError(path.name, f"cannot be read: {error.strerror or error}.", "") from error


def save(runs: Path, report: ReportFile) -> None:
    """Keep words. Raises ProjectError where they are too long, OSError where it cannot write."""
    path = path_of(runs, report.snapshot)
    for key, words in report.words.items():
        if len(words) > LONGEST:
            name = PARTS[key][0] if key in PARTS else key
            said = f"has {len(words):,} characters before the part {name}."
            raise ProjectError("This report", said, f"Write at most {LONGEST:,}.")
    path.parent.mkdir(parents=True, exist_ok=True)
    write_json(path, replace(report, project="").json(), durable=True)


def take_in(runs: Path, report: ReportFile) -> Path | None:
    """Keep the words of a report that came in a file. Words that were here before go into a file
    beside theirs, whose path is returned. Raises ProjectError, OSError."""
    before, path = load(runs, report.snapshot), path_of(runs, report.snapshot)
    aside = None
    if before is not None and dict(before.words) != dict(report.words) and before.words:
        aside = path.with_suffix(f".{datetime.now(UTC):%Y%m%dT%H%M%S%f}.before")
        path.replace(aside)
    save(runs, report)
    return aside


def kept(runs: Path) -> list[ReportFile]:
    """All reports that are kept here; those that cannot be read are left out."""
    found: list[ReportFile] = []
    for path in sorted((runs / FOLDER).glob("*.json")):
        try:
            found.append(read(decode(_bytes(path, MAX_BYTES)), path.name))
        except (OSError, ProjectError):
            continue
    return found


def run_of(runs: Path, snapshot: Snapshot) -> Path | None:
    """The folder of the run that a report is about; None where it is gone, or another of its name
    is there."""
    folder = runs / snapshot.run
    known = RUN_NAME.fullmatch(snapshot.run) and not folder.is_symlink()
    return folder if known and key_of(folder) == snapshot.key else None


def open_report(path: Path, name: str = "") -> ReportFile:
    """The report in an HTML file, a notebook, or a file of words. Raises ProjectError."""
    name = name or path.name
    try:
        text = _bytes(path, LARGEST).decode("utf-8")
    except (OSError, UnicodeDecodeError):
        raise ProjectError(name, "cannot be read as a lab report.", HINT) from None
    if text.lstrip().startswith("{"):
        data = _parsed(text, LARGEST, name)
        inner = data.get("metadata") if isinstance(data, dict) else None
        return _read(inner.get(FORMAT_KEY) if isinstance(inner, dict) else data, name)
    start = text.find(OPENS)
    if start < 0:
        raise ProjectError(name, "is not a lab report of Layerloom.", HINT)
    return read(text[start + len(OPENS) :].partition(CLOSES)[0], name)


def read(text: str, name: str) -> ReportFile:
    """The report of a JSON text. Raises ProjectError."""
    return _read(_parsed(text, 2 * MAX_BYTES, name), name)


def _parsed(text: str, limit: int, name: str) -> Any:
    try:
        return parse(text, limit)
    except ProjectError as error:
        raise ProjectError(name, f"is damaged: {error.message}", HINT) from error


def _read(data: Any, name: str) -> ReportFile:
    if not isinstance(data, dict) or type(data.get(FORMAT_KEY)) is not int:
        raise ProjectError(name, "is not a lab report of Layerloom.", HINT)
    if data[FORMAT_KEY] > FORMAT:
        said = f"has format {data[FORMAT_KEY]}, and this release reads {FORMAT}."
        raise ProjectError(name, said, "Open it with a newer Layerloom.")
    snapshot, words = read_snapshot(data.get("snapshot")), data.get("words")
    if snapshot is None or not isinstance(words, dict):
        raise ProjectError(name, "is a damaged lab report.", HINT)
    texts = {k: w for k, w in words.items() if isinstance(w, str) and len(w) <= LONGEST}
    title, project = (data.get(key) for key in ("title", "project"))
    return ReportFile(
        snapshot,
        texts,
        title[:300] if isinstance(title, str) else "",
        project if isinstance(project, str) else "",
    )


def _bytes(path: Path, limit: int) -> bytes:
    with open_file(path) as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise OSError(f"it is larger than {limit:,} bytes")
    return data
