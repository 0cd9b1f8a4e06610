"""Evaluation of a network: confusion matrix, worst mistakes, and learned filters."""

import streamlit as st

from app.markdown import escape_markdown
from app.pages.inside.inspection import Inspection
from app.pages.shared import markup, svg_plots
from core.insight.confusion_scores import Confusion
from core.insight.thumbnails import Miss


def confusion(inspection: Inspection) -> None:
    """Draw the matrix with its numbers, and the scores of each class."""
    matrix = inspection.confusion()
    if matrix is None:
        soon = "It appears after the first epoch." if inspection.alive else "This network has none."
        st.info(f"A confusion matrix counts classes taken for others. {soon}")
        return
    total = sum(map(sum, matrix.counts))
    right = sum(row[k] for k, row in enumerate(matrix.counts))
    markup.figures(
        {
            "accuracy": f"{matrix.accuracy:.1%}",
            "right": f"{right:,}",
            "wrong": f"{total - right:,}",
        }
    )
    left, other = st.columns([5, 6], gap="large")
    with left:
        st.html(markup.matrix_html(matrix))
    with other:
        st.html(scores_html(matrix))


def scores_html(matrix: Confusion) -> str:
    """Precision, recall and F1 of each class."""
    rows = "".join(
        f'<tr><td>{markup.escape(s.name)}</td><td class="n">{s.samples:,}</td>'
        f'<td class="n">{_share(s.precision)}</td><td class="n">{_share(s.recall)}</td>'
        f'<td class="n">{_share(s.f1)}</td></tr>'
        for s in matrix.scores
    )
    head = '<th class="n">samples</th><th class="n">precision</th><th class="n">recall</th>'
    return (
        f'<table class="ll-table"><tr><th>class</th>{head}<th class="n">F1</th></tr>{rows}</table>'
        '<p class="ll-axis">Precision: how many of its predictions are right. '
        "Recall: how many of its samples are found.</p>"
    )


def _share(value: float | None) -> str:
    return '<span class="mute">none</span>' if value is None else f"{value:.1%}"


def misses(inspection: Inspection) -> None:
    """Draw the samples the network does worst on."""
    worst = inspection.misses()
    if not worst:
        good = "No validation sample is wrong." if not inspection.alive else ""
        st.info(good or "Mistakes appear after the first epoch.")
        return
    wrong = inspection.overview["task"] == "classification" or bool(worst[0].confidence)
    subject = "the network is most surely wrong about" if wrong else "with the largest error"
    first = worst[0]
    bare = not (first.sample.picture or first.sample.words or first.lines)
    rows = " Numbers as the network receives them." if bare else ""
    st.caption(f"Validation samples {subject}, the worst first.{rows}")
    wide = " wide" if first.more or first.lines else ""
    st.html(f'<div class="ll-misses{wide}">{"".join(miss_html(m) for m in worst)}</div>')


def miss_html(miss: Miss) -> str:
    """One mistake: its images or numbers, the prediction and its probability."""
    sample = miss.sample
    pictures = [(sample.picture, "input"), *zip(miss.more, ("output", "target"), strict=False)]
    drawn = "".join(markup.picture(png, words) for png, words in pictures if png)
    values = ", ".join(f"{value:.2g}" for value in sample.row[:8]) if not sample.picture else ""
    values = markup.escape(sample.words) if sample.words else values
    lines = [f'<div class="pictures">{drawn}</div>' if drawn else f"<div>{values}</div>"]
    if miss.lines:
        lines = [_lines(*miss.lines)]
    if miss.predicted:
        true = f", is <b>{markup.escape(sample.answer)}</b>" if sample.answer else ""
        lines.append(f'said <span class="said">{markup.escape(miss.predicted)}</span>{true}')
    sure = f"{miss.confidence:.0%} sure · " if miss.confidence is not None else ""
    more = "input, output, target · " if len(miss.more) == 2 else ""
    more = "dotted what is right · " if miss.lines else more
    figures = f"{more}{sure}loss {miss.loss:.3g} · no. {sample.index}"
    lines.append(f'<div class="small">{figures}</div>')
    return f'<div class="ll-miss">{"".join(lines)}</div>'


def _lines(true: list[float], predicted: list[float]) -> str:
    """A predicted series beside its target; a single number in words."""
    if len(true) == 1:
        return f"<div>said {predicted[0]:.3g}, is <b>{true[0]:.3g}</b></div>"
    positions = [float(n) for n in range(1, len(true) + 1)]
    words = "What the network says, and dotted what is right."
    ticks = [(1.0, "1"), (positions[-1], f"{len(true)} values")]
    return svg_plots.line(positions, predicted, words, ticks, others=[true])


def filters(inspection: Inspection) -> None:
    """Draw the filters of a convolution."""
    names = inspection.filter_names()
    name = ""
    if len(names) > 1:
        name = st.selectbox("Block", names, format_func=str, key="inside:filters", width=260)
    elif names:
        name = names[0]
    shot = inspection.filters(name)
    if shot is None:
        st.info("This network has no convolution whose filters could be drawn.")
        return
    count, channels, height, width = shot.shape
    st.subheader(escape_markdown(shot.node, 60))
    st.caption(
        f"{count} filters of {height}x{width} pixels"
        + (f", one row of {channels} channels each" if channels not in (1, 3) else "")
    )
    with st.container(key="inside_filters"):
        st.image(shot.picture, alt=f"The filters of {shot.node}")
    if channels != 3:
        st.caption("Indigo is positive, orange negative, white zero.")
