"""Rows in words, for the command and the page. Imports no torch."""

from core.tasks.metric_labels import shown
from core.wings.shrink.block_sensitivity import BlockSensitivity, Sensitivity
from core.wings.shrink.rows import MADE, Row, relative

HEADER = ("try", "bytes", "metric", "1 sample", "64 samples", "memory", "difference", "changed")


def cells(row: Row) -> tuple[str, ...]:
    """A row that was made, as the cells of a table."""
    return (
        row.name,
        f"{row.size_bytes:,}",
        metric(row),
        time(row, "1"),
        time(row, "64"),
        size(row.peak_bytes),
        "" if row.difference is None else f"{row.difference:.1e}",
        "" if row.changed is None else f"{row.changed:.1%}",
    )


def sentence(row: Row) -> str:
    """A row in a line, as it is made."""
    if row.state != MADE:
        return f"{row.name}: {row.reason} {row.hint}".strip()
    parts = [size(row.size_bytes), metric(row), f"{time(row, '64')} for 64 samples"]
    return f"{row.name}: {', '.join(part for part in parts if part)}"


SENSITIVITY_HEADER = ("block", "kind", "weights", "8 bits", "changed", "half pruned", "changed ")


def sensitivity_cells(sensitivity: Sensitivity, block: BlockSensitivity) -> tuple[str, ...]:
    """A block's sensitivity as cells of a table: the metric, and the share of changed classes."""
    cells = [block.path, block.block, f"{block.weights:,}"]
    for value, changed in ((block.int8, block.int8_changed), (block.half, block.half_changed)):
        cells += [shown(sensitivity.metric, value), "" if changed is None else f"{changed:.1%}"]
    return tuple(cells)


def metric(row: Row) -> str:
    """The value of the metric, in per cent where it is a share; "" where there is no data."""
    return "" if row.value is None else shown(row.metric, row.value)


def time(row: Row, batch: str) -> str:
    """The time of a batch, and beside the network's own; "" where it was not measured."""
    times = relative(row, batch)
    return f"{row.latency_ms[batch]:.2g} ms ({times:.2f}x)" if times else ""


def size(count: int | None) -> str:
    """Bytes in the units that they fill."""
    if count is None:
        return ""
    for unit, least in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= least:
            return f"{count / least:.3g} {unit}"
    return f"{count} bytes"
