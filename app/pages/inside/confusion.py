"""The confusion matrix, whose cells lead to the mistakes they count, and the scores of classes."""

import streamlit as st

from app.pages.inside import certainty, choice_grid, mistakes, tabs
from app.pages.inside.inspection import Inspection
from app.pages.shared import markup
from core.insight.confusion_scores import Confusion

MOST_PAIRS, MOST_CELLS = 8, 2500


def show(inspection: Inspection) -> None:
    """Draw the matrix with its numbers, the commonest confusions, and the scores of each class."""
    matrix = inspection.confusion()
    if matrix is None:
        soon = "It appears after the first epoch." if inspection.alive else _why(inspection)
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
    certainty.show(inspection)


def _why(inspection: Inspection) -> str:
    task = inspection.overview["task"]
    return f"This network does not predict a class ({task}): see Mistakes for its largest errors."


def _matrix(inspection: Inspection, matrix: Confusion) -> None:
    opens = not inspection.alive and len(matrix.classes) ** 2 <= MOST_CELLS
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
    if not pairs or inspection.alive:
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
        f'<td class="n">{_share(s.f1)}</td></tr>'
        for s in matrix.scores
    )
    head = '<th class="n">samples</th><th class="n">precision</th><th class="n">recall</th>'
    return (
        f'<table class="ll-table"><tr><th>class</th>{head}<th class="n">F1</th></tr>{rows}</table>'
        '<p class="ll-axis">Precision: the share of predictions of a class that are right. '
        "Recall: the share of samples of a class that are predicted right.</p>"
    )


def _share(value: float | None) -> str:
    return '<span class="mute">none</span>' if value is None else f"{value:.1%}"
