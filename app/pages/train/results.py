"""Predictions and generated samples of a run on the Train page, epoch after epoch."""

import math
from collections.abc import Callable, Sequence

import streamlit as st

from app.markdown import escape_markdown
from app.pages.shared import markup, svg_plots
from core.insight import samples
from core.insight.predictions import Alike, Answer, Places, Written
from core.insight.samples import Made
from core.runs.listing import RunView

NEWEST = 0
EVERY_S = 3.0
RECONSTRUCTION = ("goes in", "comes out", "is right")
MASKS = ("goes in", "is right", "network says")
Rows = Sequence[Sequence[bytes]]


def show(view: RunView, alive: bool) -> None:
    """Draw what the network makes, with a slider through the epochs; follow a run that trains."""
    if not alive and not samples.epochs(view.dir):
        return
    st.fragment(_draw, run_every=EVERY_S if alive else None)(view)


def _draw(view: RunView) -> None:
    epochs = samples.epochs(view.dir)
    if not epochs:
        return
    markup.style()
    st.subheader("What it makes and says")
    chosen = NEWEST
    if len(epochs) > 1:
        chosen = st.select_slider(
            "After epoch",
            [*epochs, NEWEST],
            NEWEST,
            format_func=lambda epoch: str(epoch) if epoch else "the newest",
            key=f"made:{view.name}",
        )
    epoch = chosen or epochs[-1]
    found = samples.made(view.dir, epoch)
    if found is not None:
        _show_epoch(found, epoch)


def _show_epoch(found: Made, epoch: int) -> None:
    if found.samples:
        with st.container(key="inside_made"):
            st.image(found.samples, alt=f"New samples after epoch {epoch}", width="stretch")
        st.caption(f"New samples after epoch {epoch}, from the same noise each time.")
    if found.pairs:
        noisy = len(found.pairs[0]) == 3
        _picture_cards(found.pairs, RECONSTRUCTION, "ll-misses three" if noisy else "ll-misses")
        words = f"What comes out after epoch {epoch}"
        st.caption(f"{words}: it should be the picture without the noise." if noisy else
                   f"{words}: it should be what goes in.")  # fmt: skip
    if found.masks:
        _picture_cards(found.masks, MASKS, "ll-misses three")
        st.caption(f"What the network says after epoch {epoch}: white where it is sure.")
    _plots(found, epoch)
    _predictions(found, epoch)
    for begins, goes_on in found.texts:
        st.html(
            f'<pre class="ll-text"><span>{markup.escape(begins)}</span>'
            f"{markup.escape(goes_on)}</pre>"
        )
    if found.texts:
        words = f"Beginnings of validation texts (pale), and how the network of epoch {epoch}"
        st.caption(
            escape_markdown(f"{words} goes on: each letter drawn by chance, temperature 0.8.", 200)
        )


def _picture_cards(rows: Rows, words: tuple[str, ...], look: str) -> None:
    """A card for each sample: its pictures side by side."""
    cards = "".join(
        '<div class="ll-miss"><div class="pictures">'
        + "".join(map(markup.captioned_picture, row, words))
        + "</div></div>"
        for row in rows
    )
    st.html(f'<div class="{look}">{cards}</div>')


def _plots(found: Made, epoch: int) -> None:
    for number, (true, said) in enumerate(found.lines, 1):
        places = [float(n) for n in range(1, len(true) + 1)]
        words = f"Series {number}: what the network says, and dotted what is right."
        ticks = [(1.0, "1"), (places[-1], f"{len(true)} values")]
        st.html(svg_plots.line(places, said, words, ticks, others=[true]))
    if found.lines:
        st.caption(f"Line: what the network says after epoch {epoch}. Dotted: what is right.")
    if found.numbers and found.numbers[0]:
        true, said = found.numbers
        st.html(
            svg_plots.dots(true, said, f"What {len(true)} samples are, and what is said of them.",
                           found.interval)
        )  # fmt: skip
        st.caption(f"A dot for each of {len(true)} validation samples: across, what is right; up, "
                   f"what the network says after epoch {epoch}. On the dashed line both are the "
                   f"same.{_interval_words(found)}")  # fmt: skip


