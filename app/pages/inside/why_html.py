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
    "Row by row how much each place takes from each other; every row sums to 1, light is much.",
    "Not what the answer depends on: what is attended to may be thrown away by later layers, and "
    "other weights can give the same answer (Jain and Wallace, 2019).",
)
ROLLOUT = (
    "How far each place reaches each input place through all blocks: the product of their mean "
    "heads, half of each for the residual connection (Abnar and Zuidema, 2020).",
    "Not what the layers between do: it takes attention as all there is, heads as equal, and all "
    "blocks as one chain.",
)


def sentences(shows: str, hides: str) -> str:
    """What a method shows and what it does not."""
    explained_words = set[str]()
    shows, hides = (
        markup.with_terms(markup.escape(text), explained_words) for text in (shows, hides)
    )
    return (
        f'<dl class="ll-says"><div><dt>Shows</dt><dd class="ll-prose">{shows}</dd></div>'
        f'<div><dt>Does not show</dt><dd class="ll-prose">{hides}</dd></div></dl>'
    )


def beside(drawn: str, says: str) -> str:
    """What was found, and beside it, where there is room, what it shows and does not."""
    return f'<div class="ll-found"><div>{drawn}</div>{says}</div>'


def visible(text: str) -> str:
    """A token with its blanks and breaks to be seen."""
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
    """One number for each place of a sequence, also where a block has fewer of them."""
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
    return f"{found.node}, {size}" if found.node else f"its values, {size}"


def _legend(signed: bool) -> str:
    if signed:
        text = "Indigo speaks for the explained answer, orange against it; the stronger the more."
    else:
        text = "The lighter (over the sample: the stronger the indigo) the more it matters."
    return f'<p class="ll-axis">{text}</p>'


def shaded(labels: Sequence[str], values: Sequence[float], marked: int = -1) -> str:
    """Tokens on a ground as strong as their value; hovering tells the number."""
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
        '<table class="ll-table"><tr><th>column</th><th>how much it matters</th>'
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
    lines = [("The sample, step by step.", found.sample.row), ("How much each matters.", values)]
    return "".join(
        f"<figure>{svg_plots.line(steps, list(ys), words, ticks)}"
        f'<figcaption class="ll-axis">{words}</figcaption></figure>'
        for words, ys in lines
        if len(ys) == len(values) > 1
    )


def sanity(stages: Sequence[Any]) -> str:
    """How like the explanation stays as more and more of the network becomes random."""
    if not stages:
        return "<p>This network has no weights that could be made random.</p>"
    rows = "".join(
        f"<tr><td><code>{markup.escape(s.layer)}</code></td><td>{_bar(s.correlation)}</td>"
        f'<td class="n">{s.correlation:+.2f}</td></tr>'
        for s in stages
    )
    return (
        f"<h3>Sanity check</h3><p>{markup.escape(passed(stages[-1].correlation))}</p>"
        '<table class="ll-table"><tr><th>random from here to the last layer</th>'
        f'<th>like the explanation above</th><th class="n">rank correlation</th></tr>{rows}</table>'
    )


def attended(title: str, weights: Any) -> str:
    """Attention weights (L, S) as one picture: rows look, columns are looked at."""
    size = " x ".join(str(n) for n in weights.shape)
    words = f"{title}: {size}, each row is what one place looks at"
    png = heat(np.asarray(weights), False, WIDE)
    return f'<div class="ll-why wide">{markup.captioned_picture(png, words)}</div>'


def row(weights: Any, labels: Sequence[str], place: int, same: bool) -> str:
    """Where one place looks: shaded tokens, or numbered places."""
    values = np.asarray(weights).tolist()
    named = list(labels) if len(labels) == len(values) else [str(k) for k in range(len(values))]
    marked = place if same else -1
    strongest = max(range(len(values)), key=values.__getitem__)
    words = f"Place {place} looks most at place {strongest} ({values[strongest]:.1%})."
    words += " The framed one is itself." if same else ""
    return (
        f'<div class="ll-tokens">{shaded(named, values, marked)}</div>'
        f'<p class="ll-axis">{markup.escape(words)}</p>'
    )
