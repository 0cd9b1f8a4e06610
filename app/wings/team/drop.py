"""A dropped lab report: its words are kept, and its run or the drawing in it is opened."""

from pathlib import Path

from app.services import documents, paths, uploads
from app.services.document import Document
from app.services.file_drop import DropResult, Kind
from app.services.staging import Staged
from core.common.errors import ProjectError
from core.project import read_text
from core.runs.listing import view_run
from core.wings.team import report_file
from core.wings.team.report_file import ReportFile

NOUN = "a lab report (NAME_report.html or .ipynb)"
LISTED = ("Lab report", "HTML or IPYNB")


def _open_report(file: Staged) -> DropResult:
    name = uploads.parts_of(file.name)[-1]
    report = report_file.open_report(file.path, name)
    folder = report_file.run_of(paths.runs_dir(), report.snapshot)
    if folder is None and not report.project:
        raise ProjectError(name, report.gone(paths.runs_dir()), "It has no drawing to open.")
    if report.project:
        read_text(report.project, name)  # a faulty project is reported on the current page
    try:
        report_file.take_in(paths.runs_dir(), report)
    except OSError as error:
        raise ProjectError(name, f"cannot be kept: {error.strerror or error}.", "") from error
    return DropResult("report", begin=lambda: _begun(report, folder, name))


def _begun(report: ReportFile, folder: Path | None, name: str) -> Document:
    """The project of the run, as it is now where it still has a file; else the drawing."""
    if folder is None:
        document = documents.from_upload(report.project.encode(), f"{name}.loom.json")
    else:
        try:
            document = documents.restore(view_run(folder).document)
        except ProjectError:  # its project is gone, or was never saved
            document = documents.from_run(folder)
    document.run = report.snapshot.run
    return document


KINDS = (Kind(".html", _open_report), Kind(".ipynb", _open_report))
