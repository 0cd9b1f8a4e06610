"""Results of an import: figures, four comparisons as they finish, and the next steps."""

from pathlib import Path
from typing import Any

import streamlit as st

from app.markdown import escape_markdown
from app.pages.shared import markup, state
from app.services import documents, weights_beside
from app.wings.importing import verdicts
from app.wings.importing.options import KEEP_UNUSED
from app.wings.importing.service import Import
from core.project import ProjectError
from core.project.comparison import Comparison

_STYLE = Path(__file__).with_name("import.css")
MANY = 8


def style() -> None:
    """Bring in the style of the page."""
    st.html(_STYLE)


def show(job: Import) -> None:
    """Show the results, the comparisons so far, and the button that opens the drawing."""
    report = job.report()
    st.subheader(escape_markdown(report["name"]))
    markup.figures(_figures(report))
    if job.state == "drawn":
        _comparing(job)
    else:
        _compared(job.comparison())
    _next_buttons(job, report)
    _remarks(report, job.asked(KEEP_UNUSED))


def _figures(report: dict[str, Any]) -> dict[str, str]:
    figures = {
        "parameters": f"{report['params']:,}",
        "blocks": f"{report['blocks']:,}",
        "composites": str(report["composites"]),
        "lines of code": f"{report['lines']:,}",
        "one sample": ", ".join(markup.shape(s) for s in report["shapes"]),
        "time to draw": f"{report['drawn']:g} s",
    }
    if "seconds" in report:
        figures["time to compare"] = f"{report['seconds']:g} s"
    return figures


@st.fragment(run_every=0.7)
def _comparing(job: Import) -> None:
    if job.state != "drawn":
        st.rerun()
    comparison = job.comparison()
    st.html(verdicts.table(comparison, goes_on=True))
    if comparison.differing:
        _differs(comparison)
    st.caption("The drawing is ready. You can open it while the comparison continues.")


def _compared(comparison: Comparison) -> None:
    st.html(verdicts.table(comparison))
    if comparison.differing:
        _differs(comparison)
    if comparison.awaited:
        whole = "The drawing and its weights are complete."
        message = f"The comparison ended early. {comparison.ended} {whole}"
        st.warning(escape_markdown(message, 600), icon=":material/rule:")


def _differs(comparison: Comparison) -> None:
    _, message = verdicts.sentence(comparison)
    st.error(escape_markdown(message, 600), icon=":material/error:")


def _remarks(report: dict[str, Any], kept: bool) -> None:
    """Notes on the drawing: parts fixed by the sample, and parts left out.

    kept: whether layers that forward does not use were requested.
    """
    _holds_for_one(
        report["decisions"],
        "decision",
        "Drawn for one sample: {} depending on values of the "
        "input. Other inputs may give results that differ from the original.",
        "alt_route",
    )
    _holds_for_one(
        report["specialised"],
        "expression",
        "Specialised to this input: {} of sizes fixed by the "
        "sample. Other sizes may give results that differ from the original.",
        "straighten",
    )
    lines = [escape_markdown(note, 300) for note in report["notes"]]
    if report["unused"]:
        some = ", ".join(report["unused"][:3])
        tensors = _number(report["unused"], "tensor")
        more = ". To draw their layers, tick *Keep layers that forward does not use*"
        text = escape_markdown(f"Left out, because never used: {tensors} ({some})", 300)
        lines.append(text if kept else text + more)
    if report["idle"]:
        modules, first = _number(report["idle"], "module"), report["idle"][0]
        text = f"Left out, because without effect: {modules} ({first})"
        lines.append(escape_markdown(text, 300))
    if report["renamed"]:
        lines.append(f"{report['renamed']} weights were renamed; the project file lists them")
    if lines:
        st.markdown("\n".join(f"- {line}" for line in lines))


def _holds_for_one(lines: list[str], of: str, message: str, icon: str) -> None:
    """Warn of parts fixed by the sample, and list them. message: with {} for their number."""
    if lines:
        st.warning(message.format(_number(lines, of)), icon=f":material/{icon}:")
        with st.expander(f"Show the {of}s"):
            st.code(_listed(lines), language=None)


def _number(items: list[str], of: str) -> str:
    return f"{len(items)} {of}{'s' if len(items) > 1 else ''}"


def _listed(lines: list[str]) -> str:
    more = [f"... and {len(lines) - MANY} more"] if len(lines) > MANY else []
    return "\n".join([*lines[:MANY], *more])


def _next_buttons(job: Import, report: dict[str, Any]) -> None:
    with st.container(horizontal=True, gap="small"):
        if st.button(
            "Open on the canvas", type="primary", icon=":material/account_tree:", key="import_open"
        ):
            _open(job)
        if job.state == "drawn":
            st.button(
                "Stop comparing",
                icon=":material/stop:",
                key="import_stop",
                on_click=job.stop,
                args=("You stopped it.",),
            )
    path = job.path or weights_beside.free_path(report["name"])
    when = "Saved" if job.path else "Opening saves it"
    st.caption(
        f"{when} as {escape_markdown(path.name, 80)}, with its weights in "
        f"{escape_markdown(weights_beside.weights_of(path).name, 80)}."
    )


def _open(job: Import) -> None:
    """Save project and weights, if they are not yet, and open them."""
    try:
        document = state.document()
        path = job.keep()
        if document is None or document.path != path:
            state.open_document(documents.from_file(path))
    except ProjectError as error:
        st.error(escape_markdown(error, 400), icon=":material/error:")
        return
    state.go("build")
