"""Why: attribution of a prediction to parts of the sample; attention of heads."""

from typing import Any

import streamlit as st

from app.markdown import escape_markdown
from app.pages.inside import choice_grid, explanation_html, feature_maps
from app.pages.inside.inspection import Inspection, ask
from app.pages.shared import markup, state
from app.process.pool import PoolError
from app.services.calls import attribution
from core.insight.attribution.methods import METHODS, Method
from core.insight.attribution.pictures import heat
from core.insight.attribution.results import Attention, Explained

LONG_S = 120.0
ATTENTION = "Attention"
METHOD, BLOCK, HEAD = "inside:why:method", "inside:why:block", "inside:why:head"
ANSWER, POSITION, INPUT = "inside:why:answer", "inside:why:place", "inside:why:feed"
MEAN, ROLLOUT = "mean", "rollout"
Choice = tuple[str, str, int, int]
"""Block, class or token to explain ("" for the default), position and Input (-1 for default)."""


def show(inspection: Inspection) -> None:
    """Draw the sample picker, the choice of a method, and the explanation."""
    if inspection.alive:
        st.info("Available when the run has ended: its weights are still changing.")
        return
    index = feature_maps.choose_sample(inspection)
    if index is None:
        st.info("There is no validation sample to explain.")
        return
    offered = ask(attribution.choices, inspection.ref, index)
    names = _methods(offered)
    if not names:
        st.info(escape_markdown(offered["problem"], 300))
        return
    if state.value(METHOD) not in names:
        state.keep(METHOD, names[0])
    picked = st.segmented_control(
        "Method", names, required=True, key=METHOD, label_visibility="collapsed"
    )
    if picked == ATTENTION:
        _attention(inspection, index)
        return
    method = next(m for m in METHODS.values() if m.title == picked)
    chosen = _options(offered, method)
    _show_explanation(inspection, index, method, chosen)


def _methods(offered: dict[str, Any]) -> list[str]:
    """Titles of the methods for this sample, with attention if the network has it."""
    titles: list[str] = []
    if not offered["problem"]:
        titles = [
            m.title
            for m in METHODS.values()
            if offered["kind"] in m.takes and (not m.needs or offered["maps"])
        ]
    return [*titles, *([ATTENTION] if offered["attention"] else [])]


def _options(offered: dict[str, Any], method: Method) -> Choice:
    """Choose the class or token to explain, its position, the block and the Input."""
    aim, names = offered["aim"], offered["names"]
    node, label, position, input_index = "", "", -1, -1
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if offered["places"]:
            position = int(
                st.number_input(
                    f"Position of the {aim['what']}",
                    0,
                    offered["places"] - 1,
                    aim["position"],
                    key=POSITION,
                    width=160,
                )
            )
        if len(names) > 1:
            options = ["", *names]
            label = (
                st.selectbox(
                    f"Explain the {aim['what']}",
                    options,
                    key=ANSWER,
                    width=220,
                    format_func=lambda name: (
                        explanation_html.visible(name) if name else "as predicted"
                    ),
                )
                or ""
            )
        if method.needs == "maps":
            maps = ["", *offered["maps"]]
            node = (
                st.selectbox(
                    "Block",
                    maps,
                    key=BLOCK,
                    width=240,
                    format_func=lambda name: name or "last block with maps",
                )
                or ""
            )
        if len(offered["inputs"]) > 1:
            inputs = offered["inputs"]
            picked = st.selectbox("Input", inputs, offered["feed"], key=INPUT, width=180)
            input_index = inputs.index(picked)
    return node, label, position, input_index


def _show_explanation(inspection: Inspection, index: int, method: Method, chosen: Choice) -> None:
    """The explanation by a method, its meaning and limits, and the sanity check."""
    try:
        with st.spinner(f"{method.title}: calculating", show_time=False):
            result = ask(
                attribution.explain, inspection.ref, index, method.name, *chosen, timeout_s=LONG_S
            )
    except PoolError as error:
        st.info(escape_markdown(error, 300))
        return
    _figures(result)
    says = explanation_html.sentences(method.shows, method.hides)
    st.html(explanation_html.beside(explanation_html.explanation(result, method.signed), says))
    _sanity(inspection, index, method, chosen)


