"""What came of an import: its figures, four verdicts as they are reached, and the way on."""

from pathlib import Path
from typing import Any

import streamlit as st

from app.markdown import escape_markdown
from app.pages.import_ import verdicts
from app.pages.import_.options import KEEP_UNUSED
from app.pages.shared import markup, state
from app.services import documents, imports
from app.services.imports import Import
from core.project import ProjectError
from core.project.comparison import Comparison

_STYLE = Path(__file__).parents[2] / "theme" / "import.css"
MANY = 8


def style() -> None:
    """Bring in the style of the page."""
    st.html(_STYLE)


def show(job: Import) -> None:
    """Show what was found, what is still being compared, and open it on the canvas."""
    found = job.report()
    st.subheader(escape_markdown(found["name"]))
    markup.figures(_figures(found))
    if job.state == "drawn":
        _comparing(job)
    else:
        _compared(job.comparison())
    _next_buttons(job, found)
    _remarks(found, job.asked(KEEP_UNUSED))


def _figures(found: dict[str, Any]) -> dict[str, str]:
    figures = {
        "parameters": f"{found['params']:,}",
        "blocks in all": f"{found['blocks']:,}",
        "composites": str(found["composites"]),
        "lines of source": f"{found['lines']:,}",
        "one sample": ", ".join(markup.shape(s) for s in found["shapes"]),
        "drawn after": f"{found['drawn']:g} s",
    }
    return figures | ({"compared after": f"{found['seconds']:g} s"} if "seconds" in found else {})


@st.fragment(run_every=0.7)
def _comparing(job: Import) -> None:
    if job.state != "drawn":
        st.rerun()
    found = job.comparison()
    st.html(verdicts.table(found, goes_on=True))
    if found.differing:
        _differs(found)
    st.caption("It is drawn. The comparison with the original goes on when you open it, too.")


def _compared(found: Comparison) -> None:
    st.html(verdicts.table(found))
    if found.differing:
        _differs(found)
    if found.awaited:
        said = f"The comparison ended early. {found.ended} The drawing and its weights are whole."
        st.warning(escape_markdown(said, 600), icon=":material/rule:")


def _differs(found: Comparison) -> None:
    _, said = verdicts.sentence(found)
    st.error(escape_markdown(said, 600), icon=":material/error:")


def _remarks(found: dict[str, Any], kept: bool) -> None:
    """What a reader has to know: what the sample decided, what was left out.

    kept: whether layers that forward does not use were asked for.
    """
    _holds_for_one(
        found["decisions"], "decision", "Drawn as it went for one sample: {} by values of the "
        "input, so another input may give other numbers than the original.", "alt_route",
    )  # fmt: skip
    _holds_for_one(
        found["specialised"], "expression", "Specialised to this input: {} of sizes decided by "
        "the sample, so another size may come out differently.", "straighten",
    )  # fmt: skip
    said = [escape_markdown(note, 300) for note in found["notes"]]
    if found["unused"]:
        some = ", ".join(found["unused"][:3])
        tensors = _number(found["unused"], "tensor")
        more = ". *Keep layers that forward does not use* draws what holds them"
        text = escape_markdown(f"{tensors} never used in the run left out ({some})", 300)
        said.append(text if kept else text + more)
    if found["idle"]:
        modules, first = _number(found["idle"], "module"), found["idle"][0]
        text = f"{modules} that did nothing in the run left out ({first})"
        said.append(escape_markdown(text, 300))
    if found["renamed"]:
        said.append(f"{found['renamed']} weights have another name here; the file says which")
    if said:
        st.markdown("\n".join(f"- {line}" for line in said))


def _holds_for_one(lines: list[str], of: str, said: str, icon: str) -> None:
    """Warn of what the sample decided, and list it. said: with {} for how many there are."""
    if lines:
        st.warning(said.format(_number(lines, of)), icon=f":material/{icon}:")
        with st.expander(f"Which {of}s"):
            st.code(_listed(lines), language=None)


def _number(found: list[str], of: str) -> str:
    return f"{len(found)} {of}{'s' if len(found) > 1 else ''}"


def _listed(lines: list[str]) -> str:
    more = [f"... and {len(lines) - MANY} more"] if len(lines) > MANY else []
    return "\n".join([*lines[:MANY], *more])


def _next_buttons(job: Import, found: dict[str, Any]) -> None:
    with st.container(horizontal=True, gap="small"):
        if st.button("Open on the canvas", type="primary", icon=":material/account_tree:",
                     key="import_open"):  # fmt: skip
            _open(job)
        if job.state == "drawn":
            st.button("Stop comparing", icon=":material/stop:", key="import_stop",
                      on_click=job.stop, args=("You stopped it.",))  # fmt: skip
    place = job.path or imports.free_path(found["name"])
    when = "It is saved" if job.path else "Opening saves it"
    st.caption(
        f"{when} as {escape_markdown(place.name, 80)}, its weights beside it as "
        f"{escape_markdown(imports.weights_of(place).name, 80)}."
    )


def _open(job: Import) -> None:
    """Save project and weights, if they are not yet, and open them."""
    try:
        opened = state.document()
        path = job.keep()
        if opened is None or opened.path != path:
            state.open_document(documents.from_file(path))
    except ProjectError as error:
        st.error(escape_markdown(error, 400), icon=":material/error:")
        return
    state.go("build")
