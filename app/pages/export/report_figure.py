"""The figure for a report, on the page Export: its style, a preview, and its files."""

import base64

import streamlit as st

from app.markdown import escape_markdown
from app.pages.shared import markup
from app.process import pool
from app.process.pool import PoolError
from app.services.calls import files
from core.common.network_ref import NetworkRef
from core.export.format import Format
from core.export.formats import FIGURES, FORMATS

INSIDE = {"folded": False, "opened": True}
LAYOUTS = {"by Graphviz": "graphviz", "as on the canvas": "canvas"}
WAYS = {"downwards": "down", "to the right": "right"}
WIDE = "to the right"  # as the page is: more of it is in view
LIMIT_S = 60.0


def show(ref: NetworkRef, stem: str, composites: bool) -> None:
    """Draw the section. composites: whether there are any that could be opened."""
    st.subheader("Figure for a report")
    picture = st.container()
    below = st.container(horizontal=True, vertical_alignment="bottom", key="export_figure_files")
    with below:
        look = _ask_style(composites)
        st.space("stretch")
    try:
        with picture, st.spinner("Drawing the figure"):
            made, missing = figures(ref, look)
    except PoolError as error:
        picture.error(escape_markdown(error, 400), icon=":material/error:")
        return
    if missing:
        picture.info(escape_markdown(missing, 400), icon=":material/info:")
    if "svg" in made:
        with picture, st.container(key="export_figure"):
            st.html(_preview(made["svg"], stem))
    with below:
        for kind in (FORMATS[name] for name in FIGURES if name in made):
            _file(kind, made[kind.name], stem)


def _ask_style(composites: bool) -> dict[str, str | bool]:
    """Ask for the style of the figure."""
    layout = st.segmented_control(
        "Layout",
        list(LAYOUTS),
        default="by Graphviz",
        required=True,
        key="figure_layout",
    )
    own = LAYOUTS[layout or "by Graphviz"]
    inside = "folded"
    if composites:
        inside = st.segmented_control(
            "Composites", list(INSIDE), default="folded", required=True, key="figure_inside"
        )
    way = WIDE
    if own == "graphviz":
        way = st.segmented_control(
            "Direction", list(WAYS), default=WIDE, required=True, key="figure_way"
        )
    unfold = INSIDE[inside or "folded"]
    return {"layout": own, "unfold": unfold, "direction": WAYS[way or WIDE]}


@st.cache_data(max_entries=16, show_spinner=False)
def figures(ref: NetworkRef, look: dict[str, str | bool]) -> tuple[dict[str, bytes], str]:
    """The figure in its formats, made in the worker, and why some are missing. Raises PoolError."""
    return pool.call(files.figures, ref, look, timeout_s=LIMIT_S)


def _preview(svg: bytes, stem: str) -> str:
    """A scrolling box with an <img>, in which an SVG runs no script and loads nothing."""
    data = base64.b64encode(svg).decode("ascii")
    words = markup.escape(f"Figure of the network {stem.replace('_', ' ')}")
    image = f'<img src="data:image/svg+xml;base64,{data}" alt="{words}">'
    return f'<div class="ll-figure" tabindex="0" role="region" aria-label="Preview">{image}</div>'


def _file(kind: Format, content: bytes, stem: str) -> None:
    st.download_button(
        escape_markdown(kind.name.upper()),
        content,
        f"{stem}{kind.ending}",
        kind.media_type,
        key=f"figure_{kind.name}",
        icon=":material/download:",
        help=kind.about,
        on_click="ignore",
    )
