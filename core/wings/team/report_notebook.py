"""A lab report as a notebook: a cell of Markdown for the words and for what each part shows."""

from collections.abc import Iterator, Sequence

import nbformat
from nbformat.v4 import new_markdown_cell, new_notebook

from core.common.escaping import markdown
from core.wings.team.lab_report import LabReport
from core.wings.team.report_file import FORMAT_KEY, ReportFile
from core.wings.team.report_html import piece_html
from core.wings.team.report_markdown import as_cell


def notebook(report: LabReport, kept: ReportFile, remarks: Sequence[str]) -> str:
    """The notebook. kept: with the project, which the workbench opens."""
    texts = list(_cells(report, kept, remarks))
    cells = [new_markdown_cell(text, id=f"part-{n}") for n, text in enumerate(texts)]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    made = new_notebook(cells=cells, metadata={"kernelspec": kernel, FORMAT_KEY: kept.json()})
    nbformat.validate(made)
    return nbformat.writes(made) + "\n"


def _cells(report: LabReport, kept: ReportFile, remarks: Sequence[str]) -> Iterator[str]:
    head = "\n\n".join(markdown(line, longest=None) for line in (*report.about, *remarks))
    yield f"# {markdown(report.title)}\n\n{head}"
    for part in report.parts:
        words = as_cell(kept.words.get(part.key, ""))
        if not part.pieces and not words:
            continue
        yield f"## {part.title}\n\n{words}".rstrip()
        if part.pieces:
            yield "\n\n".join(piece_html(piece, flat=True) for piece in part.pieces)
