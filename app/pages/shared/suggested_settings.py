"""Suggested settings for data and network, on the Data page and the Train form."""

import streamlit as st

from app.markdown import escape_markdown
from app.services import suggestions
from app.services.document import Document
from app.services.suggestions import Offer


def show(document: Document) -> None:
    """Show the suggested settings, with a button if the project's differ."""
    offer = suggestions.offer(document)
    if offer is None:
        return
    with st.container(key="suggested", gap="small"):
        st.caption(f":material/tune: {escape_markdown(_words(offer), 600)}")
        if not offer.differs and not offer.undoable:
            return
        with st.container(horizontal=True, gap="small"):
            if offer.differs:
                st.button(
                    "Use suggested settings",
                    key="use_suggested",
                    args=(document,),
                    on_click=suggestions.use,
                    icon=":material/auto_fix_high:",
                )
            if offer.undoable:
                st.button(
                    "Undo",
                    key="undo_suggested",
                    args=(document,),
                    on_click=suggestions.undo,
                    icon=":material/undo:",
                )


def _words(offer: Offer) -> str:
    if not offer.differs:
        return offer.sentence
    if offer.followed:
        return f"{offer.sentence} Your own settings: {', '.join(offer.differs)}."
    return f"{offer.sentence} Different from the suggestion: {', '.join(offer.differs)}."
