"""The menu of the bar, and help in one place: first steps, keys, words, what is new."""

import functools
import json
import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from app import canvas, shell
from app.pages.shared import markup, state
from app.pages.shared.glossary import WORDS
from app.services import documents
from core.common.version import layerloom_version

_CHANGELOG = Path(__file__).parents[3] / "CHANGELOG.md"
"""Only in a checkout: an installation has none beside it."""
_KEYS = Path(canvas.__file__).with_name("keys.json")
_BEGIN = "tour:begin"


@dataclass(frozen=True)
class Step:
    """A step of the tour. page: short name of its page; at: selectors of elements to highlight.

    The first selector with a visible element is used.
    """

    name: str
    text: str
    page: str
    at: tuple[str, ...]


STEPS = (
    Step(
        "Take blocks",
        "The palette groups layers and operations by what you want to do. "
        "Drag one onto the canvas, or press **/**, type its name, and press Enter.",
        "build",
        ('[data-testid="palette"]', '[data-testid="toolbar-toggle-palette"]'),
    ),
    Step(
        "Draw",
        "On the canvas, wires carry tensors from block to block. Click a block for its "
        "settings. Errors are marked, with fixes to choose from, and **Ctrl+Z** undoes any "
        "change.",
        "build",
        ('[data-testid="canvas"]',),
    ),
    Step(
        "Read the shapes",
        "Every wire shows the **shape** of its tensor, computed by torch "
        "while you draw. N is the number of samples in a batch.",
        "build",
        (".wire-label", '[data-testid="canvas"]'),
    ),
    Step(
        "Choose data",
        "On **Data**, choose one of the included data sets, or drop your own "
        "table, pictures, arrays or text anywhere on the page.",
        "data",
        (".st-key-data_form",),
    ),
    Step(
        "Train",
        "Press **Train** and watch the loss fall. When the run ends, you see how well "
        "the network learned and what would help. The run continues if you leave the page.",
        "train",
        (".st-key-train",),
    ),
    Step(
        "Look inside",
        "See the output of every block for a sample, the mistakes and the filters. "
        "**Compare** shows runs side by side, **Export** gives you the PyTorch source. You "
        "find this tour under **More**, **Help**.",
        "inside",
        (".st-key-inside_body", "h2"),
    ),
)
"""The tour, which is also the first steps of the help."""


def bar(page: str) -> None:
    """Draw the right end of the bar (the menu) and the running tour."""
    with st.container(key="help_bar"):
        chosen = shell.more(_menu(), page)
    with st.container(key="tour_slot"):
        steps = [asdict(step) for step in STEPS]
        lead = shell.tour(steps, page, str(state.value(_BEGIN) or ""))
    if chosen == shell.HELP:
        _show()
    elif chosen in {each.name for each in state.pages_of_menu()}:
        state.go(chosen)
    if lead in {step.page for step in STEPS}:
        _go(lead)


def _menu() -> list[dict[str, str]]:
    """The pages of the menu, with their addresses: they may be opened in another tab."""
    query = urlencode(state.address())
    return [
        {
            "name": page.name,
            "title": page.title,
            "icon": page.icon,
            "address": f"{page.name}?{query}" if query else page.name,
        }
        for page in state.pages_of_menu()
    ]


def _go(page: str) -> None:
    """Go to the page of a step; without a project, open a template first."""
    if state.document() is None:
        state.open_document(documents.from_template(documents.FIRST))
    state.go(page)


@st.dialog("Help", width="large")
def _show() -> None:
    names = ["First steps", "Keys", "Glossary"]
    news = last_release(_CHANGELOG.read_text("utf-8")) if _CHANGELOG.is_file() else ""
    first, keys, words, *new = st.tabs([*names, "What is new"] if news else names)
    with first:
        _first_steps()
    with keys:
        st.html(_keys_html())
    with words:
        for word, text in WORDS.items():
            st.markdown(f"**{word}** — {text}")
    if new:
        with new[0]:
            st.markdown(news)
    st.caption(f"Layerloom {layerloom_version()}")


def _first_steps() -> None:
    for number, step in enumerate(STEPS, 1):
        st.markdown(f"**{number}. {step.name}.** {step.text}")
    if st.button("Show me around", icon=":material/tour:", type="primary", key="tour_begin"):
        state.keep(_BEGIN, (state.value(_BEGIN) or 0) + 1)
        st.rerun()


@functools.cache
def _keys_html() -> str:
    """The keys of the canvas, from the list that its own "?" shows."""
    parts = ['<p class="ll-small">Keys on Build. Press <kbd>?</kbd> there to see them.</p>']
    for group in json.loads(_KEYS.read_text("utf-8")):
        parts.append(f"<h3>{group['title']}</h3><dl>{''.join(map(_key, group['rows']))}</dl>")
    return f'<div class="ll-keys">{"".join(parts)}</div>'


def _key(row: dict[str, Any]) -> str:
    return f"<div><dt>{_caps(row['caps'])}</dt><dd>{markup.escape(row['text'])}</dd></div>"


def _caps(caps: list[str]) -> str:
    return " ".join(f"<kbd>{markup.escape(cap)}</kbd>" for cap in caps)


def last_release(changelog: str) -> str:
    """Return the latest numbered section of a changelog as Markdown; "" without one."""
    section = re.search(r"^## (\d[^\n]*)\n(.*?)(?=^## |\Z)", changelog, re.MULTILINE | re.DOTALL)
    if section is None:
        return ""
    groups = re.sub(r"^### (.*)$", r"**\1**", section[2], flags=re.MULTILINE)
    return f"#### {section[1]}\n{groups}".rstrip()
