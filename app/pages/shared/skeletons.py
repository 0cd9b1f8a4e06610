"""Skeletons: the shape of what comes, drawn while it is calculated."""

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from app.pages.shared import state


def _pieces(kind: str, count: int) -> str:
    return f'<div class="{kind}">{"<i></i>" * count}</div>'


def _beside(left: str, right: str) -> str:
    return f'<div class="two"><div>{left}</div><div>{right}</div></div>'


_STRIP, _ROWS = _pieces("strip", 5), _pieces("rows", 5)
_LARGE = f"{_pieces('words', 2)}{_pieces('large', 1)}"
SHAPES = {
    "blocks": _STRIP + _beside(_ROWS, _LARGE),
    "sample": _STRIP + _pieces("words", 1) + _beside(_pieces("large", 1), _pieces("rows", 3)),
    "tiles": _beside(_pieces("tiles", 15), _LARGE),
    "matrix": _beside(_pieces("large", 1), _pieces("table", 9)),
    "bars": _beside(_pieces("table", 9), _pieces("large", 1)),
    "table": _pieces("words", 1) + _pieces("table", 9),
    "pictures": _pieces("words", 1) + _pieces("tiles", 30),
    "charts": _beside(_pieces("large", 1), _pieces("large", 1)),
}
"""The skeletons by name, as HTML."""


def html(shape: str) -> str:
    """A skeleton; screen readers hear nothing of it."""
    return f'<div class="ll-skeleton" aria-hidden="true">{SHAPES[shape]}</div>'


@contextmanager
def instead(shape: str, key: str, what: object) -> Iterator[None]:
    """Show a skeleton while content is drawn in the container `key`, once for each `what`.

    Until the content is whole, neither its parts nor what was there before can be seen: the style
    hides the container beside a skeleton. Call it beside that container, in the same one.
    """
    place = st.empty()
    if state.value(f"shown:{key}") == what:
        yield
        return
    place.html(html(shape))
    try:
        yield
    finally:
        place.empty()
    state.keep(f"shown:{key}", what)
