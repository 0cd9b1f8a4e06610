"""Small pieces of HTML that pages share, with every text escaped."""

import base64
import html
from pathlib import Path

import streamlit as st

_STYLE = Path(__file__).parents[2] / "theme" / "inside.css"


def style() -> None:
    """Bring in the style of these pages."""
    st.html(_STYLE)


def text(value: object) -> str:
    """Make any text safe to stand in HTML, also in an attribute."""
    return html.escape(str(value), quote=True)


def picture(png: bytes, words: str) -> str:
    """An image element with its bytes in place; `words` describe it."""
    data = base64.b64encode(png).decode("ascii")
    return f'<img src="data:image/png;base64,{data}" alt="{text(words)}">'


def told_picture(png: bytes, words: str) -> str:
    """A picture over the words that tell it from those beside it."""
    return f"<figure>{picture(png, words)}<figcaption>{text(words)}</figcaption></figure>"


def shape(sizes: object) -> str:
    """Write a shape of one sample as everywhere: (N, 6, 28, 28)."""
    inner = ", ".join(["N", *(str(size) for size in sizes)])  # type: ignore[union-attr]
    return f"({inner})" if "," in inner else "(N,)"


def figures(pairs: dict[str, str]) -> None:
    """Show a row of figures, each over its name."""
    cells = "".join(
        f"<div><b>{text(value)}</b><span>{text(name)}</span></div>" for name, value in pairs.items()
    )
    st.html(f'<div class="ll-figures">{cells}</div>')
