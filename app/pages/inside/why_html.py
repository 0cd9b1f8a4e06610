"""HTML of explanations: pictures beside the sample, shaded tokens, columns as bars."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from app.pages.shared import markup, svg_plots
from core.insight.attribution.methods import passed
from core.insight.attribution.pictures import heat, resized
from core.insight.attribution.results import Explained
from core.tasks.readout import VISIBLE

WIDE = 460
FOR, AGAINST = "104, 100, 217", "214, 110, 30"
MOST_ROWS = 40
NOTHING = "\u00a0"
HEADS = (
    "How much each position (row) attends to every position; rows sum to 1, lighter is more.",
    "Not what the prediction depends on: later layers may ignore what is attended to, and other "
    "weights can give the same prediction (Jain and Wallace, 2019).",
)
ROLLOUT = (
    "How much each position takes from each input position through all blocks: the product of "
    "their mean heads, each averaged with the residual connection (Abnar and Zuidema, 2020).",
    "Not what the other layers do: it assumes that only attention matters, that all heads count "
    "equally, and that the blocks form one chain.",
)


def sentences(shows: str, hides: str) -> str:
    """Two sentences: meaning and limits of a method."""
    explained_words = set[str]()
    shows, hides = (
        markup.with_terms(markup.escape(text), explained_words) for text in (shows, hides)
    )
    return (
        f'<dl class="ll-says"><div><dt>Shows</dt><dd class="ll-prose">{shows}</dd></div>'
        f'<div><dt>Does not show</dt><dd class="ll-prose">{hides}</dd></div></dl>'
    )


def beside(drawn: str, says: str) -> str:
    """The explanation, and beside it, if there is room, its meaning and limits."""
    return f'<div class="ll-found"><div>{drawn}</div>{says}</div>'


def visible(text: str) -> str:
    """A token with visible spaces and line breaks."""
    return "".join(VISIBLE.get(letter, letter) for letter in text)


def explanation(found: Explained, signed: bool) -> str:
    """The values as a picture beside the sample, over its tokens, or as a bar for each column."""
    if found.picture:
        return _pictures(found, signed)
    values = _spread(found)
    if found.labels and found.sample.words:
        return f'<div class="ll-tokens">{shaded(found.labels, values)}</div>{_legend(signed)}'
    if found.labels and len(found.labels) == len(values):
        return _columns(found.labels, values) + _legend(signed)
    return _series(found, values) + _legend(signed)


def _spread(found: Explained) -> list[float]:
    """One number for each position of a sequence, resized if the block has fewer."""
    places = len(found.labels) or len(found.sample.row or ())
    if not found.node or places < 2 or found.values.ndim != 1:
        return found.values.reshape(-1).tolist()
    return resized(found.values[None], 1, places)[0].tolist()


def _pictures(found: Explained, signed: bool) -> str:
    shown = [(found.sample.picture, "the sample"), (found.picture, _named(found))]
    shown += [(found.overlay, "over the sample")] if found.overlay else []
    drawn = "".join(markup.captioned_picture(png, words) for png, words in shown if png)
    return f'<div class="ll-why">{drawn}</div>{_legend(signed)}'


def _named(found: Explained) -> str:
    size = " x ".join(str(n) for n in found.values.shape[-2:])
    return f"{found.node}, {size}" if found.node else f"values, {size}"


def _legend(signed: bool) -> str:
    if signed:
        text = "Indigo raises the explained score, orange lowers it; a stronger colour means more."
    else:
        text = "Lighter means more important; over the sample, stronger indigo does."
    return f'<p class="ll-axis">{text}</p>'


def shaded(labels: Sequence[str], values: Sequence[float], marked: int = -1) -> str:
    """Tokens shaded by their value; hovering shows the number."""
    most = max((abs(v) for v in values), default=0.0) or 1.0
    return "".join(
        f'<span class="ll-token{" wrong" if k == marked else ""}" '
        f'title="{k}: {value:.4g}" style="background:rgba({FOR if value >= 0 else AGAINST},'
        f'{0.5 * abs(value) / most:.2f})">{markup.escape(visible(label) or NOTHING)}</span>'
        for k, (label, value) in enumerate(zip(labels, values, strict=True))
    )


def _columns(labels: Sequence[str], values: Sequence[float]) -> str:
    """A bar for each column, the strongest first."""
    most = max((abs(v) for v in values), default=0.0) or 1.0
    order = sorted(range(len(values)), key=lambda k: -abs(values[k]))[:MOST_ROWS]
    rows = "".join(
        f"<tr><td>{markup.escape(labels[k])}</td><td>{_bar(values[k] / most)}</td>"
        f'<td class="n">{values[k]:+.4g}</td></tr>'
        for k in order
    )
    return (
        '<table class="ll-table"><tr><th>column</th><th>importance</th>'
        f'<th class="n">value</th></tr>{rows}</table>'
    )


def _bar(share: float) -> str:
    start, width = (50 + 50 * min(share, 0), 50 * abs(share))
    odd = " odd" if share < 0 else ""
    style = f"left:{start:.1f}%;width:{width:.1f}%"
    return f'<span class="ll-far wide{odd}"><i style="{style}"></i></span>'


def _series(found: Explained, values: Sequence[float]) -> str:
    """Sample and explanation one above the other, step by step."""
    steps = [float(k) for k in range(len(values))]
    ticks = [(0.0, "0"), (steps[-1], f"{len(values) - 1}")]
    lines = [("The sample, step by step.", found.sample.row), ("Importance of each step.", values)]
    return "".join(
        f"<figure>{svg_plots.line(steps, list(ys), words, ticks)}"
        f'<figcaption class="ll-axis">{words}</figcaption></figure>'
        for words, ys in lines
        if len(ys) == len(values) > 1
    )


def sanity(stages: Sequence[Any]) -> str:
    """Similarity to the explanation as more and more of the network becomes random."""
    if not stages:
        return "<p>This network has no weights to randomise.</p>"
    rows = "".join(
        f"<tr><td><code>{markup.escape(s.layer)}</code></td><td>{_bar(s.correlation)}</td>"
        f'<td class="n">{s.correlation:+.2f}</td></tr>'
        for s in stages
    )
    return (
        f"<h3>Sanity check</h3><p>{markup.escape(passed(stages[-1].correlation))}</p>"
        '<table class="ll-table"><tr><th>random from this layer to the last</th>'
        '<th>similarity to the explanation</th><th class="n">rank correlation</th></tr>'
        f"{rows}</table>"
    )


def attended(title: str, weights: Any) -> str:
    """Attention weights (L, S) as one picture: rows attend to columns."""
    size = " x ".join(str(n) for n in weights.shape)
    words = f"{title}: {size}, each row shows what one position attends to"
    png = heat(np.asarray(weights), False, WIDE)
    return f'<div class="ll-why wide">{markup.captioned_picture(png, words)}</div>'


def row(weights: Any, labels: Sequence[str], place: int, same: bool) -> str:
    """Attention from one position: shaded tokens, or numbered positions."""
    values = np.asarray(weights).tolist()
    named = list(labels) if len(labels) == len(values) else [str(k) for k in range(len(values))]
    marked = place if same else -1
    strongest = max(range(len(values)), key=values.__getitem__)
    words = f"Position {place} attends most to position {strongest} ({values[strongest]:.1%})."
    words += " The framed token is this position." if same else ""
    return (
        f'<div class="ll-tokens">{shaded(named, values, marked)}</div>'
        f'<p class="ll-axis">{markup.escape(words)}</p>'
    )
