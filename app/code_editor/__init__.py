"""The editor of Python on pages: CodeMirror, with errors on their lines and the names of torch.

The browser owns the text while somebody types, and tells the page when it rests, so that no rerun
takes anything back; `code` is only what it begins with.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

import streamlit as st

_STATIC = Path(__file__).resolve().parents[1] / "static" / "code_editor"
_BUNDLE = next(_STATIC.glob("code_editor-*.js")).name

_mount = st.components.v2.component(  # pyright: ignore[reportAttributeAccessIssue]
    "layerloom_code",
    js=f"""
const url = new URL("app/static/code_editor/{_BUNDLE}", document.baseURI).href;
export default async (component) => (await import(url)).default(component);
""",
)


def code_editor(
    code: str,
    faults: Sequence[tuple[int, str]],
    key: str,
    on_code: Callable[[], None],
    label: str = "Code",
) -> None:
    """Show the editor. What was typed stands in the session under `key`, as "code".

    faults: line, from 1, and message. `on_code` is called when the text has changed.
    """
    listed = [{"line": line, "message": message} for line, message in faults]
    _mount(key=key, data={"code": code, "label": label, "faults": listed}, on_code_change=on_code)
