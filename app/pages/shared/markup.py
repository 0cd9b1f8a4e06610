"""Small pieces of HTML that pages share, with every text escaped."""

import base64
import html
import re
from pathlib import Path

import streamlit as st

from app.pages.shared import glossary
from core.insight.confusion_scores import Confusion

_TAGS = re.compile(r"(<code>.*?</code>|<[^>]*>)")
_BOLD = re.compile(r"\*\*([^*]+)\*\*")
_STYLE = Path(__file__).parents[2] / "theme" / "inside.css"


def style() -> None:
    """Load the style of these pages."""
    st.html(_STYLE)


def escape(value: object) -> str:
    """Make any text safe to stand in HTML, also in an attribute."""
    return html.escape(str(value), quote=True)


def picture(png: bytes, words: str) -> str:
    """An image element with its bytes in place; `words` describe it."""
    return f'<img src="{data_url(png)}" alt="{escape(words)}">'


def data_url(png: bytes) -> str:
    """A PNG as a data URL."""
    return f"data:image/png;base64,{base64.b64encode(png).decode('ascii')}"


def captioned_picture(png: bytes, words: str) -> str:
    """An image with its caption below."""
    return f"<figure>{picture(png, words)}<figcaption>{escape(words)}</figcaption></figure>"


def shape(sizes: object) -> str:
    """Write a shape of one sample as everywhere: (N, 6, 28, 28)."""
    inner = ", ".join(["N", *(str(size) for size in sizes)])  # type: ignore[union-attr]
    return f"({inner})" if "," in inner else "(N,)"


def figures(pairs: dict[str, str]) -> None:
    """Show a row of figures, each over its name."""
    cells = "".join(
        f"<div><b>{escape(value)}</b>{term(name)}</div>" for name, value in pairs.items()
    )
    st.html(f'<div class="ll-figures">{cells}</div>')


def term(name: str) -> str:
    """A name, with a tooltip if the glossary explains it (on hover or focus)."""
    word = next((w for w in glossary.WORDS if w.casefold() == name.casefold()), None)
    if word is None:
        return f"<span>{escape(name)}</span>"
    return _explained(escape(name), word)


def _explained(name: str, word: str) -> str:
    tooltip = f'<i role="tooltip">{escape(glossary.WORDS[word])}</i>'
    return f'<span class="ll-term" tabindex="0">{name}{tooltip}</span>'


def with_terms(html_text: str, explained_words: set[str] | None = None) -> str:
    """HTML with tooltips on the first use of each glossary term, outside <code>.

    explained_words: words that were explained before; those of this text are added.
    """
    known = set[str]() if explained_words is None else explained_words
    parts = _TAGS.split(html_text)  # every second one is a tag, or code with its tags
    parts[::2] = [glossary.mark_first(part, _explained, known) for part in parts[::2]]
    return "".join(parts)


def prose(*paragraphs: str, small: bool = False) -> None:
    """Show running text with tooltips on glossary terms; **bold** is rendered."""
    explained_words = set[str]()
    kind = "ll-prose small" if small else "ll-prose"
    texts = (
        with_terms(_BOLD.sub(r"<b>\1</b>", escape(each)), explained_words) for each in paragraphs
    )
    st.html("".join(f'<p class="{kind}">{text}</p>' for text in texts))


def matrix_html(matrix: Confusion, opens: bool = False) -> str:
    """The confusion matrix as a table: rows true, columns predicted; darker is more of the row.

    opens: whether cells are buttons, with "true, line break, predicted" as `data-choose`.
    """
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in matrix.classes)
    rows: list[str] = []
    for true, (name, counts) in enumerate(zip(matrix.classes, matrix.counts, strict=True)):
        whole = sum(counts) or 1
        cells = "".join(
            _matrix_cell(n, n / whole, k == true, (name, matrix.classes[k]) if opens else None)
            for k, n in enumerate(counts)
        )
        rows.append(f'<tr><th class="row" scope="row">{escape(name)}</th>{cells}</tr>')
    return (
        '<div style="overflow-x:auto"><div class="ll-axis">Rows: the target. '
        "Columns: the prediction.</div>"
        f'<table class="ll-matrix"><tr><td></td>{head}</tr>{"".join(rows)}</table></div>'
    )


def _matrix_cell(count: int, share: float, right: bool, pair: tuple[str, str] | None) -> str:
    if not count:
        return '<td class="none">·</td>'
    tint = "104,100,217" if right else "214,110,30"
    # So pale that the page's own text, dark or light, can be read on the strongest of them.
    strength = 0.12 + 0.46 * share if right else 0.18 + 0.42 * min(1.0, share * 4)
    inner = str(count)
    if pair and not right:
        true, predicted = map(escape, pair)
        words = f"{count}: {true} predicted as {predicted}"
        inner = (
            f'<button type="button" data-choose="{true}&#10;{predicted}" aria-label="{words}" '
            f'title="{words}">{count}</button>'
        )
    return f'<td style="background:rgba({tint},{strength:.2f})">{inner}</td>'


_scroll_component = st.components.v2.component(  # pyright: ignore[reportAttributeAccessIssue]
    "layerloom_reveal",
    js="""
const shown = new Map();
export default ({ key, data }) => {
  if (shown.has(key) && shown.get(key) !== data.what) {
    for (let at = document.querySelector(data.where); at; at = at.parentElement) at.scrollTop = 0;
  }
  shown.set(key, data.what);
};
""",
)


def scroll_to_top(shown: str, key: str, where: str = '[data-testid="stMain"]') -> None:
    """Scroll what `where` selects, and all around it, to the top when `shown` changes."""
    _scroll_component(key=key, data={"what": shown, "where": where})
