"""The variants of a run: a table, two plots, and buttons for each."""

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from app.markdown import escape_markdown
from app.pages.shared import markup, state
from app.services import documents, weights_beside
from app.wings.shrink import plots
from app.wings.shrink import service as shrinking
from core.common.errors import ProjectError
from core.tasks.metric_labels import metric_words
from core.wings.shrink import files
from core.wings.shrink.catalogue import WAYS
from core.wings.shrink.rows import MADE, Row, front, relative
from core.wings.shrink.words import metric, size, time

COLUMNS = ("variant", "metric", "size", "1 sample", "64 samples", "memory", "difference", "changed")


def show(run: Path, rows: Sequence[Row]) -> None:
    """Draw all of it."""
    made = [row for row in rows if row.state == MADE]
    st.html(_table(made))
    st.caption(
        "Times are medians on one thread, with their ratio to the network in PyTorch. Memory is "
        "what a process needs to load the file and predict 64 samples. Bold: no other variant is "
        "both better and smaller."
    )
    for row in rows:
        if row.state != MADE:
            title = WAYS[row.way].title if row.way in WAYS else row.way
            st.info(
                escape_markdown(f"{title}: {row.reason} {row.hint}".strip(), 600),
                icon=":material/block:",
            )
    _pictures(made)
    tries = [row for row in made if row.name != files.ORIGINAL]
    if tries:
        _one(run, tries)


def _table(rows: Sequence[Row]) -> str:
    best = front(rows, "size_bytes")
    name = metric_words(rows[0].metric) if rows and rows[0].metric else "metric"
    heads = [name if each == "metric" else each for each in COLUMNS]
    head = "".join(f"<th{_number(i)}>{markup.escape(each)}</th>" for i, each in enumerate(heads))
    body = "".join(_row(row, rows[0], row.name in best) for row in rows)
    return f'<table class="ll-table"><tr>{head}</tr>{body}</table>'


def _number(column: int) -> str:
    return ' class="n"' if column else ""


def _row(row: Row, whole: Row, best: bool) -> str:
    share = f" ({row.size_bytes / whole.size_bytes:.0%})" if whole.size_bytes else ""
    same = "" if row.difference is None else f"{row.difference:.1e}"
    changed = "" if row.changed is None else f"{row.changed:.1%}"
    cells = [
        f"<b>{markup.escape(row.name)}</b>" if best else markup.escape(row.name),
        *map(
            markup.escape,
            (
                metric(row),
                size(row.size_bytes) + share,
                time(row, "1"),
                time(row, "64"),
                size(row.peak_bytes),
                same,
                changed,
            ),
        ),
    ]
    return f"<tr>{''.join(f'<td{_number(i)}>{cell}</td>' for i, cell in enumerate(cells))}</tr>"


def _pictures(rows: Sequence[Row]) -> None:
    if len(rows) < 2:
        return
    sizes = [row.size_bytes for row in rows if row.size_bytes]
    times = [value for row in rows if (value := relative(row, "64"))]
    left, right = st.container(key="shrink_plots").columns(2, gap="medium")
    with left:
        st.html(plots.against(rows, "size_bytes", "size", [size(min(sizes)), size(max(sizes))]))
    with right:
        ends = [f"{value:.2f}x" for value in (min(times), max(times))] if times else ["", ""]
        st.html(plots.against(rows, "64", "time for 64 samples (network in PyTorch = 1)", ends))


def _one(run: Path, tries: Sequence[Row]) -> None:
    """The buttons of a variant, and its Python code."""
    names = [row.name for row in tries]
    st.subheader("Use a variant")
    name = st.selectbox(
        "Variant",
        names,
        len(names) - 1,
        key=f"shrink_try:{run.name}:{len(names)}",
        label_visibility="collapsed",
        width=320,
    )
    row = next(row for row in tries if row.name == name)
    if row.way in WAYS:
        st.markdown(escape_markdown(WAYS[row.way].about))
    for note in row.notes:
        st.caption(escape_markdown(note, 400))
    _buttons(run, row)
    if lines := files.read_lines(run, row.name):
        with st.expander("Python code"):
            st.code(lines, language="python")


def _buttons(run: Path, row: Row) -> None:
    with st.container(horizontal=True, gap="small"):
        if row.drawing and st.button(
            "Open as drawing", type="primary", key="shrink_open", icon=":material/account_tree:"
        ):
            _open(run, row)
        ending = ".zip" if row.drawing else f".{row.file.rpartition('.')[2]}"
        label = "Download drawing and weights" if row.drawing else f"Download {ending}"
        st.download_button(
            label,
            lambda: shrinking.content(run, row),
            f"{row.name}{ending}",
            key="shrink_download",
            icon=":material/download:",
            on_click="ignore",
        )
        st.download_button(
            "Download the code and its files",
            lambda: shrinking.code_archive(run, row.name),
            f"{row.name}_lines.zip",
            key="shrink_lines",
            icon=":material/code:",
            on_click="ignore",
        )
        if st.button("Delete", icon=":material/delete:", key="shrink_forget"):
            files.delete_try(run, row.name)
            st.rerun()
    if row.drawing:
        st.caption("Opening saves it as a project with its weights; training starts from them.")


def _open(run: Path, row: Row) -> None:
    try:
        path = shrinking.keep_drawing(run, row)
        state.open_document(documents.from_file(path))
    except ProjectError as error:
        st.error(escape_markdown(error, 400), icon=":material/error:")
        return
    state.say(
        "success", f"Saved as {path.name}, its weights as {weights_beside.weights_of(path).name}."
    )
    state.go("build")
