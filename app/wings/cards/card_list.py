"""The cards by topic; those that do not fit the open drawing are grey, with the reason."""

import streamlit as st

from app.markdown import escape_markdown
from app.pages.shared import markup, state
from app.wings.cards import card_view
from core.wings.cards.card import Card
from core.wings.cards.catalogue import CARDS, TOPICS
from core.wings.cards.drawing import Drawing

LEAD = (
    "Small experiments on the open drawing: predict a number, run the code in seconds, and keep "
    "the lines of PyTorch that did it. A card does not change your project."
)
WORDS, ABOUT = "learn:cards:words", "learn:card:about"


def show() -> None:
    """Draw the list, or the card that is chosen."""
    chosen = CARDS.get(state.value(card_view.CHOSEN) or "")
    if chosen is not None:
        card_view.show(chosen)
        return
    with st.container(key="learn_lead"):
        markup.prose(LEAD)
    drawing = card_view.drawing()
    document = state.document()
    if drawing is None or document is None:
        st.info(
            "Cards run on the open drawing. Open or start a project first.",
            icon=":material/account_tree:",
        )
        st.page_link(state.page("start"), label="Start or open a project", icon=":material/home:")
    else:
        st.caption(escape_markdown(f"On the open drawing: {document.title}", 120))
        _about_block(drawing)
    words = st.text_input(
        "Search cards",
        value=state.value(WORDS) or "",
        key="learn_card_search",
        placeholder=f"Search {len(CARDS)} cards: gradient, stride, hook …",
        icon=":material/search:",
        label_visibility="collapsed",
    )
    state.keep(WORDS, words)
    matching = {topic: [c for c in cards if _has(c, words)] for topic, cards in TOPICS.items()}
    if not any(matching.values()):
        st.markdown(escape_markdown(f"No card contains {words}.", 120))
    for number, (topic, cards) in enumerate(matching.items()):
        if cards:
            with st.container(key=f"topic_{number}"):
                st.header(escape_markdown(topic, 60), anchor=False)
            with st.container(key=f"cards_{number}"):
                for card in cards:
                    _entry(card, card_view.objection(card, drawing))


def _about_block(drawing: Drawing) -> None:
    """The cards about the block whose link led here, before all others."""
    block = state.value(ABOUT)
    if not block:
        return
    suited = [c for c in CARDS.values() if c.parts and block in c.parts(drawing)]
    found = [card for card in suited if not card_view.objection(card, drawing)]
    with st.container(horizontal=True, vertical_alignment="center", key="topic_about"):
        title = f"About {block}" if found else f"No card is about {block} alone"
        st.header(escape_markdown(title, 80), anchor=False, width="content")
        if st.button("Show all cards", type="tertiary", key="exp_about_nothing"):
            state.keep(ABOUT, None)
            st.rerun()
    if not found:
        st.caption("The cards below are about the whole drawing or other blocks.")
    with st.container(key="cards_about"):
        for card in found:
            _entry(card, "", "about_")


def _has(card: Card, words: str) -> bool:
    text = f"{card.name} {card.title} {card.topic} {card.why}".casefold()
    return all(word in text for word in words.casefold().split())


def _entry(card: Card, why_not: str, where: str = "") -> None:
    fits = "" if why_not else "_fits"
    with st.container(key=f"card_small{fits}_{where}{card.name}"):
        if st.button(
            escape_markdown(card.title, 60), key=f"exp_{where}{card.name}", type="tertiary"
        ):
            state.keep(card_view.CHOSEN, card.name)
            st.rerun()
        st.caption(escape_markdown(card.why, 240))
        if why_not:
            st.html(f'<small class="ll-not">Not for this drawing: {markup.escape(why_not)}</small>')
