"""The page "Lab report": what a run says now, with one's own words before each part."""

from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from app import wing
from app.markdown import escape_markdown
from app.pages.shared import markup, state
from app.pages.shared.beginning import require_document
from app.pages.shared.page_declaration import Page
from app.services import current_run, paths
from app.services.document import Document, analyse
from app.services.project_runs import own_runs
from core.common.errors import ProjectError
from core.project.title import title
from core.runs import listing
from core.runs.listing import RunView
from core.runs.verdict import Verdict
from core.wings.team import report_file
from core.wings.team.ink import Ground
from core.wings.team.lab_report import LabReport, report_of
from core.wings.team.report_file import ReportFile
from core.wings.team.report_html import PIECES, page, pieces_html
from core.wings.team.report_markdown import as_html
from core.wings.team.report_notebook import notebook
from core.wings.team.report_pieces import PARTS, ReportPart
from core.wings.team.report_snapshot import what_changed

EVERY_S = 5.0
"""Seconds after which a run that still trains is read again."""
WIDE = 1120
WRITING = "report_writing"
"""Session key of the part whose words are being written, with its run."""


@dataclass(frozen=True)
class _Choice:
    """A run, or a report whose run is gone: then there is no folder."""

    label: str
    folder: Path | None
    kept: ReportFile | None = None


def render() -> None:
    """Draw the page."""
    document = require_document("report")
    markup.style()
    st.html(f"<style>{PIECES}</style>")
    choices = _choices(document)
    with st.container(horizontal=True, vertical_alignment="center", key="page_head"):
        st.header("Lab report", anchor=False, width="content")
        st.space("stretch")
        chosen = _choose(document, choices) if choices else None
    if chosen is None:
        st.markdown("A lab report shows a run with your own words. Train the network first.")
        st.page_link(state.page("train"), label="Go to Train", icon=":material/show_chart:")
    elif chosen.folder is None:
        _gone(chosen)
    else:
        live = listing.view_run(chosen.folder).state in listing.ALIVE
        draw = st.fragment(_draw, run_every=EVERY_S if live else None)
        draw(chosen.folder)


def _choices(document: Document) -> list[_Choice]:
    """The runs of the project, and kept reports of it whose run is gone."""
    runs = paths.runs_dir()
    views = own_runs(document, listing.list_runs(runs))
    shown = current_run.run_to_show(document)
    if shown is not None and shown.name not in {view.name for view in views}:
        views = [shown, *views]
    name = title(document.project)
    gone = [
        each
        for each in report_file.kept(runs)
        if each.title == name and report_file.run_of(runs, each.snapshot) is None
    ]
    return [
        *(_Choice(view.name, view.dir) for view in views),
        *(_Choice(f"{each.snapshot.run} (gone)", None, each) for each in gone),
    ]


def _choose(document: Document, choices: list[_Choice]) -> _Choice:
    """Draw the choice of a run where there are several."""
    shown = current_run.run_to_show(document)
    wanted = shown.name if shown is not None else f"{document.run} (gone)"
    labels = [each.label for each in choices]
    first = labels.index(wanted) if wanted in labels else 0
    if len(choices) == 1:
        return choices[0]
    at = st.selectbox(
        "Run",
        range(len(choices)),
        first,
        format_func=lambda n: labels[n],
        label_visibility="collapsed",
        key=f"report_run_{wanted}",
        width=300,
    )
    return choices[at or 0]


def _gone(chosen: _Choice) -> None:
    """Show the words of a report whose run is not here any more."""
    assert chosen.kept is not None
    st.warning(escape_markdown(chosen.kept.gone(paths.runs_dir()), 500), icon=":material/link_off:")
    for key, (name, _) in PARTS.items():
        if words := chosen.kept.words.get(key, "").strip():
            st.subheader(name, anchor=False)
            _show_words(words)


def _read(folder: Path, ground: Ground) -> tuple[LabReport, ReportFile | None]:
    """The report of a run as it is now, and the words that are kept. Raises ProjectError."""
    report = report_of(folder, analyse, ground, _doubts)
    return report, report_file.load(folder.parent, report.snapshot)


def _doubts(view: RunView, verdict: Verdict) -> list[str]:
    return [each for _, part in wing.parts("doubt") for each in part.sentences(view, verdict)]


