"""Feature maps: choose a sample, see the output of every block, and one block large."""

import math

import streamlit as st

from app.markdown import escape_markdown
from app.pages.inside.inspection import Inspection
from app.pages.shared import markup, state
from core.insight.thumbnails import Sample, Shot
from core.tasks.registry import has_one_class

PER_ROW = 12
SAMPLE, NODE = "inside:sample", "inside:node"


def show(inspection: Inspection) -> None:
    """Draw the sample picker, the strip of blocks and the chosen block."""
    index = choose_sample(inspection)
    if index is None:
        st.info("The first pictures appear as soon as training has begun.")
        return
    inner = any(depth > 1 for _, _, depth in inspection.overview["blocks"]) and st.toggle(
        "Show blocks inside composites", key="inside:inner"
    )
    blocks = inspection.blocks(bool(inner))
    shots = inspection.strip(index, blocks)
    if not shots:
        st.info("Waiting for the run to write its feature maps.")
        return
    left, right = st.columns([4, 9], gap="large")
    node = _node(shots)
    with left, st.container(height=640, border=False, key="inside_strip"):
        _strip(shots, node)
    with right, st.container(key="inside_large"):
        block = next(shot.block for shot in shots if shot.node == node)
        large = inspection.maps(index, node, block)
        if large is not None:
            _large(large, inspection.classes if has_one_class(inspection.overview["task"]) else [])
            _hook(inspection, node)


def _hook(inspection: Inspection, node: str) -> None:
    """The forward hook that captured the block's output, as lines of PyTorch."""
    found = inspection.hook(node)
    if found is None:
        return
    with st.expander("The same in PyTorch"):
        st.caption(escape_markdown(found.sentence, 300))
        st.code(found.code, language="python")


def choose_sample(inspection: Inspection) -> int | None:
    """Draw the sample picker; return the index of the chosen one, None where there is none."""
    samples = _samples(inspection)
    return _pick(samples) if samples else None


def _samples(inspection: Inspection) -> list[Sample]:
    """Samples to choose from, of one class if wished, a row at a time."""
    with st.container(horizontal=True, vertical_alignment="center"):
        chosen, start = "", 0
        if not inspection.alive:
            classes = inspection.classes
            if classes and len(classes) <= 20:
                options = ["all", *classes]
                picked = st.pills(
                    "Class",
                    range(len(options)),
                    default=0,
                    required=True,
                    format_func=lambda k: escape_markdown(options[k], 24),
                    label_visibility="collapsed",
                    key="inside:class",
                    width="content",
                )
                chosen = options[picked] if picked else ""
            start = _turn(inspection)
        else:
            markup.prose("Eight validation samples, recorded while the run trains:", small=True)
    return inspection.samples(chosen, start, PER_ROW)


def _turn(inspection: Inspection) -> int:
    """Where the row of samples starts; two buttons turn it."""
    start = int(state.value("inside:start") or 0)
    if st.button(f"Previous {PER_ROW}", icon=":material/chevron_left:", key="inside:back"):
        start = max(0, start - PER_ROW)
    if st.button(f"Next {PER_ROW}", icon=":material/chevron_right:", key="inside:on"):
        start += PER_ROW
    start = start if start < inspection.overview["samples"] else 0
    state.keep("inside:start", start)
    return start


def _pick(samples: list[Sample]) -> int:
    """Draw the samples; return the index of the chosen one."""
    known = [sample.index for sample in samples]
    chosen = state.value(SAMPLE)
    chosen = chosen if chosen in known else known[0]
    if not samples[0].picture:
        return _pick_row(samples)
    with st.container(horizontal=True, key="inside_pick", gap="small"):
        for sample in samples:
            word = "chosen" if sample.index == chosen else "sample"
            with st.container(key=f"inside_{word}_{sample.index}"):
                name = escape_markdown(sample.answer or sample.index, 14)
                st.image(sample.picture, width=62, alt=f"Sample {sample.index}")
                _keeper(name, SAMPLE, sample.index)
    return chosen


