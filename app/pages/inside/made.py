"""Activation maximisation: an input made to activate a channel."""

import streamlit as st

from app.markdown import escape_markdown
from app.pages.inside.inspection import Inspection
from app.pages.shared import markup
from app.process.pool import PoolError
from core.insight.weight_detail import MadeInput, WeightLayer

MAKE = "inside:make_input"
HIDES = (
    "This is one of many such inputs. It does not show what the data looks like or everything "
    "that the channel responds to, and no real sample needs to look like it."
)
FLAT = (
    "It has one shade everywhere: this layer reads the input directly, so its mean output depends "
    "on the mean shade and not on a pattern. Choose a later layer."
)


def show(inspection: Inspection, layer: WeightLayer, number: int) -> None:
    """Draw the toggle; while it is on, every opened filter shows its made input."""
    wished = st.toggle(
        "Make an input that activates it",
        key=MAKE,
        help="Gradient ascent from noise, 128 steps (Erhan et al., 2009); a picture is shifted a "
        "little in each step (Olah et al., 2017). The weights do not change.",
    )
    if not wished:
        return
    try:
        with st.spinner("Running 128 steps of gradient ascent", show_time=False):
            found = inspection.made_for(layer.node, number)
    except PoolError as error:
        st.caption(escape_markdown(error, 300))
        return
    st.html(made_html(found, f"Input made for {layer.node}, channel {number}"))
    st.caption(HIDES)
    with st.expander("The same in PyTorch"):
        st.code(found.script, language="python")


def made_html(found: MadeInput, alt: str) -> str:
    """The picture, or what each column holds, with the mean before and after."""
    rise = f"Its mean output goes from {found.first:.4g} to {found.last:.4g}."
    if found.flat:
        rise += f" {FLAT}"
    if found.picture:
        drawn = markup.picture(found.picture, alt)
        return f'<div class="ll-made">{drawn}<p>{markup.escape(rise)}</p></div>'
    cells = "".join(
        f"<tr><th scope='row'>{markup.escape(name)}</th><td>{value:.3g}</td></tr>"
        for name, value in found.row
    )
    return (
        f'<div class="ll-made"><table>{cells}</table>'
        f"<p>{markup.escape(rise)} Columns are scaled, as the network reads them.</p></div>"
    )
