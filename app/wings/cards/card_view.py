"""One card: purpose, prediction, run, numbers, plots and code."""

from concurrent.futures import Future, wait
from dataclasses import astuple, dataclass
from threading import Thread

import streamlit as st

from app.cli import output
from app.markdown import escape_markdown
from app.pages.shared import markup, state
from app.process import pool
from app.services import paths
from app.services.document import Document
from app.services.project_runs import own_runs
from app.wings.cards.card_pictures import picture_html
from core.common.errors import LayerloomError
from core.runs import listing
from core.wings.cards.card import Card
from core.wings.cards.drawing import Drawing
from core.wings.cards.expression import LONGEST, BenchError, names_of, python_of
from core.wings.cards.guess import compare_guess, read_number, shown
from core.wings.cards.run import CardOutcome, cost_warning, weights_of
from core.wings.cards.run import objection as objection_of
from core.wings.cards.run import run as run_card
from core.wings.cards.text import CardText, card_text

CHOSEN, BLOCK = "learn:card", "learn:card:block"
EXPRESSION = "learn:card:expression"
NONE = "Initial weights (from the seed)"
CODE = "The code that does it"
"""Folded until the card has run: who reads it first does not predict."""
LOOK_S = 0.3
"""Seconds between two checks whether the user left the page while its card runs."""


@dataclass(frozen=True)
class Asked:
    """What a user chose for a card: a block, a run for its weights, an expression; "" for none."""

    block: str
    run: str
    expression: str


def drawing() -> Drawing | None:
    """The open drawing in the form that cards take; None without one."""
    document = state.document()
    return Drawing(document.project, document.analysed()) if document else None


def objection(card: Card, drawn: Drawing | None) -> str:
    """Why a card cannot run on a drawing, "" if it can or without a drawing."""
    return "" if drawn is None else objection_of(card, drawn)


def show(card: Card) -> None:
    """Draw a card."""
    if st.button("All cards", icon=":material/arrow_back:", type="tertiary", key="learn_all"):
        state.keep(CHOSEN, None)
        st.rerun()
    st.header(escape_markdown(card.title, 80), anchor=False)
    st.caption(escape_markdown(card.topic, 120))
    with st.container(key="exp_why"):
        markup.prose(card.why)
    document, drawn = state.document(), drawing()
    why_not = objection(card, drawn) if drawn else "Open a drawing first: cards run on it."
    if document is None or drawn is None or why_not:
        st.warning(escape_markdown(why_not, 400), icon=":material/block:")
        st.code(card.script, language="python")
        _reads(card)
        return
    left, right = st.columns([6, 5], gap="large")
    with left:
        block, run = _choices(card, drawn, document)
        outcome = _ask(card, drawn, document, block, run)
        if outcome is not None:
            _found(card, outcome)
    with right:
        typed = read(card, drawn)[0]
        text = outcome.text if outcome else card_text(card, drawn, block, bool(run), typed)
        with st.expander(CODE, icon=":material/code:", expanded=outcome is not None):
            _code(card, text)
        _reads(card)


def read(card: Card, drawn: Drawing) -> tuple[str, str]:
    """The expression that was typed for a card, "" for its own; and why it is not read."""
    typed = str(state.value(EXPRESSION) or "") if card.expression else ""
    try:
        python_of(typed or card.expression or "x", drawn)
    except BenchError as error:
        return "", str(error)
    return typed, ""


def _choices(card: Card, drawn: Drawing, document: Document) -> tuple[str, str]:
    """Draw the choice of a block and a run; return both."""
    block, names = "", [v.name for v in _runs(document)]
    row = st.container(horizontal=True)
    if card.parts:
        parts = list(card.parts(drawn))
        kept = state.value(BLOCK)
        first = parts.index(kept) if kept in parts else 0
        block = row.selectbox("Block", parts, index=first, key=f"exp_block_{card.name}")
        state.keep(BLOCK, block)
    run = ""
    if names:
        kept_run = state.value("learn:card:run")
        first = names.index(kept_run) + 1 if kept_run in names else 0
        run = row.selectbox(
            "Weights",
            ["", *names],
            index=first,
            key=f"exp_run_{card.name}",
            format_func=lambda name: f"Best checkpoint of {name}" if name else NONE,
        )
        state.keep("learn:card:run", run)
    return block, run


def _runs(document: Document) -> list[listing.RunView]:
    return [v for v in own_runs(document, listing.list_runs(paths.runs_dir())) if v.best][:12]


