"""HTML of one opened sample: its picture, row or text, scores as bars, blocks and neighbours."""

import math

from app.pages.shared import markup, svg_plots
from core.insight.sample_detail import Cell, Head, Neighbour, SampleDetail, Token
from core.insight.thumbnails import Miss, Shot
from core.tasks.readout import VISIBLE, Score

MOST_SCORES, REACH = 10, 3.0


def of_miss(miss: Miss) -> str:
    """A sample as written by a run that is still training."""
    sample = miss.sample
    if sample.picture:
        return f"<div>{markup.picture(sample.picture, 'The sample')}</div>"
    values = sample.words or sample.values(len(sample.row))
    return f'<pre class="ll-text">{markup.escape(values)}</pre>'


def sample(detail: SampleDetail) -> str:
    """The sample itself: picture, columns of a row, or text."""
    shown = detail.miss.sample
    if shown.picture:
        return f'<div class="ll-sample">{markup.picture(shown.picture, "The sample")}</div>'
    if detail.cells:
        return f'<div class="ll-sample wide">{cells(detail.cells)}</div>'
    if detail.tokens:
        return f'<div class="ll-sample wide">{tokens(detail.tokens)}</div>'
    positions = [float(n) for n in range(1, len(shown.row) + 1)]
    if len(positions) < 2:
        return ""
    ticks = [(1.0, "1"), (positions[-1], f"{len(positions)} values")]
    drawn = svg_plots.line(positions, list(shown.row), "The sample, value by value.", ticks)
    return f'<div class="ll-sample wide">{drawn}</div>'


def cells(row: tuple[Cell, ...]) -> str:
    """The columns of a row with their distance from the mean, as a bar to either side."""
    lines = "".join(
        f'<tr><td>{markup.escape(cell.column)}</td><td class="n">{cell.value:.4g}</td>'
        f"<td>{_deviation(cell.deviation)}</td></tr>"
        for cell in row
    )
    return (
        '<table class="ll-table"><tr><th>column</th><th class="n">value</th>'
        f"<th>standard deviations from the mean</th></tr>{lines}</table>"
    )


def _deviation(far: float | None) -> str:
    if far is None or not math.isfinite(far):
        return '<span class="mute">constant</span>'
    share = min(abs(far) / REACH, 1.0) * 50
    start = 50 - share if far < 0 else 50
    odd = " odd" if abs(far) > 2 else ""
    return (
        f'<span class="ll-far{odd}"><i style="left:{start:.1f}%;width:{share:.1f}%"></i></span>'
        f'<span class="ll-far-n">{far:+.2f}</span>'
    )


def tokens(places: tuple[Token, ...]) -> str:
    """The tokens of a text, with predictions below those that are scored."""
    counted = [place for place in places if place.true]
    drawn = "".join(map(_token, places))
    wrong = sum(place.true != place.predicted for place in counted)
    words = (
        f"Top: text. Bottom: prediction, where one is scored. {wrong} of {len(counted)} are wrong: "
        "struck out, with the target after it."
        if counted
        else f"{len(places)} tokens."
    )
    return f'<div class="ll-tokens">{drawn}</div><div class="ll-axis">{words}</div>'


def _token(token: Token) -> str:
    above = f"<span>{_visible(token.text)}</span>"
    if not token.true:
        return f'<span class="ll-token">{above}</span>'
    if token.true == token.predicted:
        return f'<span class="ll-token">{above}<ins>{_visible(token.predicted)}</ins></span>'
    below = f"<del>{_visible(token.predicted)}</del><b>{_visible(token.true)}</b>"
    return f'<span class="ll-token wrong">{above}<span>{below}</span></span>'


def _visible(text: str) -> str:
    return markup.escape("".join(VISIBLE.get(letter, letter) for letter in text) or "\u00a0")


def heads(detail: SampleDetail, more: str = "") -> str:
    """Every loss term: target, prediction, loss, scores of all classes; `more` HTML after them."""
    several = len(detail.heads) > 1
    every = "".join(_head(head, several) for head in detail.heads)
    return f'<div class="ll-heads">{every}{more}</div>'


def _head(head: Head, named: bool) -> str:
    title = f"<h4>{markup.escape(head.name)}</h4>" if named else ""
    pairs = {"target": head.target, "prediction": head.predicted}
    pairs |= {"error": f"{head.error:+.3g}"} if head.error is not None else {}
    pairs |= {"loss": f"{head.loss:.4g}"} if head.loss is not None else {}
    figures = "".join(
        f"<div><b>{markup.escape(value)}</b><span>{name}</span></div>"
        for name, value in pairs.items()
        if value
    )
    drawn = "".join(
        markup.captioned_picture(png, words)
        for png, words in zip(head.pictures, ("prediction", "target"), strict=False)
    )
    pictures = f'<div class="ll-pair">{drawn}</div>' if drawn else ""
    return (
        f'<div class="ll-head">{title}<div class="ll-figures">{figures}</div>{pictures}'
        f"{_series(head)}{scores(head.scores)}</div>"
    )


def _series(head: Head) -> str:
    if head.lines is None:
        return ""
    true, predicted = head.lines
    if len(true) < 2:
        return ""
    positions = [float(n) for n in range(1, len(true) + 1)]
    ticks = [(1.0, "1"), (positions[-1], f"{len(true)} values")]
    words = "Line: prediction. Dotted: target."
    return svg_plots.line(positions, predicted, words, ticks, others=[true])


def scores(shown: tuple[Score, ...]) -> str:
    """Probabilities as bars, the largest of many; target and prediction say so in words."""
    kept = set(sorted(shown, key=lambda s: -s.probability)[:MOST_SCORES])
    rows = "".join(_score(s) for s in shown if s in kept or s.true)
    left = len(shown) - sum(s in kept or s.true for s in shown)
    more = f'<div class="ll-axis">{left} more classes are less probable.</div>' if left else ""
    return f'<div class="ll-bars marked">{rows}</div>{more}' if shown else ""


def _score(score: Score) -> str:
    words = ["target"] * score.true + ["prediction"] * score.predicted
    tags = "".join(f'<em class="{word}">{word}</em>' for word in words)
    look = " top" * bool(words) + " hatched" * (score.true and not score.predicted)
    probability = score.probability
    width = probability * 100 if math.isfinite(probability) else 0.0
    return (
        f'<span class="{look}">{markup.escape(score.name)}</span>'
        f'<span class="bar{look}"><i style="width:{width:.1f}%"></i></span>'
        f'<span class="{look}">{probability:.1%}</span><span class="tags">{tags}</span>'
    )


def block(shot: Shot) -> str:
    """The output of one block, small."""
    return (
        f"{markup.picture(shot.picture, f'Output of {shot.node}')}"
        f"<b>{markup.escape(shot.node)}</b>"
        f'<span class="small">{markup.escape(shot.block)} {markup.shape(shot.shape)}</span>'
        f'<span class="small">{_number(shot.low)} to {_number(shot.high)}</span>'
    )


def _number(value: float) -> str:
    return f"{value:.3g}" if math.isfinite(value) else "not finite"


def neighbours(near: list[Neighbour]) -> str:
    """Training samples with their distance."""
    cards = "".join(
        '<div class="ll-miss">'
        + (f'<div class="pictures">{markup.picture(n.picture, "")}</div>' if n.picture else "")
        + (f'<div class="words">{markup.escape(n.words)}</div>' if n.words else "")
        + f"<b>{markup.escape(n.answer)}</b>"
        + f'<div class="small">distance {n.distance:.3g}</div></div>'
        for n in near
    )
    return f'<div class="ll-misses near">{cards}</div>'
