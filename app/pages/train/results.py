"""Predictions and generated samples of a run on the Train page, epoch after epoch."""

import math
from collections.abc import Callable, Sequence
from pathlib import Path

import streamlit as st

from app.markdown import escape_markdown
from app.pages.shared import markup, state, svg_plots
from core.insight import samples
from core.insight.predictions import ClassPrediction, EmbeddingMap, PairPrediction, TextPrediction
from core.insight.samples import EpochSamples
from core.runs.listing import ALIVE, RunView
from core.tasks.readout import VISIBLE

LATEST = 0
EVERY_S = 1.0  # as the curves: they ask about as often
RECONSTRUCTION = ("input", "output", "target")
MASKS = ("input", "target", "prediction")
Rows = Sequence[Sequence[bytes]]


def show(view: RunView, alive: bool) -> None:
    """Draw predictions and samples, with a slider over epochs; a training run is followed."""
    if not alive and not samples.epochs(view.dir):
        return
    st.fragment(_draw, run_every=EVERY_S if alive else None)(view)


def _draw(view: RunView) -> None:
    epochs = samples.epochs(view.dir)
    if not epochs:
        return
    markup.style()
    best = best_epoch(view, epochs)
    with st.container(horizontal=True, vertical_alignment="center", key="made_head"):
        title = st.empty()
        chosen = _slider(view, epochs, best) if len(epochs) > 1 else LATEST
    epoch = chosen or epochs[-1]
    which = ", the best" if epoch == best else ""
    of = f" of {max(view.epochs, epoch)}" if view.state in ALIVE else ""
    title.subheader(f"After epoch {epoch}{of}{which}", width="content")
    if note := note_on_best(view, epochs):
        st.caption(note)
    epoch_samples = _read(str(view.dir), epoch, _stamp(view.dir, epoch))
    if epoch_samples is not None:
        _show_epoch(epoch_samples, epoch)


def best_epoch(view: RunView, epochs: Sequence[int]) -> int:
    """The epoch of the best checkpoint, which all pages use once a run has ended; 0 if unknown."""
    best = (view.best or {}).get("epoch")
    if view.state in ALIVE or not isinstance(best, int) or best not in epochs:
        return LATEST
    return best


def note_on_best(view: RunView, epochs: Sequence[int]) -> str:
    """Where the predictions of the best checkpoint are, if none were written after its epoch."""
    best = (view.best or {}).get("epoch")
    if view.state in ALIVE or not isinstance(best, int) or best in epochs:
        return ""
    return f"Look inside shows the predictions of the best checkpoint, after epoch {best}."


def _slider(view: RunView, epochs: Sequence[int], best: int) -> int:
    """The epoch to show: the latest while the run trains, then that of the best checkpoint."""
    options = [*epochs, LATEST] if view.state in ALIVE else epochs
    return st.select_slider(
        "Epoch",
        options,
        best or options[-1],
        format_func=lambda epoch: str(epoch) if epoch else "latest",
        key=_key(view, best),
        label_visibility="collapsed",
    )


def _key(view: RunView, best: int) -> str:
    return f"made:{view.name}:{view.state in ALIVE}:{best}"


def point_at(view: RunView) -> None:
    """Show the epoch at which the pointer rests on the curves, or the last before it."""
    pointed = state.event("run_view", "epoch")
    epochs = samples.epochs(view.dir)
    if isinstance(pointed, int) and len(epochs) > 1:
        near = max((epoch for epoch in epochs if epoch <= pointed), default=epochs[0])
        state.keep(_key(view, best_epoch(view, epochs)), near)


def _stamp(run_dir: Path, epoch: int) -> int:
    """A stamp that changes when a run writes the samples of an epoch again."""
    try:
        return samples.path_of(run_dir, epoch).stat().st_mtime_ns
    except FileNotFoundError:
        return 0


@st.cache_data(max_entries=64, show_spinner=False)
def _read(run_dir: str, epoch: int, stamp: int) -> EpochSamples | None:
    return samples.read_samples(Path(run_dir), epoch)


