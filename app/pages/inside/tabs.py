"""Which view of "Look inside" is open, by tab and way, and what opens another one."""

from app.pages.shared import state

TAB = "inside"
"""Session key of the tab."""


def way_key(tab: str) -> str:
    """Session key of the way in which a tab shows what it is about."""
    return f"inside:way:{tab}"


def open_view(tab: str, way: str) -> None:
    """Open a view, from a button of another one."""
    state.keep(TAB, tab)
    state.keep(way_key(tab), way)


def left(tab: str, way: str) -> bool:
    """Whether another view than this one was opened since it was drawn."""
    return (state.value(TAB) or tab, state.value(way_key(tab)) or way) != (tab, way)
