"""Pieces of the Compare page: the form for notes, tables per run, the differences of drawings."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import streamlit as st

from app.markdown import escape_markdown
from app.pages.compare import labels
from app.pages.shared import markup
from core.common.errors import RunError
from core.graph.difference import Difference
from core.project import ProjectError, open_project
from core.project.changes import changes, lines
from core.runs.listing import RunView
from core.runs.run_notes import NOTE_LENGTH, RunNotes, write_notes

KINDS = {"+": "came", "-": "went", "~": "changed"}


def edit(view: RunView, marks: RunNotes) -> None:
    """Draw the form for the note, tags and pin of a run."""
    about = f"Note and tags of {escape_markdown(view.name, 40)}"
    with st.popover("Note", type="tertiary", help=about):
        pinned = st.toggle("Pinned to the top", marks.pinned, key=f"pin_{view.name}")
        tags = st.text_input(
            "Tags, separated by commas", ", ".join(marks.tags), key=f"tags_{view.name}"
        )
        note = st.text_area(
            "Note", marks.note, max_chars=NOTE_LENGTH, key=f"note_{view.name}", height=120
        )
        words = tuple(dict.fromkeys(word.strip() for word in tags.split(",") if word.strip()))
        new = replace(marks, note=note, tags=words, pinned=pinned)
        if new != marks:
            _write(view.dir, new)


def _write(run_dir: Path, marks: RunNotes) -> None:
    try:
        write_notes(run_dir, marks)
    except (RunError, OSError) as error:
        st.error(escape_markdown(error, 300), icon=":material/error:")
        return
    st.rerun()


def table(
    names: Sequence[str],
    rows: Mapping[str, Sequence[Any]],
    otherwise: str,
    aims: Mapping[str, str] | None = None,
) -> None:
    """A row per setting, a column per run. aims: the targets of the metrics of several losses."""
    if not rows:
        st.caption(otherwise)
        return
    head = "".join(f"<th scope='col'>{markup.escape(name)}</th>" for name in names)
    body = "".join(_row(name, values, aims) for name, values in rows.items())
    st.html(
        f'<div class="ll-scroll"><table class="ll-compare"><thead><tr><td></td>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _row(name: str, values: Sequence[Any], aims: Mapping[str, str] | None) -> str:
    cells = "".join(f"<td>{markup.escape(text)}</td>" for text in labels.cells_of(name, values))
    title = markup.escape(labels.title_of(name, aims))
    return f"<tr><th scope='row'>{title}</th>{cells}</tr>"


def drawings(folders: Sequence[Path]) -> None:
    """Show the differences between the drawings, each run against the first."""
    st.subheader("Differences between the drawings")
    try:
        first, *others = [open_project(folder / "project.loom.json") for folder in folders]
    except ProjectError as error:
        st.warning(escape_markdown(error, 300), icon=":material/warning:")
        return
    for folder, other in zip(folders[1:], others, strict=True):
        graph_changes, _ = changes(first, other)
        st.markdown(
            f"**{escape_markdown(folder.name, 60)}** compared with "
            f"**{escape_markdown(folders[0].name, 60)}**"
        )
        if graph_changes:
            _show(graph_changes)
        else:
            st.caption("Same drawing.")


def _show(graph_changes: Difference) -> None:
    rows = "\n".join(
        f'<b class="{KINDS[line[0]]}">{markup.escape(line)}</b>' for line in lines(graph_changes)
    )
    st.html(
        '<pre class="ll-diff" tabindex="0" role="region" aria-label="Differences">'
        f"{rows}</pre>"  # it scrolls, so the keyboard has to reach it
    )
