"""What the network of a run says of classes, pairs, triplets and texts, on the Train page."""

import math
from collections.abc import Callable

import streamlit as st

from app.markdown import label
from app.pages.shared import confusion_matrix, markup, svg_plots
from core.insight.predictions import Alike, Answer, Places, Written
from core.insight.samples import Made

SEEN = {" ": "\u2423", "\n": "\u23ce"}
PAIR = ("the first of the pair", "the second of the pair")
TRIPLET = ("anchor", "positive", "negative")


def tell(found: Made, epoch: int) -> None:
    """Draw it, as far as there is any."""
    if found.answers:
        cards = "".join(answer_html(answer) for answer in found.answers)
        st.html(f'<div class="ll-misses small">{cards}</div>')
        st.caption(f"The first validation samples, and what the network says after epoch {epoch}.")
    if found.matrix:
        st.html(confusion_matrix.matrix_html(found.matrix))
        st.caption(f"All that was validated after epoch {epoch}: {found.matrix.accuracy:.1%} "
                   "is right, on the diagonal.")  # fmt: skip
    if found.alike:
        _tell_alike(found, epoch)
    if found.places:
        _tell_places(found.places, epoch)
    if found.written:
        _tell_written(found.written, epoch)


def answer_html(answer: Answer) -> str:
    """One sample with what is said of it, right or not."""
    shown = f'<div class="words">{markup.text(answer.words)}</div>'
    if answer.picture:
        shown = f'<div class="pictures">{markup.picture(answer.picture, "a sample")}</div>'
    sure = _small(f"{answer.sure:.0%} sure") if answer.sure is not None else ""
    return f'<div class="ll-miss">{shown}{_verdict(answer.said, answer.true)}{sure}</div>'


def _verdict(said: str, true: str) -> str:
    if said == true:
        return f"<div>says <b>{markup.text(said)}</b>, right</div>"
    wrong = f'<span class="said">{markup.text(said)}</span>'
    return f"<div>says {wrong}, is <b>{markup.text(true)}</b></div>"


def _tell_alike(found: Made, epoch: int) -> None:
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
    st.caption(label(words, 300))


def pair_html(pair: Alike, similar: bool) -> str:
    """Two pictures side by side, their distance, what it says and what is right."""
    what = "cosine" if similar else "distance"
    said = _pictures(pair, PAIR) + _verdict(pair.said, pair.true)
    return f'<div class="ll-miss">{said}{_small(f"{what} {_figure(pair.apart[0])}")}</div>'


def triplet_html(triplet: Alike, _: bool = False) -> str:
    """Three pictures, both distances, and whether their order is right."""
    near, far = map(_figure, triplet.apart)
    right = triplet.said == triplet.true
    word = "right: the positive is nearer" if right else ""
    word = word or '<span class="said">wrong: the negative is nearer</span>'
    figures = _small(f"positive at {near} · negative at {far}")
    shown = _pictures(triplet, TRIPLET, markup.told_picture)
    return f'<div class="ll-miss">{shown}<div>{word}</div>{figures}</div>'


def _small(words: str) -> str:
    return f'<div class="small">{words}</div>'


def _figure(value: float) -> str:
    return f"{value:.2f}" if math.isfinite(value) else "not finite"


def _pictures(
    each: Alike, words: tuple[str, ...], draw: Callable[[bytes, str], str] = markup.picture
) -> str:
    drawn = (draw(png, what) for png, what in zip(each.pictures, words, strict=False))
    return f'<div class="pictures">{"".join(drawn)}</div>' if each.pictures else ""


def _tell_places(found: Places, epoch: int) -> None:
    many, own = f"{len(found.xs)} validation samples", f"{found.nearest:.0%}"
    first, second = found.shares
    words = f"Codes of {many} along their first two principal components. The nearest other code "
    words += f"is of the same class for {own} of them."
    st.html(svg_plots.places(found.xs, found.ys, found.kinds, found.classes, words))
    signs = svg_plots.glyphs(found.classes)
    if signs != list(found.classes):
        st.html(legend_html(signs, found.classes))
    st.caption(label(
        f"Where the codes of {many} lie after epoch {epoch}: principal component 1 across "
        f"({first:.0%} of the variance), 2 up ({second:.0%}). For {own} the nearest other code, "
        "by all of its numbers, is of the same class (recall at 1).", 400))  # fmt: skip


def legend_html(signs: list[str], names: tuple[str, ...]) -> str:
    """The sign and the name of every class."""
    each = "".join(
        f'<span><i style="background:{svg_plots.HUES[k % len(svg_plots.HUES)]}"></i>'
        f"<b>{markup.text(sign)}</b> {markup.text(name)}</span>"
        for k, (sign, name) in enumerate(zip(signs, names, strict=True))
    )
    return f'<div class="ll-legend">{each}</div>'


def _tell_written(found: tuple[Written, ...], epoch: int) -> None:
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
        f"<tr><td>{markup.text(each.asked)}</td><td><code>{marked(each)}</code></td>"
        f"<td><code>{markup.text(each.true)}</code></td>"
        f'<td class="n">{_right(each)}</td></tr>'
        for each in found
    )
    last = '<th class="n" scope="col">letters right</th>'
    return f'<table class="ll-table ll-written"><tr>{head}{last}</tr>{rows}</table>'


def _right(each: Written) -> str:
    whole, wrong = len(each.counted), sum(each.wrong)
    return f"{whole - wrong} of {whole}" if wrong else "all"


def marked(text: Written, mend: bool = False) -> str:
    """What is said, wrong letters struck through; mend: the right ones after them."""
    found: list[str] = []
    for said, true, counted, wrong in zip(text.said, text.true, text.counted, text.wrong,
                                          strict=True):  # fmt: skip
        if not counted or not wrong:
            shown = markup.text(SEEN.get(said, said) if counted and mend else said)
            found.append(f"<mark>{shown}</mark>" if counted and mend else shown)
            continue
        found.append(f"<del>{markup.text(SEEN.get(said, said))}</del>")
        found.append(f"<ins>{markup.text(SEEN.get(true, true))}</ins>" if mend else "")
    return "".join(found)