def _figures(result: Explained) -> None:
    aim, visible = result.aim, explanation_html.visible
    figures = {f"explained {aim.what}": visible(aim.name), "score": f"{aim.score:.4g}"}
    figures |= {"predicted": visible(aim.predicted)} if aim.predicted != aim.name else {}
    figures |= {"target": visible(aim.true)} if aim.true else {}
    figures |= {"position": str(aim.position)} if aim.position >= 0 else {}
    figures |= {"block": result.node} if result.node else {}
    if "sum" in result.facts:
        whole = result.facts["score"] - result.facts["score of zeros"]
        figures |= {"sum of all values": f"{result.facts['sum']:.4g}"}
        figures |= {"score minus score of zeros": f"{whole:.4g}"}
    markup.figures(figures)


def _sanity(inspection: Inspection, index: int, method: Method, chosen: Choice) -> None:
    """The check of Adebayo et al. (2018), made on request and kept for this explanation."""
    arguments = (inspection.ref, index, method.name, *chosen)
    if state.value("inside:why:checked") != arguments:
        st.button(
            "Sanity check",
            icon=":material/experiment:",
            key="inside:why:check",
            on_click=state.keep,
            args=("inside:why:checked", arguments),
            help="Randomises the weights of a copy, last layer first, and explains again: an "
            "explanation of what was learned must change (Adebayo et al., 2018).",
        )
        return
    try:
        with st.spinner("Explaining with random weights", show_time=False):
            stages = ask(attribution.sanity_check, *arguments, timeout_s=LONG_S)
    except PoolError as error:
        st.info(escape_markdown(error, 300))
        return
    st.html(explanation_html.sanity(stages))


def _attention(inspection: Inspection, index: int) -> None:
    """What heads of a block attend to, or the rollout over all blocks."""
    result = ask(attribution.attention_of, inspection.ref, index)
    names = [
        f"{h.node}, attention {h.call + 1}" if _several(result, h.node) else h.node
        for h in result.heads
    ]
    options = [*range(len(names)), *([ROLLOUT] if result.rollout is not None else [])]
    if state.value(BLOCK + ":attention") not in options:
        state.keep(BLOCK + ":attention", 0)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        block = st.selectbox(
            "Attention of",
            options,
            key=BLOCK + ":attention",
            width=300,
            format_func=lambda k: "all blocks (rollout)" if k == ROLLOUT else names[int(k)],
        )
    if block == ROLLOUT and result.rollout is not None:
        says = explanation_html.sentences(*explanation_html.ROLLOUT)
        st.html(explanation_html.beside(explanation_html.attended("Rollout", result.rollout), says))
        _position(result.rollout, result.labels)
        return
    heads = result.heads[int(block) if isinstance(block, int) else 0]
    head = _head((*heads.pictures, heat(heads.weights.mean(axis=0), False, 160)))
    weights = heads.weights.mean(axis=0) if head < 0 else heads.weights[head]
    title = "Mean of all heads" if head < 0 else f"Head {head + 1}"
    says = explanation_html.sentences(*explanation_html.HEADS)
    st.html(explanation_html.beside(explanation_html.attended(title, weights), says))
    _position(weights, result.labels)
    if result.why_not:
        st.caption(escape_markdown(result.why_not, 300))


def _several(result: Attention, node: str) -> bool:
    return sum(h.node == node for h in result.heads) > 1


def _head(pictures: tuple[bytes, ...]) -> int:
    """Choose a head, -1 for the mean of all, whose picture is the last."""
    heads, mean = pictures[:-1], pictures[-1]
    kept = state.value(HEAD)
    chosen = kept if isinstance(kept, int) and -1 <= kept < len(heads) else -1
    tiles = choice_grid.button(
        MEAN, f'{markup.picture(mean, "")}<span class="small">all heads</span>', look="card"
    )
    tiles += "".join(
        choice_grid.button(
            k, f'{markup.picture(png, "")}<span class="small">head {k + 1}</span>', look="card"
        )
        for k, png in enumerate(heads)
    )
    pressed = MEAN if chosen < 0 else str(chosen)
    choice_grid.choice(f'<div class="ll-tiles">{tiles}</div>', pressed, "inside_heads", _keep_head)
    return chosen


def _keep_head(value: str) -> None:
    state.keep(HEAD, int(value) if value.isdecimal() else -1)


def _position(weights: Any, labels: tuple[str, ...]) -> None:
    """Choose a position and see its attention on the text itself."""
    if len(weights) < 2:
        return
    position = st.slider("Attention from position", 0, len(weights) - 1, key="inside:why:row")
    square = weights.shape[0] == weights.shape[1]
    st.html(explanation_html.row(weights[position], labels, position, square))
