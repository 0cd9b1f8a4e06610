"""The form that renames a project: in the dialog of My work and in the bar of Build."""

import streamlit as st

from app.markdown import escape_markdown
from core.project.title import LONGEST_NAME

_focus = st.components.v2.component(  # pyright: ignore[reportAttributeAccessIssue]
    "layerloom_focus",
    js="""
const seen = new WeakSet();
export default ({ parentElement, data }) => {
  if (seen.has(parentElement)) return;
  seen.add(parentElement);
  const focus = () => {
    const field = document.querySelector(data.at);
    if (field && document.activeElement !== field) { field.focus(); field.select(); }
  };
  for (const ms of [0, 120, 350]) setTimeout(focus, ms); // what opens takes it first
};
""",
)


def ask(
    key: str, before: str, instead: str, about: str | None = None
) -> tuple[str | None, str | None]:
    """Draw the form for a name, and for a description if `about` is one; Enter submits it.

    before: the present name, "" for none; instead: the title of the project without a name.
    Returns name and description once they are submitted and valid, else (None, None).
    """
    with st.form(f"{key}_form", border=False):
        name = st.text_input("Project name", before, placeholder=instead, key=f"{key}_name")
        if about is not None:
            about = st.text_area("Description", about, max_chars=2000, key=f"{key}_about")
        sent = st.form_submit_button("Rename", type="primary", key=f"{key}_do")
    _focus(key=f"{key}_focus", data={"at": f".st-key-{key}_name input"})
    words = " ".join(name.split())
    if len(words) > LONGEST_NAME:
        st.error(escape_markdown(too_long(words)), icon=":material/error:")
        return None, None
    return (words, about) if sent else (None, None)


def too_long(name: str) -> str:
    """The error for a name that is too long."""
    return (
        f"A name can have at most {LONGEST_NAME} characters; this one has {len(name)}. Shorten it: "
        f"it would end with “{name[LONGEST_NAME - 20 : LONGEST_NAME]}”."
    )
