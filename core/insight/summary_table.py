"""The summary as text, in torchinfo's layout."""

import math

from core.insight.summary import Summary, SummaryRow

COLUMN = 25
NAME = 40


def write_table(summary: Summary) -> str:
    """Write the torchinfo-style table.

    Nodes without a module (a sum, a flatten) have a row, but no number in torchinfo's counting.
    """
    titles = _titles(summary)
    width = _name_width([title for title, _ in titles], [r.depth for r in summary.rows])
    divider = "=" * (3 * COLUMN + width)
    lines = [divider, _line("Layer (type (var_name):depth-idx)", _HEADER, width), divider]
    lines.append(_line(summary.name, [_shape(summary.output_shape), "--", "--"], width))
    for row, (title, _) in zip(summary.rows, titles, strict=True):
        lines.append(_line(_branch(row.depth) + title, _cells(row), width))
    return "\n".join([*lines, divider, *_totals(summary, divider)])


_HEADER = ["Output Shape", "Param #", "Mult-Adds"]


def _titles(summary: Summary) -> list[tuple[str, int]]:
    counts: dict[int, int] = {}
    titles: list[tuple[str, int]] = []
    for row in summary.rows:
        name = f"{row.block} ({row.id.rpartition('.')[2]})"
        if row.init or row.children:
            counts[row.depth] = counts.get(row.depth, 0) + 1
            name += f": {row.depth}-{counts[row.depth]}"
        titles.append((name, row.depth))
    return titles


def _name_width(titles: list[str], depths: list[int]) -> int:
    longest = max((len(t) + 5 * d + 1 for t, d in zip(titles, depths, strict=True)), default=0)
    return math.ceil(longest / 5) * 5 if longest >= NAME else NAME


def _branch(depth: int) -> str:
    return "├─" if depth == 1 else "│    " * (depth - 1) + "└─"


def _line(name: str, cells: list[str], width: int) -> str:
    return " ".join([f"{name:<{width}}", *(f"{cell:<{COLUMN}}" for cell in cells)]).rstrip()


def _shape(shape: tuple[int | None, ...]) -> str:
    return "[" + ", ".join("?" if d is None else str(d) for d in shape) + "]" if shape else "--"


def _cells(row: SummaryRow) -> list[str]:
    params = f"{row.params:,}" if row.params and not row.children else "--"
    if params != "--" and not row.trainable_params:
        params = f"({params})"
    mult_adds = f"{row.mult_adds:,}" if row.mult_adds and not row.children else "--"
    return [_shape(row.output_shape), params, mult_adds]


def _totals(summary: Summary, divider: str) -> list[str]:
    sizes = summary.sizes
    return [
        f"Total params: {summary.total_params:,}",
        f"Trainable params: {summary.trainable_params:,}",
        f"Non-trainable params: {summary.total_params - summary.trainable_params:,}",
        f"Total mult-adds{readable(summary.mult_adds)}",
        *_remarks(summary),
        divider,
        f"Input size (MB): {sizes.input / 1e6:0.2f}",
        f"Forward/backward pass size (MB): {sizes.forward_backward / 1e6:0.2f}",
        f"Params size (MB): {sizes.params / 1e6:0.2f}",
        f"Estimated Total Size (MB): {sizes.total / 1e6:0.2f}",
        *_kept(summary),
        divider,
    ]


def _remarks(summary: Summary) -> list[str]:
    """Remarks: torchinfo's figure where it differs, and operations that are not counted."""
    lines: list[str] = []
    if summary.torchinfo_mult_adds != summary.mult_adds:
        lines.append(
            f"Total mult-adds as torchinfo 1.8 counts{readable(summary.torchinfo_mult_adds)}"
            " (with biases, which are left out above; Linear once a sample; no attention products)"
        )
    if summary.uncounted:
        lines.append(f"Not counted, as torch's counter cannot: {', '.join(summary.uncounted)}")
    return lines


def _kept(summary: Summary) -> list[str]:
    kept = summary.memory.kept_for_backward_bytes
    if kept is None:
        return []
    return [f"Kept for backward (MB): {kept / 1e6:0.2f} (by autograd in training; not torchinfo's)"]


UNITS = (("T", 1e12), ("G", 1e9), ("M", 1e6), ("k", 1e3))


def readable(count: int) -> str:
    """Write a count in a unit that fits it: " (k): 416.52", " (G): 4.09"; below 1,000 without."""
    unit, size = next((pair for pair in UNITS if count >= pair[1]), ("", 1.0))
    value = count / size
    text = f"{int(value):,}" if value.is_integer() else f"{value:,.2f}"
    return f" ({unit}): {text}" if unit else f": {text}"