def _pick_row(samples: list[Sample]) -> int:
    """Choose a row of a table, or a text."""
    chosen = st.selectbox(
        "Sample", range(len(samples)), format_func=lambda k: in_words(samples[k]), key="inside:row"
    )
    return samples[chosen or 0].index


def in_words(sample: Sample) -> str:
    """One line for a sample: a table row with its target, or the text."""
    if sample.words:
        text = " ".join(sample.words.split())
        return f"{text} → {sample.answer}" if sample.answer else text
    values = ", ".join(f"{value:.2g}" for value in sample.row[:6])
    return f"{sample.answer}: {values}{', …' if len(sample.row) > 6 else ''}"


def _node(shots: list[Shot]) -> str:
    """The block shown large: the chosen one, else the first that is not an Input."""
    nodes = [shot.node for shot in shots]
    chosen = state.value(NODE)
    if chosen in nodes:
        return str(chosen)
    return next((shot.node for shot in shots if shot.block != "Input"), nodes[0])


def _strip(shots: list[Shot], chosen: str) -> None:
    """All blocks from first to last, each with a small picture; a click shows it large."""
    for number, shot in enumerate(shots):
        word = "shown" if shot.node == chosen else "block"
        with st.container(key=f"inside_{word}_{number}", horizontal=True):
            st.image(shot.picture, width=132, alt=f"Output of {shot.node}")
            with st.container(gap=None):
                _keeper(escape_markdown(shot.node, 40), NODE, shot.node)
                st.caption(escape_markdown(f"{shot.block} {markup.shape(shot.shape)}"))


def _keeper(name: str, key: str, value: str | int) -> None:
    """A button that stores `value` under `key` before the page is drawn again."""
    st.button(name, f"{key}:{value}", type="tertiary", on_click=state.keep, args=(key, value))


def _large(shot: Shot, classes: list[str]) -> None:
    st.subheader(escape_markdown(shot.node, 60))
    st.caption(escape_markdown(f"{shot.block} · {markup.shape(shot.shape)}"))
    markup.figures(
        {
            "lowest": _figure(shot.low),
            "mean": _figure(shot.mean),
            "highest": _figure(shot.high),
            "exact zeros": f"{shot.zeros:.0%}",
        }
    )
    if classes and len(shot.values) == len(classes):
        st.html(bars_html(shot.values, classes))
        st.caption("The block's outputs as probabilities (softmax).")
        return
    st.image(shot.picture, alt=f"Output of {shot.node}, one picture per channel")
    st.caption(_legend(shot))


def _figure(value: float) -> str:
    return f"{value:.3g}" if math.isfinite(value) else "not finite"


def _legend(shot: Shot) -> str:
    if len(shot.shape) <= 1:
        return "One square per value; the darkest is the lowest."
    if len(shot.shape) == 2:
        return "One row per step, one column per feature; the darkest is the lowest."
    channels = shot.shape[0]
    if math.prod(shot.shape) == channels:
        return "One square per channel, as each map is one value; the darkest is the lowest."
    drawn = "" if channels <= 256 else " Only the first 256 are shown."
    return f"{channels} maps, each from its lowest value (dark) to its highest (light).{drawn}"


def bars_html(values: tuple[float, ...], classes: list[str]) -> str:
    """Bars of the softmax probabilities of scores; the highest is emphasised."""
    highest = max(filter(math.isfinite, values), default=0.0)
    weights = [math.exp(value - highest) if math.isfinite(value) else 0.0 for value in values]
    total = sum(weights) or 1.0
    rows: list[str] = []
    for name, weight in zip(classes, weights, strict=True):
        top = " top" if weight == max(weights) else ""
        rows.append(
            f'<span class="{top}">{markup.escape(name)}</span>'
            f'<span class="bar{top}"><i style="width:{weight / total * 100:.1f}%"></i></span>'
            f'<span class="{top}">{weight / total:.1%}</span>'
        )
    return f'<div class="ll-bars">{"".join(rows)}</div>'
