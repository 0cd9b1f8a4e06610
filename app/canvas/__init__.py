"""The canvas: the whole Build workbench as one component (frontend/ is its source)."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.components.v2 import component

from app.canvas.session import DocSession

__all__ = ["DocSession", "bundle", "canvas"]

_STATIC = Path(__file__).resolve().parents[1] / "static" / "canvas"
# At least two lines: Streamlit takes a one-line text with "/" for a file's path. Not relative:
# inline code runs from a blob address. A page keeps the bundle it began with: a newer one, built
# while the server runs, is for pages opened after.
_LOADER = """
let bundle;
export default async (component) => {
  bundle ??= new URL(`app/static/canvas/${component.data.bundle}`, document.baseURI).href;
  return (await import(bundle)).default(component);
};
"""
_mount = component("layerloom_canvas", js=_LOADER)

_HOUR_S = 3600
Mount = Callable[..., Any]


def bundle() -> str:
    """Name of the built canvas as it lies on the disk now."""
    return max(_STATIC.glob("canvas-*.js"), key=lambda file: file.stat().st_mtime_ns).name


def canvas(
    doc: DocSession,
    key: str = "canvas",
    height: int | None = None,
    on_action: Callable[[dict[str, Any]], None] | None = None,
    mount: Mount = _mount,
) -> None:
    """Show the workbench on `doc`. height: in pixels; None fills the window.

    on_action receives {"id", "name", "args"} of the toolbar ("train", "save") in the script's
    body, where it may switch pages; `doc.project` is then the drawing the button was pressed on.
    """

    def on_sync() -> None:
        # A run that was cut off before it came to the canvas leaves none: then the browser still
        # has what it said, and says it again.
        if (component_state := st.session_state.get(key)) is not None:
            doc.receive(component_state.get("sync"))

    # A page with a timer is run anew when its connection comes back; without one, a tab whose last
    # run was that of the page stays cut off from a server that was started again.
    @st.fragment(key=f"{key}_fragment", run_every=_HOUR_S)
    def body() -> None:
        mount(key=key, data={**doc.down(height), "bundle": bundle()}, on_sync_change=on_sync)
        # After the mount: a run that is interrupted there must leave the action for the next one.
        if on_action and (action := doc.take_action()):
            on_action(action)

    # The keyed container stands around the fragment: so the canvas is never mounted anew when
    # something appears above it.
    with st.container(key=f"{key}_slot"):
        body()
