"""The input that is made to excite a channel, under the samples that do."""

import streamlit as st

from app.markdown import escape_markdown
from app.pages.inside.inspection import Inspection
from app.pages.shared import markup
from app.process.pool import PoolError
from core.insight.weight_detail import MadeInput, WeightLayer

MAKE = "inside:make_input"
HIDES = (
    "It does not show what the data looks like, nor all that the channel answers to: one of many "
    "such inputs, and no sample needs to be like it."
)
FLAT = (
    "One shade everywhere: of a layer that reads the input directly, the mean over all places is "
    "about the sum of its weights times the mean shade, so no pattern counts. Choose a later layer."
)


def show(inspection: Inspection, layer: WeightLayer, number: int) -> None:
    """Offer to make it; once chosen, it comes with every filter that is opened."""
    wished = st.toggle(
        "Make an input that excites it",
        key=MAKE,
        help="Gradient ascent from noise, 128 steps (Erhan et al., 2009), moved a little in each "
        "step if it is a picture (Olah et al., 2017). The weights stay as they are.",
    )
    if not wished:
        return
    try:
        with st.spinner("Following the gradient for 128 steps", show_time=False):
            found = inspection.made_for(layer.node, number)
    except PoolError as error:
        st.caption(escape_markdown(error, 300))
        return
    st.html(made_html(found, f"The input made for {layer.node}, {number}"))
    st.caption(HIDES)
    with st.expander("The same in PyTorch"):
        st.code(found.script, language="python")


def made_html(found: MadeInput, alt: str) -> str:
    """The picture, or what each column holds, with the mean before and after."""
    rise = f"The mean of what it puts out goes from {found.first:.4g} to {found.last:.4g}."
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
        f"<p>{markup.escape(rise)} Columns as the network reads them, scaled.</p></div>"
    )
