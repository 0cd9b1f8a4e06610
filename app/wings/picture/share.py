"""The button "Picture" beside a finished run: the network and its result as a picture to send."""

from pathlib import Path

import streamlit as st

from app.markdown import escape_markdown
from app.services import current_run, paths
from app.services.document import Document
from core.common.errors import ProjectError
from core.export.formats import FORMATS
from core.runs.listing import RunView, view_run
from core.wings.picture import png, svg
from core.wings.picture.content import of_run
from core.wings.picture.scene import compose

SHOWN_ON = "train"
GROUNDS = {"Light": False, "Dark": True}
ENDED = ("finished", "stopped")
TITLE = "Picture with the result…"
"""In the menu of Build."""


def button(document: Document, where: str) -> None:
    """Draw the button. where: the page it stands on; only beside a run there is a result."""
    if where != SHOWN_ON:
        return
    view = _ended(document)
    if view is not None and st.button(
        "Picture",
        icon=":material/image:",
        key="picture",
        help="The network and its result as a picture, for chats and posts",
    ):
        dialog(document)


def _ended(document: Document) -> RunView | None:
    """The run whose result is on the picture."""
    return current_run.run_to_show(document, lambda view: view.state in ENDED)


def dialog(document: Document) -> None:
    """Show the picture of the run that pages show, or say that there is none yet."""
    view = _ended(document)
    if view is None:
        st.toast("Train the network first: the picture shows its result.", icon=":material/image:")
        return
    _dialog(view, paths.stem(document.title, "_") or "network")


@st.dialog("Picture of this network", width="medium", icon=":material/image:")
def _dialog(view: RunView, stem: str) -> None:
    begun = "Dark" if st.context.theme.type == "dark" else "Light"
    place = st.container(border=True)
    row = st.container(horizontal=True, vertical_alignment="center")
    with row:
        ground = st.segmented_control(
            "Background",
            list(GROUNDS),
            default=begun,
            required=True,
            key="picture_ground",
            label_visibility="collapsed",
        )
        st.space("stretch")
    try:
        with place, st.spinner("Drawing the picture"):
            words, pixels, drawn = _made(str(view.dir), _stamp(view), GROUNDS[ground or begun])
    except (ProjectError, OSError) as error:
        st.error(escape_markdown(error, 400), icon=":material/error:")
        return
    place.image(pixels, alt=words, width="stretch")
    with row:
        for name, content in (("picture", pixels), ("picture-svg", drawn)):
            kind = FORMATS[name]
            st.download_button(
                f"Download {kind.ending[1:].upper()}",
                content,
                f"{stem}{kind.suffix}{kind.ending}",
                kind.media_type,
                type="primary" if name == "picture" else "secondary",
                icon=":material/download:",
                on_click="ignore",
                key=f"download_{name}",
                help=escape_markdown(kind.about),
            )


def _stamp(view: RunView) -> tuple[str, int, int]:
    """What changes with what the picture shows."""
    return view.state, view.attempt, view.step


@st.cache_data(max_entries=16, show_spinner=False)
def _made(run_dir: str, stamp: tuple[str, int, int], dark: bool) -> tuple[str, bytes, str]:
    """The picture in words, as PNG and as SVG."""
    scene = compose(of_run(Path(run_dir), view_run(Path(run_dir))), dark)
    return scene.words, png.write(scene), svg.write(scene)
