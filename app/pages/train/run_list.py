"""The list of runs on the Train page, with search: this project's first, pinned ones on top."""

import html
from collections.abc import Mapping, Sequence

import streamlit as st

from app.markdown import escape_markdown
from app.pages.shared import runs, state, sweep_row, verdicts
from app.pages.train.sparkline import sparkline
from app.services.document import Document
from app.services.project_runs import own_runs
from core.runs.listing import RunView
from core.runs.rows import ListedRuns, rows
from core.runs.run_notes import RunNotes, read_notes

SHOWN, PLACE = "runs_shown", "train"


def choose(views: Sequence[RunView], document: Document) -> None:
    """Draw the list; a click shows a run."""
    if not views:
        return
    _head(len(views))
    marks = {view.name: read_notes(view.dir) for view in views}
    words = runs.search_field(len(views), "runs_search") if len(views) > runs.PAGE_SIZE else ""
    matching = [view for view in views if runs.matches(words, view, marks[view.name])]
    own = {view.name for view in own_runs(document, views)}
    matching.sort(key=lambda view: (view.name not in own, not marks[view.name].pinned))
    listed = rows(matching, [name for name, notes in marks.items() if notes.pinned])
    shown = listed[: state.value(SHOWN) or runs.PAGE_SIZE]
    chosen = state.run_dir()
    here = chosen.name if chosen is not None else ""
    mine = [row for row in shown if row.views[0].name in own]
    others = [row for row in shown if row.views[0].name not in own]
    _rows("run_list", mine, marks, here, bool(words))
    if others:
        open_ = any(view.name == here for row in others for view in row.views) or bool(words)
        with st.expander("Runs of other projects", expanded=open_):
            _rows("run_list_others", others, marks, here, bool(words))
            _more(len(shown), len(listed))  # those that are left are of others, too
        return
    if not matching:
        st.caption("No results. Try part of a name, a tag, or a state such as failed.")
    _more(len(shown), len(listed))


def _head(count: int) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="runs_head"):
        st.subheader("Runs", width="content")
        if count > 1:
            st.space("stretch")
            st.page_link(
                state.page("compare"),
                label="Compare, tag and pin",
                icon=":material/stacked_line_chart:",
                query_params=state.address(),
            )


def _rows(
    key: str, listed: Sequence[ListedRuns], marks: Mapping[str, RunNotes], here: str, found: bool
) -> None:
    """Draw rows. Of a folded sweep only the run that the page shows; what a search found, all."""
    with st.container(key=key, gap="xsmall"):
        for row in listed:
            if row.sweep:
                _sweep(row)
            all_ = not row.sweep or found or sweep_row.is_open(row, PLACE)
            for view in row.views:
                if all_ or view.name == here:
                    _entry(view, marks[view.name], view.name == here)


def _sweep(row: ListedRuns) -> None:
    """The row of a sweep: what its best trial reached, and how many trials are in which state."""
    with st.container(horizontal=True, vertical_alignment="center"):
        sweep_row.button(row, PLACE)
        st.html(_reached(row.best), width="content")
        sweep_row.badges(row)


def _entry(view: RunView, marks: RunNotes, here: bool) -> None:
    word, colour, icon = runs.BADGES[view.state]
    if view.state == "queued" and view.message:
        word = "Waiting"
    with st.container(horizontal=True, vertical_alignment="center"):
        kind = "secondary" if here else "tertiary"
        if st.button(escape_markdown(view.name, 40), key=f"run_{view.name}", type=kind):
            state.choose_run(view.name)
            st.rerun()
        st.html(_reached(view), width="content")
        st.badge(word, color=colour, icon=icon)
        runs.place_badge(view)
        if view.brought:
            st.badge(
                "Shared",
                color="violet",
                icon=":material/inbox:",
                help=f"Imported from {escape_markdown(view.brought, 80)}",
            )
        tags = [tag for tag in marks.tags if tag != view.sweep]
        words = " · ".join(filter(None, (*tags, marks.note)))
        pin = ":material/keep: " if marks.pinned else ""
        if pin or words:
            st.caption(f"{pin}{escape_markdown(words, 60)}", width="content")


def _reached(view: RunView) -> str:
    """The line of a run, what it reached and the verdict on it, each in a column of its own."""
    result, verdict = html.escape(runs.best_result(view)), html.escape(verdicts.word(view))
    line = f"<i>{sparkline(view)}</i>"
    return f'<div class="ll-run">{line}<b>{result}</b><span>{verdict}</span></div>'


def _more(shown: int, count: int) -> None:
    """Offer the next part of the list."""
    if shown < count:
        st.button(
            f"Show {min(2 * runs.PAGE_SIZE, count - shown)} more of {count}",
            icon=":material/expand_more:",
            key="runs_more",
            on_click=state.keep,
            args=(SHOWN, shown + 2 * runs.PAGE_SIZE),
        )
