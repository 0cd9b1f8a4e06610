"""`layerloom report`: a lab report of a run, as text, as an HTML file or as a notebook."""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.cli import files, limits, output, watch_run

if TYPE_CHECKING:
    from core.project import Project
    from core.runs.listing import RunView
    from core.runs.verdict import Verdict
    from core.wings.team.lab_report import LabReport
    from core.wings.team.report_file import ReportFile
    from core.wings.team.report_pieces import ReportPart

ENDINGS = (".html", ".ipynb")


def declare(commands: Any) -> None:
    """Add the command."""
    command = commands.add_parser("report", help="a lab report of a run, with your own words")
    command.add_argument(
        "source",
        metavar="RUN|FILE",
        help="name of a run, or its folder; or a report that was written, to read its run again",
    )
    command.add_argument(
        "-o", "--out", type=Path, metavar="FILE", help="write it as FILE.html or FILE.ipynb"
    )
    command.add_argument(
        "--words",
        type=Path,
        metavar="FILE.md",
        help="your own words in Markdown, under headings such as # Question or # Result",
    )
    command.add_argument("--runs", type=Path, default=files.RUNS, help="folder of the runs")
    command.add_argument("--json", action="store_true", help="one JSON document")
    command.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Read the run, and print the report or write it."""
    from core.wings.team.lab_report import report_of
    from core.wings.team.report_file import kept_with, remarks

    _check_out(args.out)
    folder, before = _source(args)
    report = report_of(folder, _analysis, doubted=_doubts)
    before = _with_words(args.words, folder.parent, report) or before
    kept = kept_with(report, before)
    said = remarks(report, before)
    if args.out:
        _write(args.out, report, kept, said)
    if args.json:
        output.answer(_document(report, kept, said[1:]))
    elif not args.out:
        _print(report, kept.words, said)
    return 0


def _check_out(out: Path | None) -> None:
    if out is None or out.suffix.lower() in ENDINGS:
        return
    if out.suffix.lower() == ".pdf":
        raise output.UsageError(
            f"{out} cannot be written: no PDF is made here.",
            "Write FILE.html, open it in a browser and print it as PDF.",
        )
    raise output.UsageError(f"{out} has an unknown file type.", "Use .html or .ipynb.")


def _source(args: argparse.Namespace) -> "tuple[Path, ReportFile | None]":
    """The folder of the run, and the report that was kept or written of it.

    Raises UsageError, Failed where the run of a written report is not here.
    """
    from core.wings.team.report_file import load, open_report, run_of
    from core.wings.team.report_snapshot import snapshot_of

    file = Path(args.source)
    if not file.is_file():
        folder = files.run_folder(args.source, args.runs)
        return folder, load(folder.parent, snapshot_of(folder))
    given = open_report(file)
    found = run_of(args.runs, given.snapshot)
    if found is None:
        raise output.Failed(
            f"{given.gone(args.runs)} Nothing was changed.",
            "--runs names another folder of runs.",
        )
    return found, given


def _with_words(file: Path | None, runs: Path, report: "LabReport") -> "ReportFile | None":
    """The words of a Markdown file, kept for this run; None where no file is given."""
    if file is None:
        return None
    from core.wings.team.report_file import ReportFile, take_in
    from core.wings.team.report_markdown import split
    from core.wings.team.report_pieces import PARTS

    try:
        text = file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise output.UsageError(f"{file} cannot be read as UTF-8 text ({error}).") from None
    words = split(text, {key: title for key, (title, _) in PARTS.items()})
    kept = ReportFile(report.snapshot, words, report.title)
    try:
        aside = take_in(runs, kept)
    except OSError as error:
        raise files.unwritable(runs, error) from None
    if aside:
        output.say(f"The words that were kept before are in {aside}.")
    return kept


def _doubts(view: "RunView", verdict: "Verdict") -> list[str]:
    return [str(doubt["sentence"]) for doubt in watch_run.doubts(view.dir, verdict)]


def _analysis(project: "Project") -> Mapping[str, Any]:
    from core.analyse import analyse_project, report_json

    with limits.limited(project):
        return report_json(analyse_project(project))


def _write(out: Path, report: "LabReport", kept: "ReportFile", remarks: Sequence[str]) -> None:
    from core.wings.team.report_html import page
    from core.wings.team.report_notebook import notebook

    write = notebook if out.suffix.lower() == ".ipynb" else page
    files.write_out(write(report, kept, remarks), out)
    output.say(f"{out} written.")


def _print(report: "LabReport", words: Mapping[str, str], remarks: Sequence[str]) -> None:
    output.put(f"# {output.one_line(report.title)}\n")
    output.put_lines([*report.about, *remarks])
    for part in report.parts:
        lines = list(_lines(part, words.get(part.key, "")))
        if lines:
            output.put(f"\n## {part.title}\n")
            output.put("\n".join(lines))


def _lines(part: "ReportPart", words: str) -> Sequence[str]:
    from core.wings.team.report_pieces import ReportSentence, ReportTable

    lines = [*words.strip().splitlines(), ""] if words.strip() else []
    for piece in part.pieces:
        if isinstance(piece, ReportSentence):
            lines.append(output.one_line(piece.text))
        elif isinstance(piece, ReportTable):
            head = piece.head or ("", "")
            lines += ["", piece.title, output.table(head, piece.rows)]
    return lines


def _document(report: "LabReport", kept: "ReportFile", changed: Sequence[str]) -> dict[str, Any]:
    from core.wings.team.report_pieces import ReportSentence, ReportTable

    parts = [
        {
            "part": part.key,
            "words": kept.words.get(part.key, ""),
            "sentences": [p.text for p in part.pieces if isinstance(p, ReportSentence)],
            "tables": [
                {"title": p.title, "head": list(p.head), "rows": [list(row) for row in p.rows]}
                for p in part.pieces
                if isinstance(p, ReportTable)
            ],
        }
        for part in report.parts
    ]
    run = report.snapshot.json()
    return {
        "ok": True,
        "title": report.title,
        "run": run,
        "changed": "".join(changed),
        "parts": parts,
    }