def _show_epoch(epoch_samples: EpochSamples, epoch: int) -> None:
    if epoch_samples.samples:
        with st.container(key="inside_made"):
            words = f"Generated samples after epoch {epoch}"
            st.image(epoch_samples.samples, alt=words, width="stretch")
        st.caption(f"{words}, from the same noise each time.")
    if epoch_samples.pairs:
        noisy = len(epoch_samples.pairs[0]) == 3
        _picture_cards(
            epoch_samples.pairs, RECONSTRUCTION, "ll-misses three" if noisy else "ll-misses", epoch
        )
        words = f"Outputs after epoch {epoch}"
        st.caption(
            f"{words}; the target is the picture without the noise."
            if noisy
            else f"{words}; the target is the input."
        )
    if epoch_samples.masks:
        _picture_cards(epoch_samples.masks, MASKS, "ll-misses three", epoch)
        st.caption(f"Predictions after epoch {epoch}; brighter means more confident.")
    _plots(epoch_samples, epoch)
    _predictions(epoch_samples, epoch)
    for begins, goes_on in epoch_samples.texts:
        st.html(
            f'<pre class="ll-text"><span>{markup.escape(begins)}</span>'
            f"{markup.escape(goes_on)}</pre>"
        )
    if epoch_samples.texts:
        words = f"Validation texts (pale), continued by the network after epoch {epoch}"
        st.caption(escape_markdown(f"{words}: each character sampled at temperature 0.8.", 200))


def _picture_cards(rows: Rows, words: tuple[str, ...], look: str, epoch: int) -> None:
    """A card for each sample: its pictures side by side."""
    cards = "".join(
        '<div class="ll-miss"><div class="pictures">'
        + "".join(map(markup.captioned_picture, row, words))
        + f"</div>{_foot([], epoch)}</div>"
        for row in rows
    )
    st.html(f'<div class="{look}">{cards}</div>')


def _plots(epoch_samples: EpochSamples, epoch: int) -> None:
    for number, (true, predicted) in enumerate(epoch_samples.lines, 1):
        positions = [float(n) for n in range(1, len(true) + 1)]
        words = f"Series {number}. Line: prediction. Dotted: target."
        ticks = [(1.0, "1"), (positions[-1], f"{len(true)} values")]
        st.html(svg_plots.line(positions, predicted, words, ticks, others=[true]))
    if epoch_samples.lines:
        st.caption(f"Line: prediction after epoch {epoch}. Dotted: target.")
    if epoch_samples.numbers and epoch_samples.numbers[0]:
        true, predicted = epoch_samples.numbers
        st.html(
            svg_plots.dots(
                true,
                predicted,
                f"Targets and predictions of {len(true)} samples.",
                epoch_samples.interval,
            )
        )
        st.caption(
            f"One dot for each of {len(true)} validation samples. Horizontal: target. "
            f"Vertical: prediction after epoch {epoch}. On the dashed line both are "
            f"equal.{_interval_words(epoch_samples)}"
        )


def _interval_words(epoch_samples: EpochSamples) -> str:
    """Explain the lines behind the dots, and count the intervals that contain the target."""
    if not epoch_samples.numbers or not epoch_samples.interval:
        return ""
    true, (low, high) = epoch_samples.numbers[0], epoch_samples.interval
    inside = sum(a <= x <= b for x, a, b in zip(true, low, high, strict=True))
    return (
        f" The line behind a dot is the predicted interval; {inside} of {len(true)} "
        "intervals contain the target: they cross the dashed line."
    )


PAIR = ("first of the pair", "second of the pair")


TRIPLET = ("anchor", "positive", "negative")


