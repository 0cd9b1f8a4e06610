"""Notice over every page of an imported project: what is missing on this machine."""

import time
from pathlib import Path

import streamlit as st

from app.markdown import escape_markdown
from app.pages.shared import state
from app.services.document import Document
from app.wings.bundle import service as bundles
from app.wings.bundle.arrival import JUST, key_of
from core.prepare.requirements import Need
from core.wings.bundle.manifest import Manifest

FRESH_S = 5.0
"""How long a result is reused: the check hashes data, which takes a while."""
WAYS = {
    "missing_data": ("data", "Choose data"),
    "other_data": ("data", "Look at the data"),
    "missing_run": ("train", "Choose another"),
    "missing_weights": ("train", "Choose others"),
    "untrusted_python": ("build", "Read the code"),
    "untrusted_data": ("data", "Read the code"),
}
"""Page and label of the link for each missing part."""


def show() -> None:
    """Show what was imported and what is missing, until the notice is closed."""
    document = state.document()
    path = document.path if document else None
    if document is None or path is None:
        return
    manifest = bundles.manifest_of(path)
    if manifest is None or state.value(key_of("gone", path)):
        return
    needs = _needs(document, manifest, path)
    if needs or state.value(JUST) == path:
        _draw(manifest, needs, path)


def _needs(document: Document, manifest: Manifest, path: Path) -> list[Need]:
    """What is missing, checked again if the project has changed or after FRESH_S."""
    asked = (document.project.data, document.project.training, document.project.graph.composites)
    key, now = key_of("needs", path), time.monotonic()
    before = state.value(key)
    if before and before[0] == asked and now < before[1] + FRESH_S:
        return before[2]
    needs = bundles.lacks(document, manifest)
    state.keep(key, (asked, now, needs))
    return needs


def _draw(manifest: Manifest, needs: list[Need], path: Path) -> None:
    with st.container(border=True, key="bundle_notice", gap="xsmall"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(_came(manifest), width="stretch")
            st.button(
                "",
                icon=":material/close:",
                key="bundle_close",
                type="tertiary",
                help="Close",
                on_click=state.keep,
                args=(key_of("gone", path), True),
            )
        for number, need in enumerate(needs):
            _row(number, need)


def _came(manifest: Manifest) -> str:
    name = escape_markdown(manifest.opened.get("bundle", "a bundle"), 80)
    count = len(manifest.runs)
    runs = f"with {count} run{'s' if count != 1 else ''}" if count else "without runs"
    return f":material/inbox: This project was imported from **{name}**, {runs}."


def _row(number: int, need: Need) -> None:
    page, words = WAYS.get(need["code"], ("", ""))
    with st.container(horizontal=True, vertical_alignment="center", key=f"bundle_need_{number}"):
        text = escape_markdown(f"{need['message']} {need['hint']}", 400)
        st.markdown(f":material/radio_button_unchecked: Missing: {text}", width="stretch")
        if page:
            st.page_link(state.page(page), label=words, query_params=state.address())
