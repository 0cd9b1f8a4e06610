"""What came of an import: four verdicts, what is decided by the sample, and the way on."""

from pathlib import Path
from typing import Any

import streamlit as st

from app import documents, imports, state
from app.imports import Import
from app.pages import parts
from app.text import label
from core.project import ProjectError

_STYLE = Path(__file__).parents[1] / "theme" / "import.css"
WORDS = {
    True: ("good", "✓", "equal"),
    False: ("bad", "✗", "differs"),
    None: ("none", "·", "not tried"),
}
MANY = 8


def style() -> None:
    """Bring in the style of the page."""
    st.html(_STYLE)


def show(job: Import) -> None:
    """Show what was found, and open it on the canvas."""
    found = job.result
    st.subheader(label(found["name"]))
    parts.figures({
        "parameters": f"{found['params']:,}",
        "blocks": f"{found['blocks']:,}",
        "composites": str(found["composites"]),
        "lines of source": str(found["lines"]),
        "one sample": ", ".join(parts.shape(s) for s in found["shapes"]),
        "seconds": f"{found['seconds']:g}",
    })  # fmt: skip
    st.html(table(found["verdicts"]))
    _remarks(found)
    if st.button("Open on the canvas", type="primary", icon=":material/account_tree:",
                 key="import_open"):  # fmt: skip
        _open(job)
    place = imports.free_place(found["name"])
    st.caption(
        f"It is saved as {label(place.name, 80)}, its weights beside it as "
        f"{label(imports.weights_of(place).name, 80)}."
    )


def table(verdicts: list[dict[str, Any]]) -> str:
    """The verdicts as rows of HTML."""
    rows = "".join(_row(verdict) for verdict in verdicts)
    head = "<tr><th>Compared on</th><th>Result</th><th>Note</th></tr>"
    return f'<table class="ll-table ll-verdicts">{head}{rows}</table>'


def _row(verdict: dict[str, Any]) -> str:
    kind, mark, word = WORDS[verdict["equal"]]
    note = verdict["note"] or ("bit for bit" if verdict["equal"] else "")
    return (
        f'<tr class="{kind}"><td>{parts.text(verdict["name"])}</td>'
        f'<td><span class="ll-verdict"><i aria-hidden="true">{mark}</i>{word}</span></td>'
        f"<td>{parts.text(note)}</td></tr>"
    )


def _remarks(found: dict[str, Any]) -> None:
    """What a reader has to know: what the sample decided, what was left out."""
    if found["specialised"]:
        st.warning(
            f"Specialised to this input: {_number(found['specialised'], 'expression')} of sizes "
            "decided by the sample, so another size may come out differently.",
            icon=":material/straighten:",
        )
        with st.expander("Which expressions"):
            st.code(_listed(found["specialised"]), language=None)
    said = [label(note, 300) for note in found["notes"]]
    if found["unused"]:
        some = ", ".join(found["unused"][:3])
        said.append(label(f"{_number(found['unused'], 'tensor')} never used in the run left out "
                          f"({some})", 300))  # fmt: skip
    if found["idle"]:
        said.append(label(f"{_number(found['idle'], 'module')} that did nothing in the run left "
                          f"out ({found['idle'][0]})", 300))  # fmt: skip
    if found["renamed"]:
        said.append(f"{found['renamed']} weights have another name here; the file maps them")
    if said:
        st.markdown("\n".join(f"- {line}" for line in said))


def _number(found: list[str], of: str) -> str:
    return f"{len(found)} {of}{'s' if len(found) > 1 else ''}"


def _listed(lines: list[str]) -> str:
    more = [f"... and {len(lines) - MANY} more"] if len(lines) > MANY else []
    return "\n".join([*lines[:MANY], *more])


def _open(job: Import) -> None:
    """Save project and weights, and open them."""
    try:
        state.open_document(documents.from_file(job.keep()))
    except ProjectError as error:
        st.error(label(error, 400), icon=":material/error:")
        return
    state.keep("import:job", None)
    state.go("build")
