"""Training curves as a static SVG file: loss and accuracy by epoch, no plotting library."""

import math
from collections.abc import Mapping, Sequence
from html import escape

from core.tasks.metric_labels import Aims, quantity, short, shown

WIDTH, HEIGHT, GAP = 420, 260, 60
LEFT, TOP, BOTTOM = 56, 44, 40
LONG = 20  # characters of a title that stands beside the legend
SHARED = """
  text { font: 12px system-ui, -apple-system, 'Segoe UI', sans-serif; fill: #5a5c6e;
         font-variant-numeric: tabular-nums }
  .title { font-size: 14px; font-weight: 600; fill: #1e1f2b }
  .grid { stroke: #e1e2eb; stroke-width: 1 }
  .line { fill: none; stroke-width: 2; stroke-linejoin: round }
  .train { stroke: #9a9cab } .val { stroke: #5b5bd6 }
  rect.paper { fill: #fdfdfe }"""
DARK = """
    text { fill: #a9abbd } .title { fill: #ecedf5 } .grid { stroke: #32343f }
    .train { stroke: #8b8da0 } .val { stroke: #8c8af0 } rect.paper { fill: #14151c }"""
STYLES = {
    "light": SHARED,
    "dark": SHARED + DARK,
    "auto": f"\n  :root {{ color-scheme: light dark }}{SHARED}\n"
    f"  @media (prefers-color-scheme: dark) {{{DARK}\n  }}",
}
"""auto: as the reader's system has it."""

Series = Mapping[str, Sequence[float | None]]


def draw(
    epochs: Sequence[int], metrics: Series, ground: str = "auto", aims: Aims | None = None
) -> str:
    """Draw one panel per metric that has a `train_` and a `val_` series, side by side.

    ground: "light", "dark" or "auto". aims: words in the names of metrics.
    """
    names = [name[4:] for name in metrics if name.startswith("val_")]
    panels = [
        panel(name, epochs, metrics.get(f"train_{name}", ()), metrics[f"val_{name}"], (index, aims))
        for index, name in enumerate(names)
    ]
    width = LEFT + len(names) * (WIDTH + GAP)
    height = TOP + HEIGHT + BOTTOM
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'role="img" aria-label="Training curves">',
            f"<style>{STYLES[ground]}</style>",
            f'<rect class="paper" width="{width}" height="{height}"/>',
            *panels,
            "</svg>\n",
        ]
    )


def panel(
    name: str,
    epochs: Sequence[int],
    train: Sequence[float | None],
    val: Sequence[float | None],
    place: tuple[int, Aims | None] = (0, None),
) -> str:
    """Draw one metric: grid with labels, both lines, and what their last values are.

    place: its number from the left, and words in its name.
    """
    known = [v for v in (*train, *val) if v is not None and math.isfinite(v)]
    ticks = steps(min(known, default=0.0), max(known, default=1.0))
    parts = [f'<g transform="translate({LEFT + place[0] * (WIDTH + GAP)} {TOP})">']
    title = quantity(name, place[1])
    above = 12 if len(title) > LONG else 0  # a long one has a line of its own
    parts.append(f'<text class="title" x="0" y="{-20 - above}">{escape(title)}</text>')
    for tick in ticks:
        y = height_of(tick, ticks)
        parts.append(f'<line class="grid" x1="0" x2="{WIDTH}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text x="-8" y="{y + 4:.1f}" text-anchor="end">{short(name, tick)}</text>')
    for epoch in sorted({epochs[0], epochs[len(epochs) // 2], epochs[-1]} if epochs else ()):
        x = place_of(epoch, epochs)
        parts.append(f'<text x="{x:.1f}" y="{HEIGHT + 20}" text-anchor="middle">{epoch}</text>')
    for kind, values in (("train", train), ("val", val)):
        parts.append(f'<path class="line {kind}" d="{path(epochs, values, ticks)}"/>')
    words = legend(name, train, val)
    parts += [f'<g transform="translate(0 {above})">', *words, "</g>"] if above else words
    parts.append("</g>")
    return "\n".join(parts)


def legend(name: str, train: Sequence[float | None], val: Sequence[float | None]) -> list[str]:
    """Name both lines with their last value, at the right of the title."""
    elements: list[str] = []
    for x, kind, word, values in (
        (170, "train", "training", train),
        (300, "val", "validation", val),
    ):
        known = values and values[-1] is not None
        last = f" {shown(name, values[-1], digits=3)}" if known else ""
        elements.append(f'<path class="line {kind}" d="M{x} -24h16"/>')
        elements.append(f'<text x="{x + 22}" y="-20">{word}{last}</text>')
    return elements


def path(epochs: Sequence[int], values: Sequence[float | None], ticks: Sequence[float]) -> str:
    """Write the line through the finite values; a missing one leaves a gap."""
    words: list[str] = []
    pen = "M"
    for epoch, value in zip(epochs, values, strict=False):
        if value is None or not math.isfinite(value):
            pen = "M"
            continue
        words.append(f"{pen}{place_of(epoch, epochs):.1f} {height_of(value, ticks):.1f}")
        pen = "L"
    return " ".join(words)


def place_of(epoch: int, epochs: Sequence[int]) -> float:
    """The x of an epoch, in pixels."""
    span = epochs[-1] - epochs[0]
    return (epoch - epochs[0]) / span * WIDTH if span else WIDTH / 2


def height_of(value: float, ticks: Sequence[float]) -> float:
    """The y of a value, in pixels from the top."""
    return HEIGHT * (1 - (value - ticks[0]) / (ticks[-1] - ticks[0]))


def steps(low: float, high: float, count: int = 4) -> list[float]:
    """Choose round numbers that reach from at most `low` to at least `high`."""
    span = high - low or abs(high) or 1.0
    power = 10 ** math.floor(math.log10(span / count))
    step = next(m * power for m in (1, 2, 2.5, 5, 10) if span / (m * power) <= count)
    first, last = math.floor(low / step), math.ceil(high / step)
    return [round(i * step, 12) for i in range(first, max(last, first + 1) + 1)]
