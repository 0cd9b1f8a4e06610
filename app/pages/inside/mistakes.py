"""Mistakes: the samples that a network does worst on; one of them opened beside."""

from functools import partial

import streamlit as st

from app.markdown import escape_markdown
from app.pages.inside import choice_grid, feature_maps, forecast, masks, sample_html, tabs
from app.pages.inside.inspection import Inspection
from app.pages.shared import markup, state, svg_plots
from core.insight.sample_detail import SampleDetail
from core.insight.thumbnails import Miss
from core.tasks.metric_labels import plain
from core.tasks.registry import has_one_class, predicts_number

CHOSEN, TRUE, PREDICTED = "inside:miss", "inside:true", "inside:said"
ANY = "any"
MOST = 60


def show(inspection: Inspection) -> None:
    """Draw the worst samples, and the chosen one with its scores and block outputs; forecasts of a
    series, and the colours of classes of pixels, above."""
    forecast.show(inspection)
    masks.show(inspection)
    left, right = st.columns([5, 8], gap="large")
    with left:
        true, predicted = _pair(inspection)
        misses = inspection.misses(MOST, true, predicted)
        if not misses:
            st.info(_nothing(inspection, bool(true or predicted)), icon=":material/check:")
            return
        st.caption(_counted(inspection, misses, bool(true or predicted)))
        chosen = _chosen(misses)
        with st.container(height=680, border=False, key="inside_misses"):
            _grid(misses, chosen)
    with right, st.container(key="inside_miss"):
        _opened(inspection, misses, chosen)


def _pair(inspection: Inspection) -> tuple[str, str]:
    """Choose a target and a predicted class to see only those mistakes; "" for any."""
    classes = inspection.classes
    if not has_one_class(inspection.overview["task"]) or inspection.alive or not classes:
        return "", ""
    with st.container(horizontal=True, vertical_alignment="bottom", key="inside_pair"):
        picked = [
            st.selectbox(
                label,
                [ANY, *classes],
                key=key,
                width=150,
                format_func=lambda name: escape_markdown(name, 24),
            )
            for label, key in (("Target", TRUE), ("Prediction", PREDICTED))
        ]
        if picked != [ANY, ANY]:
            st.button("All mistakes", on_click=keep_pair, args=(ANY, ANY), type="tertiary")
    true, predicted = ("" if name in (ANY, None) else str(name) for name in picked)
    return true, predicted


def keep_pair(true: str, predicted: str) -> None:
    """Keep which mistakes are shown, by target and predicted class."""
    state.keep(TRUE, true)
    state.keep(PREDICTED, predicted)


def _nothing(inspection: Inspection, chosen: bool) -> str:
    if chosen:
        return "No validation sample has this target and this prediction. Choose another pair."
    if inspection.alive:
        return "Mistakes appear after the first validation, at the end of the first epoch."
    return (
        "Every validation sample is predicted correctly. See Confusion matrix for the counts of "
        "each class, or Feature maps for the outputs of the blocks."
    )


def _counted(inspection: Inspection, misses: list[Miss], chosen: bool) -> str:
    """How many samples are wrong, and which are shown."""
    if not has_one_class(inspection.overview["task"]):
        return f"The {len(misses)} validation samples with the largest loss, worst first."
    if inspection.alive:
        return "Wrong validation samples with the largest loss, worst first."
    matrix = inspection.confusion()
    if chosen or matrix is None:
        return f"{len(misses)} mistakes of this pair, largest loss first."
    total = sum(map(sum, matrix.counts))
    wrong = total - sum(row[k] for k, row in enumerate(matrix.counts))
    shown = "" if wrong <= len(misses) else f" The {len(misses)} with the largest loss:"
    return f"{wrong:,} of {total:,} validation samples are wrong ({wrong / total:.1%}).{shown}"


def _chosen(misses: list[Miss]) -> int:
    """The index of the sample that is open: the one chosen, else the worst."""
    known = [miss.sample.index for miss in misses]
    chosen = state.value(CHOSEN)
    return chosen if chosen in known else known[0]


def _grid(misses: list[Miss], chosen: int) -> None:
    tiles = "".join(
        choice_grid.button(miss.sample.index, miss_html(miss), look="card") for miss in misses
    )
    wide = "" if misses[0].sample.picture and len(misses[0].more) < 2 else " wide"
    choice_grid.choice(
        f'<div class="ll-tiles{wide}">{tiles}</div>',
        str(chosen),
        "inside_tiles",
        partial(choice_grid.keep_number, CHOSEN),
    )


