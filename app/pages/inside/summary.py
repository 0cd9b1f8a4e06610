"""Summary: output shape, parameters, mult-adds and memory of every block."""

from typing import Any

import streamlit as st

from app.markdown import escape_markdown
from app.pages.inside.inspection import Inspection, ask
from app.pages.shared import markup
from app.services.calls import network

UNITS = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))


def show(inspection: Inspection) -> None:
    """Draw totals and table for a batch."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        batch = st.number_input("Batch", 1, 65536, 1, key="inside:batch", width=140)
        st.space("stretch")
        table = ask(network.table, inspection.ref, int(batch))
        st.download_button(
            "Download as text", table["text"], "summary.txt", icon=":material/download:"
        )
    memory = table["memory"]
    frozen = table["total_params"] - table["trainable_params"]
    markup.figures(
        {
            "parameters": f"{table['total_params']:,}",
            "frozen": f"{frozen:,}",
            "mult-adds": short(table["mult_adds"]),
            "weights": size(memory["parameters_bytes"]),
            "gradients": size(memory["gradients_bytes"]),
            "optimiser": size(memory["optimizer_bytes"]),
            "activations": size(memory["activations_bytes"]),
            "kept for backward": kept_size(memory["kept_for_backward_bytes"]),
        }
    )
    st.html(table_html(table))
    st.caption(counted(table))


def counted(table: dict[str, Any]) -> str:
    """Explain how each figure is counted, and where torchinfo's differs."""
    text = (
        "Mult-adds are counted by torch: matrix products and convolutions; biases and everything"
        " else count as 0. Parameters are counted as in torchinfo. Activations are the outputs of"
        " all blocks; kept for backward is the memory that autograd holds during training, on a"
        " CPU."
    )
    if table["torchinfo_mult_adds"] != table["mult_adds"]:
        text += (
            f" torchinfo 1.8 shows {short(table['torchinfo_mult_adds'])} mult-adds: it adds biases"
            " and normalisation, counts Linear once per sample, and leaves out attention products."
        )
    if table["uncounted"]:
        text += f" torch cannot count these: {escape_markdown(', '.join(table['uncounted']), 200)}."
    return text


def short(count: float) -> str:
    """Write a count with three figures and its unit: 417 k."""
    for unit, name in UNITS:
        if count >= unit:
            return f"{count / unit:.3g} {name}"
    return f"{count:,}"


def size(count: float) -> str:
    """Write bytes with three figures: 247 kB."""
    return f"{short(count)}B" if count >= 1000 else f"{count:,} B"


def kept_size(count: int | None) -> str:
    """Write the bytes that autograd keeps; None if unknown."""
    return "unknown" if count is None else size(count)


def table_html(table: dict[str, Any]) -> str:
    """The rows as HTML; composites are bold, what is inside them is moved in."""
    most = max((row["params"] for row in table["rows"] if not row["children"]), default=0) or 1
    rows = "".join(_row(row, most) for row in table["rows"])
    return (
        '<table class="ll-table"><tr><th>block</th><th>kind</th><th>output</th>'
        '<th class="n">parameters</th><th class="ll-of">compared</th>'
        f'<th class="n">mult-adds</th><th class="n">kept for backward</th></tr>{rows}</table>'
    )


def _row(row: dict[str, Any], most: int) -> str:
    name = row["id"].rpartition(".")[2]
    group = ' class="group"' if row["children"] else ""
    sizes = ", ".join("?" if d is None else str(d) for d in row["output_shape"])
    share = "" if row["children"] or not row["params"] else _share(row["params"] / most)
    return (
        f'<tr{group}><td style="padding-left:{18 * (row["depth"] - 1)}px">'
        f"<code>{markup.escape(name)}</code></td><td>{markup.escape(row['block'])}</td>"
        f'<td class="ll-shape">({sizes})</td><td class="n">{_number(row["params"])}</td>'
        f'<td>{share}</td><td class="n">{_number(row["mult_adds"])}</td>'
        f'<td class="n">{kept_size(row["kept_for_backward_bytes"])}</td></tr>'
    )


def _share(share: float) -> str:
    return f'<span class="ll-share"><i style="width:{max(share, 0.02) * 100:.0f}%"></i></span>'


def _number(count: int) -> str:
    return f"{count:,}" if count else '<span class="mute">0</span>'