def _predictions(epoch_samples: EpochSamples, epoch: int) -> None:
    """Draw all predictions of the epoch."""
    if epoch_samples.answers:
        cards = "".join(answer_html(answer) for answer in epoch_samples.answers)
        st.html(f'<div class="ll-misses small">{cards}</div>')
        st.caption(f"The first validation samples, with predictions after epoch {epoch}.")
    if epoch_samples.matrix:
        st.html(markup.matrix_html(epoch_samples.matrix))
        right = f"{epoch_samples.matrix.accuracy:.1%} are correct (on the diagonal)."
        st.caption(f"All validation samples after epoch {epoch}: {right}")
    if epoch_samples.pair_predictions:
        _pairs(epoch_samples, epoch)
    if epoch_samples.embedding:
        _embeddings(epoch_samples.embedding, epoch)
    if epoch_samples.text_predictions:
        _texts(epoch_samples.text_predictions, epoch)


def answer_html(answer: ClassPrediction, epoch: int = 0) -> str:
    """One sample with its prediction after an epoch, correct or wrong."""
    shown = f'<div class="words">{markup.escape(answer.words)}</div>'
    if answer.picture:
        shown = f'<div class="pictures">{markup.picture(answer.picture, "a sample")}</div>'
    sure = [f"{answer.sure:.0%} sure"] if answer.sure is not None else []
    words = _predicted_and_true(answer.predicted, answer.true)
    return f'<div class="ll-miss">{shown}{words}{_foot(sure, epoch)}</div>'


def _foot(figures: Sequence[str], epoch: int) -> str:
    """The small line below a card: its figures, and after which epoch they were."""
    return _small(" · ".join([*figures, *([f"epoch\u00a0{epoch}"] if epoch else [])]))


def _predicted_and_true(predicted: str, true: str) -> str:
    if predicted == true:
        return f"<div>predicts <b>{markup.escape(predicted)}</b>, correct</div>"
    wrong = f'<span class="said">{markup.escape(predicted)}</span>'
    return f"<div>predicts {wrong}, target <b>{markup.escape(true)}</b></div>"


def _pairs(epoch_samples: EpochSamples, epoch: int) -> None:
    triplets = len(epoch_samples.pair_predictions[0].apart) == 2
    draw = triplet_html if triplets else pair_html
    pairs = epoch_samples.pair_predictions
    cards = "".join(draw(each, epoch_samples.similar, epoch) for each in pairs)
    st.html(f'<div class="ll-misses {"three" if triplets else "two"}">{cards}</div>')
    if triplets:
        words = "The positive has the anchor's class, the negative another: the embedding of the "
        words += f"positive should be nearer to the anchor's. Distances after epoch {epoch}."
    elif epoch_samples.similar:
        words = f"Pairs after epoch {epoch}, and the cosine similarity of their embeddings: above "
        words += f"{epoch_samples.limit:g} they count as the same class."
    else:
        words = f"Pairs after epoch {epoch}, and the distance of their embeddings: below "
        words += f"{epoch_samples.limit:g}, half the margin, they count as the same class."
    st.caption(escape_markdown(words, 300))


def pair_html(pair: PairPrediction, similar: bool, epoch: int = 0) -> str:
    """Two images side by side, their distance, prediction and target."""
    kind = "cosine" if similar else "distance"
    html = _pictures(pair, PAIR) + _predicted_and_true(pair.predicted, pair.true)
    return f'<div class="ll-miss">{html}{_foot([f"{kind} {_number(pair.apart[0])}"], epoch)}</div>'


def triplet_html(triplet: PairPrediction, _: bool = False, epoch: int = 0) -> str:
    """Three pictures, both distances, and whether the positive is nearer."""
    near, far = map(_number, triplet.apart)
    right = triplet.predicted == triplet.true
    word = "correct: the positive is nearer" if right else ""
    word = word or '<span class="said">wrong: the negative is nearer</span>'
    figures = _foot([f"positive at {near}", f"negative at {far}"], epoch)
    shown = _pictures(triplet, TRIPLET, markup.captioned_picture)
    return f'<div class="ll-miss">{shown}<div>{word}</div>{figures}</div>'


def _small(words: str) -> str:
    return f'<div class="small">{words}</div>' if words else ""


def _number(value: float) -> str:
    return f"{value:.2f}" if math.isfinite(value) else "not finite"