def _interval_words(found: Made) -> str:
    """What the lines behind the dots are, and how many of them reach what is right."""
    if not found.numbers or not found.interval:
        return ""
    true, (low, high) = found.numbers[0], found.interval
    inside = sum(a <= x <= b for x, a, b in zip(true, low, high, strict=True))
    return (f" The line behind a dot is the interval that the network says; {inside} of "
            f"{len(true)} reach the dashed line, so that the right value is inside.")  # fmt: skip


VISIBLE_SPACE = {" ": "\u2423", "\n": "\u23ce"}


PAIR = ("the first of the pair", "the second of the pair")


TRIPLET = ("anchor", "positive", "negative")


def _predictions(found: Made, epoch: int) -> None:
    """Draw it, as far as there is any."""
    if found.answers:
        cards = "".join(answer_html(answer) for answer in found.answers)
        st.html(f'<div class="ll-misses small">{cards}</div>')
        st.caption(f"The first validation samples, and what the network says after epoch {epoch}.")
    if found.matrix:
        st.html(markup.matrix_html(found.matrix))
        st.caption(f"All that was validated after epoch {epoch}: {found.matrix.accuracy:.1%} "
                   "is right, on the diagonal.")  # fmt: skip
    if found.alike:
        _pairs(found, epoch)
    if found.places:
        _embeddings(found.places, epoch)
    if found.written:
        _texts(found.written, epoch)


def answer_html(answer: Answer) -> str:
    """One sample with what is said of it, right or not."""
    shown = f'<div class="words">{markup.escape(answer.words)}</div>'
    if answer.picture:
        shown = f'<div class="pictures">{markup.picture(answer.picture, "a sample")}</div>'
    sure = _small(f"{answer.sure:.0%} sure") if answer.sure is not None else ""
    return (
        f'<div class="ll-miss">{shown}{_predicted_and_true(answer.said, answer.true)}{sure}</div>'
    )


def _predicted_and_true(said: str, true: str) -> str:
    if said == true:
        return f"<div>says <b>{markup.escape(said)}</b>, right</div>"
    wrong = f'<span class="said">{markup.escape(said)}</span>'
    return f"<div>says {wrong}, is <b>{markup.escape(true)}</b></div>"


def _pairs(found: Made, epoch: int) -> None:
    triplets = len(found.alike[0].apart) == 2
    draw = triplet_html if triplets else pair_html
    cards = "".join(draw(each, found.similar) for each in found.alike)
    st.html(f'<div class="ll-misses {"three" if triplets else "two"}">{cards}</div>')
    if triplets:
        words = "The positive is of the anchor's class, the negative of another: the code of the "
        words += f"positive should lie nearer to the anchor's. Distances after epoch {epoch}."
    elif found.similar:
        words = f"Pairs after epoch {epoch}, and the cosine of their codes: above {found.limit:g} "
        words += "they count as the same class."
    else:
        words = f"Pairs after epoch {epoch}, and how far apart the network places them: below "
        words += f"{found.limit:g}, half the margin, they count as the same class."
    st.caption(escape_markdown(words, 300))


def pair_html(pair: Alike, similar: bool) -> str:
    """Two pictures side by side, their distance, what it says and what is right."""
    what = "cosine" if similar else "distance"
    said = _pictures(pair, PAIR) + _predicted_and_true(pair.said, pair.true)
    return f'<div class="ll-miss">{said}{_small(f"{what} {_number(pair.apart[0])}")}</div>'


def triplet_html(triplet: Alike, _: bool = False) -> str:
    """Three pictures, both distances, and whether their order is right."""
    near, far = map(_number, triplet.apart)
    right = triplet.said == triplet.true
    word = "right: the positive is nearer" if right else ""
    word = word or '<span class="said">wrong: the negative is nearer</span>'
    figures = _small(f"positive at {near} · negative at {far}")
    shown = _pictures(triplet, TRIPLET, markup.captioned_picture)
    return f'<div class="ll-miss">{shown}<div>{word}</div>{figures}</div>'


def _small(words: str) -> str:
    return f'<div class="small">{words}</div>'