def _ask(
    card: Card, drawn: Drawing, document: Document, block: str, run: str
) -> CardOutcome | None:
    """Draw the question and the button; return the latest outcome for this drawing."""
    key = f"learn:card:guess:{card.name}"
    with st.form(f"exp_form_{card.name}", border=True):
        st.html(f'<p class="ll-ask">{markup.escape(card.question)}</p>')
        if card.expression:
            _expression(card, drawn)
        row = st.container(horizontal=True, vertical_alignment="bottom")
        typed = row.text_input(
            "Your prediction",
            value=state.value(key) or "",
            placeholder="A number, such as 0.5 or 1e-3",
            key=f"exp_guess_{card.name}",
        )
        pressed = row.form_submit_button("Run", type="primary", icon=":material/play_arrow:")
    state.keep(key, typed)
    expression, why = read(card, drawn)
    if why:
        st.error(escape_markdown(why, 400), icon=":material/error:")
        return None
    asked = Asked(block, run, expression)
    about = (document.doc_id, drawn.report["source"], str(drawn.project.data), *astuple(asked))
    if before := cost_warning(card, drawn, block):
        st.caption(escape_markdown(before, 200))
    if typed and read_number(typed) is None:
        st.caption("Your prediction is not a number. Type one such as 1024, 0.5 or 1e-3.")
    if pressed:
        _begin(card, drawn, document.text(), asked, about)
    _wait(card)
    return _outcome(card, about, typed)


def _outcome(card: Card, about: tuple[str, ...], typed: str) -> CardOutcome | None:
    """The latest outcome of a card, if it is about what is asked now; draws how good a guess was.

    Draws why there is none.
    """
    kept = state.value(f"learn:card:outcome:{card.name}")
    if not kept:
        return None
    if kept[0] != about:
        st.caption("The drawing, block or weights have changed since the run. Run it again.")
        return None
    if isinstance(kept[1], str):
        st.error(escape_markdown(kept[1], 500), icon=":material/error:")
        return None
    if (guess := read_number(typed)) is not None:
        result = compare_guess(guess, kept[1].values[card.numbers[0].name])
        kind, mark = ("ll-right", "✓") if result.right else ("ll-wrong", "✗")
        st.html(
            f'<p class="{kind}"><i aria-hidden="true">{mark}</i>{markup.escape(result.text)}</p>'
        )
    return kept[1]


def _expression(card: Card, drawn: Drawing) -> None:
    """Draw the field for an expression, and which names it may use on this drawing."""
    typed = st.text_input(
        "Expression",
        value=state.value(EXPRESSION) or card.expression,
        max_chars=LONGEST,
        key=f"exp_expression_{card.name}",
    )
    state.keep(EXPRESSION, typed)
    st.caption(escape_markdown(f"Names on this drawing: {', '.join(names_of(drawn))}", 200))


def _begin(card: Card, drawn: Drawing, text: str, asked: Asked, about: tuple[str, ...]) -> None:
    """Run a card in a thread, so that its outcome is kept if the user leaves the page.

    about: what the outcome is kept under.
    """
    going: Future[tuple[tuple[str, ...], CardOutcome | str]] = Future()
    folder = str(paths.runs_dir() / asked.run) if asked.run else ""

    def work() -> None:
        try:
            weights = pool.call(weights_of, text, folder) if folder else b""
            outcome = run_card(card, drawn, asked.block, weights, asked.expression)
            going.set_result((about, outcome))
        except LayerloomError as error:
            going.set_result((about, str(error)))
        except BaseException as error:
            going.set_exception(error)  # raised where the page waits
            raise

    state.keep(f"learn:card:going:{card.name}", going)
    Thread(target=work, name=f"card-{card.name}", daemon=True).start()


def _wait(card: Card) -> None:
    """Wait for a running card; a user who leaves the page sees its outcome later."""
    key = f"learn:card:going:{card.name}"
    going = state.value(key)
    if going is None:
        return
    with st.spinner(
        "Running the code in a separate process. You can leave this page", show_time=True
    ):
        place = st.empty()
        while not going.done():
            wait([going], timeout=LOOK_S)
            place.empty()  # where Streamlit ends a page that was left
    state.keep(f"learn:card:outcome:{card.name}", state.take(key).result())


def _found(card: Card, outcome: CardOutcome) -> None:
    figures = {n.title: f"{shown(outcome.values[n.name])} {n.unit}".rstrip() for n in card.numbers}
    markup.style()
    markup.figures(figures)
    for picture in card.pictures:
        st.html(picture_html(picture, outcome.values))
    if said := card.explanation(outcome.values):
        with st.container(key="exp_after"):
            markup.prose(said)
    with st.expander("Printed output"):
        st.code(outcome.printed, language=None)


def _code(card: Card, text: CardText) -> None:
    st.code(text.own, language="python", wrap_lines=True)
    with st.container(horizontal=True):
        st.download_button(
            "Download file",
            text.text,
            f"{card.name}.py",
            "text/x-python",
            on_click="ignore",
            icon=":material/download:",
            key=f"exp_file_{card.name}",
            help="With the model, the data and the loss, so it runs on its own.",
        )
    st.caption(f"The same as a command: `layerloom card {output.shell_word(card.name)} FILE`")
    if st.toggle("Show the complete file, which runs on its own", key=f"exp_whole_{card.name}"):
        st.code(text.text, language="python")


def _reads(card: Card) -> None:
    links = "".join(
        f'<li><a href="{markup.escape(address)}" target="_blank" rel="noopener">'
        f"{markup.escape(title)}</a></li>"
        for title, address in card.references
    )
    st.html(f'<div class="ll-card-reads"><b>Read more</b><ul>{links}</ul></div>')