def miss_html(miss: Miss) -> str:
    """One mistake, small: its picture or numbers, target, prediction and probability."""
    sample = miss.sample
    pictures = [(sample.picture, "input"), *zip(miss.more, ("output", "target"), strict=False)]
    drawn = "".join(markup.picture(png, words) for png, words in pictures if png)
    values = sample.words or ("" if sample.picture else sample.values(4))
    lines = [f'<span class="pictures">{drawn}</span>' if drawn else ""]
    lines += [f'<span class="words">{markup.escape(values)}</span>' if values else ""]
    if miss.lines:
        lines = [_lines(*miss.lines)]
    lines.append(_caption(miss))
    return "".join(lines)


def _caption(miss: Miss) -> str:
    answer, predicted = markup.escape(miss.sample.answer), markup.escape(miss.predicted)
    figure = f"{miss.confidence:.0%}" if miss.confidence is not None else f"loss {miss.loss:.3g}"
    if not predicted:
        return f'<span class="small">{figure}</span>'
    true = f"<b>{answer}</b> → " if answer else ""
    pair = f'<span>{true}<span class="said">{predicted}</span></span>'
    return f'{pair}<span class="small">{figure}</span>'


def _lines(true: list[float], predicted: list[float]) -> str:
    """A predicted series beside its target; a single number in words."""
    if len(true) == 1:
        return f"<span>predicted {plain(predicted[0])}, target <b>{plain(true[0])}</b></span>"
    positions = [float(n) for n in range(1, len(true) + 1)]
    words = "Line: prediction. Dotted: target."
    ticks = [(1.0, "1"), (positions[-1], f"{len(true)} values")]
    return svg_plots.line(positions, predicted, words, ticks, others=[true])


def _opened(inspection: Inspection, misses: list[Miss], chosen: int) -> None:
    """The chosen sample: input, scores, block outputs, nearest training samples."""
    known = [miss.sample.index for miss in misses]
    at = known.index(chosen)
    _head(misses[at], at, known)
    detail = inspection.detail(chosen)
    if detail is None:
        st.html(f'<div class="ll-open">{sample_html.of_miss(misses[at])}</div>')
        st.caption("Scores and block outputs are available when the run has ended.")
        return
    shown = sample_html.heads(detail, _among_all(inspection, detail, chosen))
    st.html(f'<div class="ll-open">{sample_html.sample(detail)}{shown}</div>')
    _blocks(detail, chosen)
    near = inspection.neighbours(chosen)
    if near:
        st.html(f"<h3>Nearest training samples</h3>{sample_html.neighbours(near)}")
        st.caption("By Euclidean distance between the inputs of the last block.")


def _among_all(inspection: Inspection, detail: SampleDetail, chosen: int) -> str:
    """Where a predicted number stands among those of all validation samples."""
    numbers = predicts_number(inspection.overview["task"]) and detail.heads
    if not numbers or detail.heads[0].error is None:
        return ""
    true, predicted = inspection.numbers()
    words = f"Targets and predictions of {len(true)} validation samples, this one marked."
    drawn = svg_plots.dots(true, predicted, words, marked=chosen)
    return (
        f'<div class="ll-head">{drawn}<div class="ll-axis">Horizontal: target. Vertical: '
        "prediction. One dot per validation sample; this one is circled. On the dashed line both "
        "are equal."
        "</div></div>"
    )


def _head(miss: Miss, at: int, known: list[int]) -> None:
    """Target and prediction of the sample; two buttons, also on the arrow keys, change it."""
    with st.container(horizontal=True, vertical_alignment="center", key="inside_miss_head"):
        answer, predicted = miss.sample.answer, miss.predicted
        title = f"{answer} predicted as {predicted}" if answer and predicted else "Sample"
        st.subheader(escape_markdown(title, 60), width="content")
        st.caption(f"sample {miss.sample.index}, {at + 1} of {len(known)}", width="content")
        st.space("stretch")
        for label, icon, step in (("Previous", "left", -1), ("Next", "right", 1)):
            to = at + step
            st.button(
                label,
                key=f"inside:{label.lower()}",
                icon=f":material/chevron_{icon}:",
                shortcut=icon.capitalize(),
                disabled=not 0 <= to < len(known),
                on_click=state.keep,
                args=(CHOSEN, known[min(max(to, 0), len(known) - 1)]),
            )


def _blocks(detail: SampleDetail, index: int) -> None:
    """The output of each block for this sample; a click opens it under Feature maps."""
    if not detail.blocks:
        return
    st.html("<h3>Output of each block</h3>")
    cards = "".join(
        choice_grid.button(shot.node, sample_html.block(shot), look="card")
        for shot in detail.blocks
    )
    choice_grid.choice(
        f'<div class="ll-tiles blocks">{cards}</div>',
        None,
        "inside_saw",
        partial(_open_maps, index),
    )


def _open_maps(index: int, node: str) -> None:
    """Go to the feature maps of this block for this sample."""
    state.keep(feature_maps.SAMPLE, index)
    feature_maps.show_all_from(index)
    state.keep(feature_maps.NODE, node)
    tabs.open_view("Blocks", "Feature maps")