def _draw(folder: Path) -> None:
    try:
        report, kept = _read(folder, "dark" if st.context.theme.type == "dark" else "light")
    except ProjectError as error:
        st.error(escape_markdown(error, 400), icon=":material/error:")
        return
    with st.container(width=WIDE, key="report_body"):
        with st.container(horizontal=True, vertical_alignment="center", key="report_files"):
            st.caption(escape_markdown(" ".join(report.about), 900), width="stretch")
            _downloads(folder)
        _changed(report, kept)
        for part in report.parts:
            _part(report, kept, part)


def _changed(report: LabReport, kept: ReportFile | None) -> None:
    """Say that the run changed since the words were saved."""
    sentence = what_changed(kept.snapshot, report.snapshot) if kept and kept.words else ""
    if not sentence or kept is None:
        return
    st.info(escape_markdown(sentence, 600), icon=":material/update:")
    if st.button("My words still fit", icon=":material/check:", key="report_fits"):
        _save(ReportFile(report.snapshot, kept.words, report.title))


def _part(report: LabReport, kept: ReportFile | None, part: ReportPart) -> None:
    """Draw a part: its title, one's own words or the field for them, and what the run says."""
    words = kept.words.get(part.key, "") if kept else ""
    mine = (report.snapshot.run, part.key)
    with st.container(horizontal=True, vertical_alignment="center", key=f"report_{part.key}"):
        st.subheader(part.title, anchor=False, width="content")
        if state.value(WRITING) != mine and st.button(
            "Edit" if words.strip() else "Write",
            icon=":material/edit:",
            type="tertiary",
            key=f"report_write_{part.key}",
            help=part.ask,
        ):
            state.keep(WRITING, mine)
            st.rerun()
    if state.value(WRITING) == mine:
        _field(report, part, words)
    elif words.strip():
        _show_words(words)
    if part.pieces:
        st.html(f'<div class="ll-report">{pieces_html(part.pieces)}</div>')


def _show_words(words: str) -> None:
    st.html(f'<div class="ll-report"><div class="words">{as_html(words)}</div></div>')


def _field(report: LabReport, part: ReportPart, words: str) -> None:
    typed = st.text_area(
        part.ask,
        words,
        height=180,
        max_chars=report_file.LONGEST,
        key=f"report_words_{report.snapshot.run}_{part.key}",
        help="Markdown: **bold**, *italic*, lists, tables, links.",
    )
    with st.container(horizontal=True, key="report_saving"):
        if st.button("Save", type="primary", icon=":material/save:", key="report_save"):
            _save_part(report, part.key, typed)
        if st.button("Cancel", key="report_cancel"):
            state.take(WRITING)
            st.rerun()


def _save_part(report: LabReport, key: str, typed: str) -> None:
    """Save the words of one part; those of others stay as they are in the file now."""
    try:
        before = report_file.load(paths.runs_dir(), report.snapshot)
    except ProjectError as error:
        st.error(escape_markdown(error, 400), icon=":material/error:")
        return
    words = {**(before.words if before else {}), key: typed}
    _save(ReportFile(report.snapshot, {k: w for k, w in words.items() if w.strip()}, report.title))


def _save(kept: ReportFile) -> None:
    try:
        report_file.save(paths.runs_dir(), kept)
    except (ProjectError, OSError) as error:
        st.error(escape_markdown(error, 400), icon=":material/error:")
        return
    state.take(WRITING)
    st.rerun()


def _downloads(folder: Path) -> None:
    """Draw the buttons that write the report as a file."""
    try:
        report, before = _read(folder, "auto")
    except ProjectError:
        return  # the page has said it
    kept = report_file.kept_with(report, before)
    remarks = report_file.remarks(report, before)
    for label, write, ending, kind in (
        ("HTML", page, "html", "text/html"),
        ("Notebook", notebook, "ipynb", "application/x-ipynb+json"),
    ):
        st.download_button(
            label,
            write(report, kept, remarks),
            f"{folder.name}_report.{ending}",
            kind,
            icon=":material/download:",
            on_click="ignore",
            key=f"report_{ending}",
            help="Dropped on the workbench, the file opens again."
            if ending == "ipynb"
            else "One file that needs no network. Print it in the browser for a PDF. Dropped on "
            "the workbench, it opens again.",
        )


PAGE = Page(
    "report",
    "Lab report",
    "lab_profile",
    render,
    "Write what you found out, beside the drawing, curves and predictions of a run.",
    after="history",
)
