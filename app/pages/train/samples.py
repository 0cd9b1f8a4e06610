"""What the network of a run makes and says, on the Train page, epoch after epoch."""

from collections.abc import Sequence

import streamlit as st

from app.markdown import label
from app.pages.shared import markup, svg_plots
from app.pages.train import predictions
from core.insight import samples
from core.insight.samples import Made
from core.runs.listing import RunView

NEWEST = 0
EVERY_S = 3.0
BACK = ("goes in", "comes out", "is right")
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
        _tell(found, epoch)


def _tell(found: Made, epoch: int) -> None:
    if found.samples:
        with st.container(key="inside_made"):
            st.image(found.samples, alt=f"New samples after epoch {epoch}", width="stretch")
        st.caption(f"New samples after epoch {epoch}, from the same noise each time.")
    if found.pairs:
        noisy = len(found.pairs[0]) == 3
        _tell_pictures(found.pairs, BACK, "ll-misses three" if noisy else "ll-misses")
        words = f"What comes out after epoch {epoch}"
        st.caption(f"{words}: it should be the picture without the noise." if noisy else
                   f"{words}: it should be what goes in.")  # fmt: skip
    if found.masks:
        _tell_pictures(found.masks, MASKS, "ll-misses three")
        st.caption(f"What the network says after epoch {epoch}: white where it is sure.")
    _tell_values(found, epoch)
    predictions.tell(found, epoch)
    for begins, goes_on in found.texts:
        st.html(
            f'<pre class="ll-text"><span>{markup.text(begins)}</span>{markup.text(goes_on)}</pre>'
        )
    if found.texts:
        words = f"Beginnings of validation texts (pale), and how the network of epoch {epoch}"
        st.caption(label(f"{words} goes on: each letter drawn by chance, temperature 0.8.", 200))


def _tell_pictures(rows: Rows, words: tuple[str, ...], look: str) -> None:
    """A card for each sample: its pictures side by side."""
    cards = "".join(
        '<div class="ll-miss"><div class="pictures">'
        f"{''.join(markup.told_picture(png, what) for png, what in zip(row, words, strict=False))}"
        "</div></div>"
        for row in rows
    )
    st.html(f'<div class="{look}">{cards}</div>')


def _tell_values(found: Made, epoch: int) -> None:
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
            svg_plots.dots(true, said, f"What {len(true)} samples are, and what is said of them.")
        )
        st.caption(f"A dot for each of {len(true)} validation samples: across, what is right; up, "
                   f"what the network says after epoch {epoch}. On the dashed line both are the "
                   "same.")  # fmt: skip