def _number(value: float) -> str:
    return f"{value:.2f}" if math.isfinite(value) else "not finite"


def _pictures(
    each: Alike, words: tuple[str, ...], draw: Callable[[bytes, str], str] = markup.picture
) -> str:
    drawn = (draw(png, what) for png, what in zip(each.pictures, words, strict=False))
    return f'<div class="pictures">{"".join(drawn)}</div>' if each.pictures else ""


def _embeddings(found: Places, epoch: int) -> None:
    many, own = f"{len(found.xs)} validation samples", f"{found.nearest:.0%}"
    first, second = found.shares
    words = f"Codes of {many} along their first two principal components. The nearest other code "
    words += f"is of the same class for {own} of them."
    st.html(svg_plots.places(found.xs, found.ys, found.kinds, found.classes, words))
    signs = svg_plots.glyphs(found.classes)
    if signs != list(found.classes):
        st.html(legend_html(signs, found.classes))
    st.caption(escape_markdown(
        f"Where the codes of {many} lie after epoch {epoch}: principal component 1 across "
        f"({first:.0%} of the variance), 2 up ({second:.0%}). For {own} the nearest other code, "
        "by all of its numbers, is of the same class (recall at 1).", 400))  # fmt: skip


def legend_html(signs: list[str], names: tuple[str, ...]) -> str:
    """The sign and the name of every class."""
    each = "".join(
        f'<span><i style="background:{svg_plots.HUES[k % len(svg_plots.HUES)]}"></i>'
        f"<b>{markup.escape(sign)}</b> {markup.escape(name)}</span>"
        for k, (sign, name) in enumerate(zip(signs, names, strict=True))
    )
    return f'<div class="ll-legend">{each}</div>'


def _texts(found: tuple[Written, ...], epoch: int) -> None:
    if found[0].asked:
        st.html(answers_html(found))
        st.caption(f"What the network writes after epoch {epoch}, letter by letter, each after "
                   "those it wrote itself. Struck through is wrong. The validation metrics give "
                   "it the right letters before each instead.")  # fmt: skip
        return
    for text in found:
        st.html(f'<pre class="ll-text">{marked(text, True)}</pre>')
    wrong, all_ = sum(sum(t.wrong) for t in found), sum(sum(t.counted) for t in found)
    st.caption(f"Validation texts with covered letters, as the network of epoch {epoch} fills them "
               f"in: {all_ - wrong} of {all_} right (marked); struck through is wrong, what is "
               "right follows.")  # fmt: skip


def answers_html(found: tuple[Written, ...]) -> str:
    """A row for each: what is read, what is written, what is right."""
    head = "".join(f'<th scope="col">{name}</th>' for name in ("it reads", "it writes", "right"))
    rows = "".join(
        f"<tr><td>{markup.escape(each.asked)}</td><td><code>{marked(each)}</code></td>"
        f"<td><code>{markup.escape(each.true)}</code></td>"
        f'<td class="n">{_letters_right(each)}</td></tr>'
        for each in found
    )
    last = '<th class="n" scope="col">letters right</th>'
    return f'<table class="ll-table ll-written"><tr>{head}{last}</tr>{rows}</table>'


def _letters_right(each: Written) -> str:
    whole, wrong = len(each.counted), sum(each.wrong)
    return f"{whole - wrong} of {whole}" if wrong else "all"


def marked(text: Written, mend: bool = False) -> str:
    """What is said, wrong letters struck through; mend: the right ones after them."""
    found: list[str] = []
    for said, true, counted, wrong in zip(text.said, text.true, text.counted, text.wrong,
                                          strict=True):  # fmt: skip
        if not counted or not wrong:
            shown = markup.escape(VISIBLE_SPACE.get(said, said) if counted and mend else said)
            found.append(f"<mark>{shown}</mark>" if counted and mend else shown)
            continue
        found.append(f"<del>{markup.escape(VISIBLE_SPACE.get(said, said))}</del>")
        found.append(f"<ins>{markup.escape(VISIBLE_SPACE.get(true, true))}</ins>" if mend else "")
    return "".join(found)
