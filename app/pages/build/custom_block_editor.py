"""The editor of a custom block: its code, errors by line, ports and settings."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import streamlit as st

from app.canvas import custom_blocks
from app.code_editor import code_editor
from app.markdown import escape_markdown
from app.pages.shared import state
from app.services.document import Document
from blocks.spec import REQUIRED, Block, Port, Setting
from core.files.trust import digest, trust
from core.graph import Graph
from core.graph.python import Fault, read, tidy
from core.graph.python_examples import EXAMPLES
from core.project import ProjectError

MOST = 6
_ADDED = "custom:added"
_EXAMPLE = "custom_example"
_HELP = (
    "One PyTorch class with `forward`. The arguments of `__init__` become settings, the tensors of "
    "`forward` become ports. `torch`, `nn`, `F`, `Tensor` and `math` are available."
)


def scheme() -> None:
    """Set the colour scheme of a dialog, which lies outside the elements that Streamlit themes."""
    theme = st.context.theme.type
    if theme in ("light", "dark"):
        st.html(f'<style>[data-testid="stDialog"] {{ color-scheme: {theme}; }}</style>')


@dataclass(frozen=True)
class Draft:
    """The block in the editor and its code, "" for a new one.

    mine: whether the result is trusted; code based on untrusted code is not.
    """

    name: str
    code: str
    mine: bool


@st.dialog("Custom block", width="large", icon=":material/code:")
def edit(document: Document, begun: Draft) -> None:
    """Draw the editor of a block."""
    graph = document.project.graph
    scheme()
    st.markdown(_HELP)
    if not begun.code and _is_untouched(_text(begun, graph), graph):
        _choose(begun, graph)
    text = _text(begun, graph)
    faults = custom_blocks.faults_of(graph, text, begun.name)
    _editor(begun, text, faults)
    if faults:
        _show_faults(text, faults)
    else:
        _read_off(read(custom_blocks.class_name(text), text)[0])
    st.caption(_trust_notice(begun.mine))
    with st.container(horizontal=True):
        words = "Save changes" if begun.code else "Add to project"
        if st.button(words, key="custom_add", type="primary") and not faults:
            _add(document, text, begun)
        st.button("Check", key="custom_check")


def _is_untouched(text: str, graph: Graph) -> bool:
    """Whether nothing would be lost: the code is an unchanged example, or empty."""
    return not text or text in [tidy(custom_blocks.example(graph, title)) for title in EXAMPLES]


def _choose(begun: Draft, graph: Graph) -> None:
    """Offer example classes; a choice replaces the text.

    What was typed stays: a browser that has not yet heard that the choice is gone sends it once
    more, and Streamlit takes that for a new one.
    """

    def begin() -> None:
        title = state.value(_EXAMPLE)
        if title and _is_untouched(_text(begun, graph), graph):
            state.keep(_draft_key(begun), custom_blocks.example(graph, title))
            state.keep(_ADDED, (state.value(_ADDED) or 0) + 1)  # another field: it keeps its value

    title = st.pills(
        "Start from", list(EXAMPLES), default=next(iter(EXAMPLES)), key=_EXAMPLE, on_change=begin
    )
    if title:
        st.caption(EXAMPLES[title].says)


def _text(begun: Draft, graph: Graph) -> str:
    """The code as it is now; what was typed is kept when the dialog is closed."""
    typed = state.value(_draft_key(begun))
    return tidy(typed if isinstance(typed, str) else begun.code or custom_blocks.example(graph))


def _editor(begun: Draft, text: str, faults: Sequence[Fault]) -> None:
    """The field for the code. Each block that is added begins another: the browser keeps values."""
    key = f"custom_code_{digest(begun.code)}_{state.value(_ADDED) or 0}"
    code_editor(
        text,
        [(fault.line, fault.message) for fault in faults],
        key=key,
        on_code=lambda: _keep(begun, state.event(key, "code")),
    )


def _keep(begun: Draft, code: object) -> None:
    """Keep what was typed. A field drawn anew sends none, which takes nothing away."""
    if isinstance(code, str):
        state.keep(_draft_key(begun), code)


def _draft_key(begun: Draft) -> str:
    return f"custom:draft:{digest(begun.code)}"


def _trust_notice(mine: bool) -> str:
    if mine:
        return "Code that you add can run from then on, as you, with all your permissions."
    return "This is based on code you have not trusted, so you must read and trust it, too."


def _show_faults(text: str, faults: Sequence[Fault]) -> None:
    """The errors, each with its line of code."""
    lines = text.split("\n")
    where = [(fault, "".join(lines[fault.line - 1 : fault.line])) for fault in faults[:MOST]]
    rows = [f"<li>{escape(str(fault))}<code>{escape(line)}</code>" for fault, line in where]
    if len(faults) > MOST:
        rows.append(f"<li>And {len(faults) - MOST} more.")
    st.html(f'<div class="ll-faults" role="alert"><ul>{"".join(rows)}</ul></div>')


def _read_off(block: Block) -> None:
    """The ports and settings that the code gives the block."""
    rows = {
        "Inputs": [_port(port) for port in block.inputs],
        "Outputs": [_output(port) for port in block.outputs],
        "Settings": [_setting(setting) for setting in block.settings] or ["none"],
    }
    with st.container(key="custom_read"):
        st.markdown("  \n".join(f"**{name}:** {', '.join(each)}" for name, each in rows.items()))


def _port(port: Port) -> str:
    name = escape_markdown(port.name, 40)
    return f"{name} (optional)" if port.optional else name


def _output(port: Port) -> str:
    return ", ".join(f"{port.name}.{i}" for i in range(port.count)) or port.name


def _setting(setting: Setting) -> str:
    name = escape_markdown(setting.name, 40)
    if setting.infer is not None:
        return f"{name} (inferred from the input)"
    if setting.default is REQUIRED:
        return f"{name} (required)"
    return f"{name} = {escape_markdown(repr(setting.default), 60)}"


def _add(document: Document, text: str, begun: Draft) -> None:
    """Put the block into the project; code that is the user's own may run from now on."""
    name = custom_blocks.class_name(text)
    try:
        if begun.mine:
            trust(text, name)
    except ProjectError as error:
        st.error(escape_markdown(error, 400), icon=":material/error:")
        return
    document.put_graph(custom_blocks.put(document.project.graph, text, begun.name))
    state.take(_draft_key(begun))
    state.keep(_ADDED, (state.value(_ADDED) or 0) + 1)
    st.toast(f"{escape_markdown(name, 40)} is now in the palette, under Your blocks.")
    st.rerun()
