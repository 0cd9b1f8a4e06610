"""HTML of a profile: phases as one bar, blocks as a table of heat, a flame chart, memory."""

from collections.abc import Mapping
from typing import Any

from app.pages.inside.summary import kept_size, short, size
from app.pages.shared import markup, svg_plots
from core.insight.profiling import memory_over_time
from core.insight.profiling.cost import BlockCost, Profile, Span

NAMES = {
    "data": "data",
    "forward": "forward",
    "loss": "loss",
    "backward": "backward",
    "optimizer": "optimiser",
    "other": "other",
}
HELD = {
    "weights": "weights",
    "gradients": "gradients",
    "optimizer": "optimiser state",
    "kept": "kept for backward",
}
ROW_PX, LEAST_SHARE = 26, 0.0008


def phases(profile: Profile) -> str:
    """The phases of a step side by side; width is time."""
    total = profile.step_ms or 1.0
    shown = [(name, ms) for name, ms in profile.phases.items() if ms > 0]
    bars = "".join(
        f'<i class="{name}" style="flex-grow:{ms / total:.5f}" title="{NAMES[name]}: {ms:.3g} ms">'
        f"</i>"
        for name, ms in shown
    )
    words = "".join(
        f'<span><i class="{name}"></i>{NAMES[name]} {ms / total:.0%}</span>' for name, ms in shown
    )
    return f'<div class="ll-phases">{bars}</div><div class="ll-keys">{words}</div>'


def arithmetic(table: Mapping[str, Any]) -> str:
    """A row for each block of a summary: its mult-adds as a bar, and its share of them all."""
    leaves = [row for row in table["rows"] if not row["children"]]
    total = sum(row["mult_adds"] for row in leaves) or 1
    most = max((row["mult_adds"] for row in leaves), default=0) or 1
    rows = "".join(
        f"<tr><td><code>{markup.escape(row['id'])}</code></td>"
        f"<td>{markup.escape(row['block'])}</td>"
        f'<td><span class="ll-heat"><i class="forward" style="width:'
        f'{100 * row["mult_adds"] / most:.1f}%"></i></span></td>'
        f'<td class="n">{short(row["mult_adds"])}</td>'
        f'<td class="n">{row["mult_adds"] / total:.0%}</td></tr>'
        for row in leaves
    )
    return (
        "<h3>Before measuring: arithmetic by block</h3>"
        '<table class="ll-table"><tr><th>block</th><th>kind</th><th class="ll-of">compared</th>'
        f'<th class="n">mult-adds</th><th class="n">share</th></tr>{rows}</table>'
    )


def blocks(profile: Profile) -> str:
    """A row for each block: forward and backward as bars on one scale, bytes kept."""
    leaves = [b for b in profile.blocks if b.depth == 1] or list(profile.blocks)
    most = max((b.forward_ms + b.backward_ms for b in leaves), default=0.0) or 1.0
    rows = "".join(_block(block, most, profile.step_ms or 1.0) for block in profile.blocks)
    return (
        "<h3>Time and memory by block</h3>"
        '<table class="ll-table"><tr><th>block</th><th>kind</th><th class="ll-of">forward, '
        'backward</th><th class="n">forward</th><th class="n">backward</th>'
        f'<th class="n">share of step</th><th class="n">kept for backward</th></tr>{rows}</table>'
    )


def _block(block: BlockCost, most: float, step: float) -> str:
    name, both = block.path.rpartition(".")[2], block.forward_ms + block.backward_ms
    bars = "".join(
        f'<i class="{kind}" style="width:{100 * ms / most:.1f}%"></i>'
        for kind, ms in (("forward", block.forward_ms), ("backward", block.backward_ms))
    )
    return (
        f'<tr><td style="padding-left:{18 * (block.depth - 1)}px"><code>{markup.escape(name)}'
        f"</code></td><td>{markup.escape(block.block)}</td>"
        f'<td><span class="ll-heat">{bars}</span></td>'
        f'<td class="n">{block.forward_ms:.3f} ms</td><td class="n">{block.backward_ms:.3f} ms</td>'
        f'<td class="n">{both / step:.1%}</td><td class="n">{size(block.kept)}</td></tr>'
    )


def flame(profile: Profile) -> str:
    """The last step from left to right, parts below their block; hovering names each piece."""
    if not profile.spans:
        return ""
    total = max(span.start_ms + span.length_ms for span in profile.spans)
    drawn = [span for span in profile.spans if span.length_ms >= LEAST_SHARE * total]
    depth = 1 + max(span.depth for span in drawn)
    pieces = "".join(_piece(span, total) for span in drawn)
    words = f"One step of {total:.3g} ms, left to right; the parts of a block are below it."
    return (
        f'<h3>One step</h3><div class="ll-flame" role="img" aria-label="{words}" '
        f'style="height:{depth * ROW_PX}px">{pieces}</div><p class="ll-axis">{words} '
        "Hover to see names and times.</p>"
    )


def _piece(span: Span, total: float) -> str:
    share = span.length_ms / total
    name = markup.escape(span.name)
    return (
        f'<i class="{span.kind}" title="{name}, {NAMES[span.kind]}: {span.length_ms:.3g} ms" '
        f'style="left:{100 * span.start_ms / total:.2f}%;width:{100 * share:.2f}%;'
        f'top:{span.depth * ROW_PX}px">{name if share > 0.04 else ""}</i>'
    )


def memory(profile: Profile, predicted: Mapping[str, int | None]) -> str:
    """Bytes by what they hold, as the summary predicts and as measured."""
    rows = "".join(
        f'<tr><td>{words}</td><td class="n">{kept_size(predicted[name])}</td>'
        f'<td class="n">{size(profile.memory[name])}</td></tr>'
        for name, words in HELD.items()
    )
    return (
        "<h3>Memory of training</h3>"
        '<table class="ll-table"><tr><th>memory for</th><th class="n">predicted</th>'
        f'<th class="n">measured</th></tr>{rows}</table><p class="ll-axis">The '
        "measured values include the losses; the predicted values do not.</p>"
    )


def over_time(profile: Profile, predicted: Mapping[str, int | None]) -> str:
    """Bytes held within a step as it goes on: measured, and predicted for each phase."""
    if len(profile.over_time) < 3:
        return ""
    points = memory_over_time.measured(profile)
    levels = memory_over_time.predicted(profile, predicted)
    xs, ys = [at for at, _ in points], [held / 1e6 for _, held in points]
    words = f"Measured during one step: at most {size(max(held for _, held in points))}."
    if levels:
        foreseen = size(max(held for *_, held in levels))
        words += f" Predicted for each phase (dotted): at most {foreseen}."
    steps = [(x, level / 1e6) for _, start, end, level in levels for x in (start, end)]
    ticks = [(0.0, "0 ms"), (xs[-1], f"{xs[-1]:.3g} ms")]
    line = svg_plots.line(xs, ys, words, ticks, paths=[steps] if steps else ())
    more = "The prediction leaves out the temporary memory of running operations."
    return f'<h3>Memory within a step, MB</h3>{line}<p class="ll-axis">{words} {more}</p>'
