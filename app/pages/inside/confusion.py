"""The confusion matrix, whose cells lead to the mistakes they count, and the scores of classes."""

import streamlit as st

from app.pages.inside import certainty, choice_grid, mistakes, tabs
from app.pages.inside.inspection import Inspection
from app.pages.shared import markup
from core.insight.confusion_scores import ClassScore, Confusion
from core.tasks.registry import counts_pixels

MOST_PAIRS, MOST_CELLS = 8, 2500
SAMPLES = Confusion.things
"""What cells count whose mistakes can be opened."""


def show(inspection: Inspection) -> None:
    """Draw the matrix with its numbers, the commonest confusions, and the scores of each class."""
    matrix = inspection.confusion()
    if matrix is None:
        soon = _soon(inspection) if inspection.alive else _why(inspection)
        st.info(f"A confusion matrix counts the predictions for each target class. {soon}")
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
    left, other = st.columns([6, 5], gap="large")
    with left:
        _matrix(inspection, matrix)
    with other:
        _commonest(inspection, matrix)
        st.html(scores_html(matrix))
    if matrix.things == SAMPLES:
        certainty.show(inspection)


def _soon(inspection: Inspection) -> str:
    if counts_pixels(inspection.overview["task"]):
        return "Of pixels it is available when the run has ended."
    return "It appears after the first epoch."


def _why(inspection: Inspection) -> str:
    task = inspection.overview["task"]
    return f"This network does not predict a class ({task}): see Mistakes for its largest errors."


def _matrix(inspection: Inspection, matrix: Confusion) -> None:
    few = len(matrix.classes) ** 2 <= MOST_CELLS
    opens = not inspection.alive and few and matrix.things == SAMPLES
    if not opens:
        st.html(markup.matrix_html(matrix))
        return
    choice_grid.choice(markup.matrix_html(matrix, opens=True), None, "inside_cells", open_pair)
    st.caption("Choose a cell off the diagonal to open its mistakes.")


def open_pair(cell: str) -> None:
    """Go to the mistakes of one cell, "true:predicted" by name with a line break between."""
    true, _, predicted = cell.partition("\n")
    mistakes.keep_pair(true, predicted)
    tabs.open_view("Mistakes", "Samples")


def _commonest(inspection: Inspection, matrix: Confusion) -> None:
    """The pairs of classes that are confused most often."""
    pairs = [
        (n, true, predicted)
        for true, row in zip(matrix.classes, matrix.counts, strict=True)
        for predicted, n in zip(matrix.classes, row, strict=True)
        if n and true != predicted
    ]
    if not pairs or inspection.alive or matrix.things != SAMPLES:
        return
    pairs.sort(key=lambda pair: -pair[0])
    html = "".join(
        choice_grid.button(
            f"{true}\n{predicted}",
            f"<b>{markup.escape(true)}</b> → {markup.escape(predicted)} <span>{n}</span>",
            look="pill",
        )
        for n, true, predicted in pairs[:MOST_PAIRS]
    )
    pills = f'<h3>Most frequent confusions</h3><div class="ll-pills">{html}</div>'
    choice_grid.choice(pills, None, "inside_pairs", open_pair)


def scores_html(matrix: Confusion) -> str:
    """Precision, recall and F1 of each class."""
    rows = "".join(
        f'<tr><td>{markup.escape(s.name)}</td><td class="n">{s.samples:,}</td>'
        f'<td class="n">{_share(s.precision)}</td><td class="n">{_share(s.recall)}</td>'
        f'<td class="n">{_share(s.f1)}</td>{_iou(s, matrix)}</tr>'
        for s in matrix.scores
    )
    last = '<th class="n">F1</th>'
    if matrix.things != SAMPLES:
        last = '<th class="n">Dice (F1)</th><th class="n">IoU</th>'
    head = (
        f'<th class="n">{matrix.things}</th><th class="n">precision</th><th class="n">recall</th>'
    )
    return (
        f'<table class="ll-table"><tr><th>class</th>{head}{last}</tr>{rows}</table>'
        '<p class="ll-axis">Precision: the share of predictions of a class that are right. '
        f"Recall: the share of {matrix.things} of a class that are predicted right.</p>"
    )


def _iou(score: ClassScore, matrix: Confusion) -> str:
    """The cell of the intersection over union, where pixels are counted."""
    return "" if matrix.things == SAMPLES else f'<td class="n">{_share(score.iou)}</td>'


def _share(value: float | None) -> str:
    return '<span class="mute">none</span>' if value is None else f"{value:.1%}"
