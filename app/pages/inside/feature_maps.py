"""Feature maps: choose a sample, see the output of every block, and one block large."""

import math
from functools import partial

import streamlit as st

from app.markdown import escape_markdown
from app.pages.inside import choice_grid
from app.pages.inside.inspection import Inspection
from app.pages.shared import markup, state
from core.insight.thumbnails import Sample, Shot
from core.tasks.registry import has_one_class

PER_ROW, PER_PAGE = 5, 25
"""Samples that are always seen, and those on a page of "More samples": rows of them."""
MOST_CLASSES = 20
SAMPLE, NODE = "inside:sample", "inside:node"
CLASS, START = "inside:class", "inside:start"


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
    if inspection.alive:
        samples = inspection.samples("", 0, PER_PAGE)
        return _pick(samples, samples) if samples else None
    with st.container(horizontal=True, vertical_alignment="center", key="inside_pick"):
        strip, more = st.container(key="inside_strip_of_samples"), st.container(width="content")
        with more, st.popover("More samples", key="inside_more"):
            page = _page(inspection)
        with strip:
            return _pick(_row(page), page) if page else None


def show_all_from(index: int) -> None:
    """Let the picker offer the samples of all classes around an index of the validation part."""
    state.keep(CLASS, 0)
    state.keep(START, index // PER_PAGE * PER_PAGE)


def _page(inspection: Inspection) -> list[Sample]:
    """The samples to choose from, a page of them at a time, of one class if wished."""
    chosen, classes = "", inspection.classes
    if classes and len(classes) <= MOST_CLASSES:
        options = ["all", *classes]
        picked = st.pills(
            "Class",
            range(len(options)),
            default=0,
            required=True,
            format_func=lambda k: escape_markdown(options[k], 24),
            key=CLASS,
            on_change=state.keep,
            args=(START, 0),
        )
        chosen = options[picked] if picked else ""
    samples = inspection.samples(chosen, int(state.value(START) or 0), PER_PAGE)
    if samples and samples[0].picture:
        _grid(samples, _chosen(samples), "inside_all")
    _turn(inspection, len(samples))
    return samples


def _turn(inspection: Inspection, there: int) -> None:
    """Two buttons that turn the page of samples."""
    start = int(state.value(START) or 0)
    last = there < PER_PAGE or start + there >= inspection.overview["samples"]
    with st.container(horizontal=True):
        for key, icon, to, off in (
            ("Previous", "left", start - PER_PAGE, not start),
            ("Next", "right", start + PER_PAGE, last),
        ):
            st.button(
                f"{key} {PER_PAGE}",
                icon=f":material/chevron_{icon}:",
                key=f"inside:samples:{key.lower()}",
                disabled=off,
                on_click=state.keep,
                args=(START, to),
            )


def _row(samples: list[Sample]) -> list[Sample]:
    """The few that are always seen: the row of the page that the chosen one stands in."""
    at = [sample.index for sample in samples].index(_chosen(samples))
    first = at // PER_ROW * PER_ROW
    return samples[first : first + PER_ROW]


def _chosen(samples: list[Sample]) -> int:
    known = [sample.index for sample in samples]
    chosen = state.value(SAMPLE)
    return chosen if chosen in known else known[0]


def _pick(row: list[Sample], page: list[Sample]) -> int:
    """Draw a row of samples, or for tables and texts a list of the page; return the chosen one."""
    if not row[0].picture:
        return _pick_row(page)
    chosen = _chosen(page)
    _grid(row, chosen, "inside_few")
    return chosen


def _grid(samples: list[Sample], chosen: int, key: str) -> None:
    """Pictures with the answer to each; a click chooses one."""
    tiles = "".join(
        choice_grid.button(
            each.index,
            f"{markup.picture(each.picture, f'Sample {each.index}')}"
            f"<span>{markup.escape(each.answer or each.index)}</span>",
            look="card",
        )
        for each in samples
    )
    choice_grid.choice(
        f'<div class="ll-tiles samples">{tiles}</div>',
        str(chosen),
        key,
        partial(choice_grid.keep_number, SAMPLE),
    )


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
    return f"{sample.answer}: {sample.values(6)}"


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
