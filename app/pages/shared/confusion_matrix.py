"""A confusion matrix as an HTML table."""

from app.pages.shared import markup
from core.insight.confusion_scores import Confusion


def matrix_html(matrix: Confusion) -> str:
    """Rows are what is true, columns what the network says; darker is more of the row."""
    head = "".join(f'<th scope="col">{markup.text(name)}</th>' for name in matrix.classes)
    rows: list[str] = []
    for true, (name, counts) in enumerate(zip(matrix.classes, matrix.counts, strict=True)):
        whole = sum(counts) or 1
        cells = "".join(_cell(n, n / whole, k == true) for k, n in enumerate(counts))
        rows.append(f'<tr><th class="row" scope="row">{markup.text(name)}</th>{cells}</tr>')
    return (
        '<div style="overflow-x:auto"><div class="ll-axis">Rows: the true class. '
        "Columns: what the network says.</div>"
        f'<table class="ll-matrix"><tr><td></td>{head}</tr>{"".join(rows)}</table></div>'
    )


def _cell(count: int, share: float, right: bool) -> str:
    if not count:
        return '<td class="none">·</td>'
    tint = "104,100,217" if right else "214,110,30"
    # So pale that the page's own text, dark or light, can be read on the strongest of them.
    strength = 0.12 + 0.46 * share if right else 0.18 + 0.42 * min(1.0, share * 4)
    return f'<td style="background:rgba({tint},{strength:.2f})">{count}</td>'