def _pictures(
    each: PairPrediction, words: tuple[str, ...], draw: Callable[[bytes, str], str] = markup.picture
) -> str:
    drawn = (draw(png, caption) for png, caption in zip(each.pictures, words, strict=False))
    return f'<div class="pictures">{"".join(drawn)}</div>' if each.pictures else ""


def _embeddings(embeddings: EmbeddingMap, epoch: int) -> None:
    many, own = f"{len(embeddings.xs)} validation samples", f"{embeddings.nearest:.0%}"
    first, second = embeddings.shares
    words = f"Embeddings of {many} along their first two principal components. The nearest other "
    words += f"embedding has the same class for {own} of them."
    st.html(
        svg_plots.places(embeddings.xs, embeddings.ys, embeddings.kinds, embeddings.classes, words)
    )
    signs = svg_plots.glyphs(embeddings.classes)
    if signs != list(embeddings.classes):
        st.html(legend_html(signs, embeddings.classes))
    st.caption(
        escape_markdown(
            f"Embeddings of {many} after epoch {epoch}. Horizontal: principal component 1 "
            f"({first:.0%} of the variance); vertical: component 2 ({second:.0%}). For {own} of "
            "the samples, the nearest other embedding has the same class (recall at 1).",
            400,
        )
    )


def legend_html(signs: list[str], names: tuple[str, ...]) -> str:
    """The sign and the name of every class."""
    each = "".join(
        f'<span><i style="background:{svg_plots.HUES[k % len(svg_plots.HUES)]}"></i>'
        f"<b>{markup.escape(sign)}</b> {markup.escape(name)}</span>"
        for k, (sign, name) in enumerate(zip(signs, names, strict=True))
    )
    return f'<div class="ll-legend">{each}</div>'


def _texts(written: tuple[TextPrediction, ...], epoch: int) -> None:
    if written[0].question:
        st.html(answers_html(written))
        st.caption(
            f"Texts generated after epoch {epoch}, each character from those generated "
            "before it. Wrong characters are struck through. The validation metrics use "
            "the correct previous characters instead."
        )
        return
    for text in written:
        st.html(f'<pre class="ll-text">{marked(text, True)}</pre>')
    wrong, all_ = sum(sum(t.wrong) for t in written), sum(sum(t.counted) for t in written)
    st.caption(
        f"Validation texts with masked characters, filled in after epoch {epoch}: "
        f"{all_ - wrong} of {all_} correct (marked). Wrong ones are struck through, with "
        "the target after them."
    )


def answers_html(written: tuple[TextPrediction, ...]) -> str:
    """A row for each: input text, predicted text, target text."""
    head = "".join(f'<th scope="col">{name}</th>' for name in ("input", "prediction", "target"))
    rows = "".join(
        f"<tr><td>{markup.escape(each.question)}</td><td><code>{marked(each)}</code></td>"
        f"<td><code>{markup.escape(each.true)}</code></td>"
        f'<td class="n">{_letters_right(each)}</td></tr>'
        for each in written
    )
    last = '<th class="n" scope="col">characters correct</th>'
    return f'<table class="ll-table ll-written"><tr>{head}{last}</tr>{rows}</table>'


def _letters_right(each: TextPrediction) -> str:
    whole, wrong = len(each.counted), sum(each.wrong)
    return f"{whole - wrong} of {whole}" if wrong else "all"


def marked(text: TextPrediction, mend: bool = False) -> str:
    """A predicted text, wrong characters struck through; mend: followed by the target."""
    pieces: list[str] = []
    for predicted, true, counted, wrong in zip(
        text.predicted, text.true, text.counted, text.wrong, strict=True
    ):
        if not counted or not wrong:
            shown = markup.escape(
                VISIBLE.get(predicted, predicted) if counted and mend else predicted
            )
            pieces.append(f"<mark>{shown}</mark>" if counted and mend else shown)
            continue
        pieces.append(f"<del>{markup.escape(VISIBLE.get(predicted, predicted))}</del>")
        pieces.append(f"<ins>{markup.escape(VISIBLE.get(true, true))}</ins>" if mend else "")
    return "".join(pieces)
