"""Small pieces that Look inside and Export share: their style, the choice of a network, HTML."""

import base64
import html
from pathlib import Path

import streamlit as st

from app import state
from app.pages.inside.state import DRAWING, IMPORTED
from app.services.document import Document
from app.text import label

_STYLE = Path(__file__).parents[1] / "theme" / "inside.css"
NAMES = {
    DRAWING: "This drawing, not trained",
    IMPORTED: "This drawing, imported weights",
}


def style() -> None:
    """Bring in the style of these pages."""
    st.html(_STYLE)


def choose(names: list[str], preferred: str, key: str) -> str:
    """Ask which network is meant: one of the runs, or the drawing as it stands."""
    name = st.selectbox(
        "Network",
        names,
        names.index(preferred),
        format_func=_said,
        label_visibility="collapsed",
        width=320,
        key=f"{key}:{preferred}:{len(names)}",
    )
    if name not in (*NAMES, preferred):
        state.choose_run(name)
    return name


def _said(name: str) -> str:
    return NAMES.get(name, name)


def unfinished(document: Document, name: str) -> bool:
    """Say what a drawing that is meant lacks, and lead to the canvas; False for nothing."""
    problem = document.unfinished() if name in NAMES else ""
    if problem:
        st.warning(label(problem, 500), icon=":material/build:")
        to_canvas()
    return bool(problem)


def to_canvas() -> None:
    """Lead to where a drawing is repaired."""
    st.page_link(state.page("build"), label="Repair it on the canvas",
                 icon=":material/account_tree:", query_params=state.address())  # fmt: skip


def text(value: object) -> str:
    """Make any text safe to stand in HTML, also in an attribute."""
    return html.escape(str(value), quote=True)


def picture(png: bytes, words: str) -> str:
    """An image element with its bytes in place; `words` describe it."""
    data = base64.b64encode(png).decode("ascii")
    return f'<img src="data:image/png;base64,{data}" alt="{text(words)}">'


def told_picture(png: bytes, words: str) -> str:
    """A picture over the words that tell it from those beside it."""
    return f"<figure>{picture(png, words)}<figcaption>{text(words)}</figcaption></figure>"


def shape(sizes: object) -> str:
    """Write a shape of one sample as everywhere: (N, 6, 28, 28)."""
    inner = ", ".join(["N", *(str(size) for size in sizes)])  # type: ignore[union-attr]
    return f"({inner})" if "," in inner else "(N,)"


def figures(pairs: dict[str, str]) -> None:
    """Show a row of figures, each over its name."""
    cells = "".join(
        f"<div><b>{text(value)}</b><span>{text(name)}</span></div>" for name, value in pairs.items()
    )
    st.html(f'<div class="ll-figures">{cells}</div>')
