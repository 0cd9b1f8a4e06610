"""Preview of a data set on the Data page: figures, samples, classes, columns."""

import streamlit as st

from app.markdown import escape_markdown
from app.pages.shared import markup, scatter, svg_plots
from app.services.preview_parts import COLUMNS, Curve, DataPreview
from core.data import DataSettings
from core.tasks.registry import task_of

NUMBERS = {"lowest": "lowest", "highest": "highest", "mean": "mean", "deviation": "std"}
MOST_BARS = 40
IN_A_ROW = 4
IMBALANCED = (
    "The classes are imbalanced. Check how the rare ones do, and set class weights on the Train "
    "page."
)
PARTS = (
    '<div class="ll-parts"><span><i></i>training samples</span>'
    "<span><i></i>validation samples</span>"
    "</div>"
)


def figures(settings: DataSettings, preview: DataPreview, sizes: tuple[int, int, int]) -> None:
    """Numbers of samples and classes, and the split."""
    source = settings.source
    shown = {source.things: f"{source.total:,}"}
    if source.classes:
        shown[_plural(class_word(settings))] = f"{len(source.classes)}"
    if source.shape and not source.by_file:
        shown["typical size" if source.decoded else "shape"] = markup.shape(source.shape)
    if words := one_hot(settings):
        shown["one-hot"] = words
    shown |= {"training samples": f"{sizes[0]:,}", "validation samples": f"{sizes[1]:,}"}
    shown |= {"test samples": f"{sizes[2]:,}"} if sizes[2] else {}
    markup.figures(shown)


def class_word(settings: DataSettings) -> str:
    """What a class of the target is called: "class", or "label"."""
    return task_of(settings.target, settings.source).class_word


def _plural(word: str) -> str:
    return f"{word}es" if word.endswith("s") else f"{word}s"


def one_hot(settings: DataSettings) -> str:
    """How many columns of a table the network sees, where words become several; or ""."""
    columns = settings.layout.get("columns", ())
    if settings.source.kind != "table" or not any(column["words"] for column in columns):
        return ""
    return f"{len(columns)} columns as {len(settings.source.columns)}"


def sounds(preview: DataPreview) -> None:
    """One sound of each class, to play."""
    heard = [pair for pair in preview.sounds if pair[1]]
    if not heard:
        return
    for start in range(0, len(heard), IN_A_ROW):
        columns = st.columns(IN_A_ROW)
        for column, (name, wave) in zip(columns, heard[start : start + IN_A_ROW], strict=False):
            column.caption(escape_markdown(name, 60))
            column.audio(wave, "audio/wav")


def samples(preview: DataPreview) -> None:
    """Pictures with their labels, or rows."""
    if preview.pictures:
        cells = "".join(
            f"<figure>{markup.picture(png, label or 'sample')}"
            f"<figcaption>{markup.escape(label)}</figcaption></figure>"
            for png, label in preview.pictures
        )
        wide = len(preview.counts)
        look = f' style="--columns: {wide}"' if wide in COLUMNS else ""
        kind = "ll-samples by-class" if look else "ll-samples"
        st.html(f'<div class="{kind}"{look} role="group" aria-label="Samples">{cells}</div>')
    if preview.points:
        st.html(scatter.figure(preview.points))
    if preview.curve:
        _series(preview.curve)
    if preview.rows:
        st.dataframe(list(preview.rows), hide_index=True)


def _series(curve: Curve) -> None:
    """What is predicted, in time, and where the later parts begin."""
    values = curve.values
    if len(values) < 2:
        return
    xs = [float(place) for place in range(len(values))]
    names = ("validation", "test")[: len(curve.starts)]
    ticks = [(curve.starts[0] / 2, "training"), *zip(curve.starts, names, strict=True)]
    words = f"{curve.name} in time; a dashed line where the {' and the '.join(names)} part begins."
    st.html(svg_plots.line(xs, values, words, ticks, marks=curve.starts, size=svg_plots.LARGE))
    st.caption(escape_markdown(words, 300))


def pixels(preview: DataPreview) -> None:
    """A bar for each class of masks, in its colour: its share of all pixels."""
    if not preview.shares:
        return
    st.subheader("Classes of the pixels")
    most = max(share for _, share, _ in preview.shares) or 1.0
    rows = "".join(
        f'<li><span>{markup.escape(name)}</span><i><b style="width:{100 * share / most:.2f}%;'
        f'background:{markup.escape(colour)}"></b></i><em>{share:.1%}</em></li>'
        for name, share, colour in preview.shares[:MOST_BARS]
    )
    st.html(f'<ul class="ll-classes" aria-label="Share of pixels of each class">{rows}</ul>')
    if (more := len(preview.shares) - MOST_BARS) > 0:
        st.caption(f"and {more} more classes")
    if preview.void:
        st.caption(f"{preview.void:.1%} of the pixels have no class: they do not count.")
    if any(share * 20 < most for _, share, _ in preview.shares):
        st.caption(f":material/balance: {IMBALANCED}")


def classes(preview: DataPreview, word: str) -> None:
    """A bar for each class or label: samples for training and for validation. word: for one."""
    if not preview.counts:
        return
    st.subheader(_plural(word).capitalize())
    most = max(learn + check for _, learn, check in preview.counts)
    rows = "".join(
        f'<li><span>{markup.escape(name)}</span><i><b style="width:{100 * learn / most:.2f}%"></b>'
        f'<u style="width:{100 * check / most:.2f}%"></u></i>'
        f"<em>{learn:,} + {check:,}</em></li>"
        for name, learn, check in preview.counts[:MOST_BARS]
    )
    more = len(preview.counts) - MOST_BARS
    st.html(PARTS)
    st.html(f'<ul class="ll-classes" aria-label="Samples of each {word}">{rows}</ul>')
    if more > 0:
        st.caption(f"and {more} more {_plural(word)}")
    least = min(learn for _, learn, _ in preview.counts)
    if least * 5 < max(learn for _, learn, _ in preview.counts):
        st.caption(f":material/balance: {IMBALANCED}")


def columns(preview: DataPreview) -> None:
    """Range, mean and standard deviation of every column of a table, or channel of pictures."""
    if not preview.columns:
        return
    pictures = bool(preview.pictures)
    st.subheader("Values" if pictures else "Columns")
    name = "channel" if pictures else "column"
    st.dataframe(
        list(preview.columns),
        hide_index=True,
        column_config={
            "column": st.column_config.TextColumn(name, width=112),
            **{number: st.column_config.Column(word, width=66) for number, word in NUMBERS.items()},
            "spread": st.column_config.BarChartColumn("histogram", y_min=0, width=92),
        },
    )
    markup.prose(
        "Mean and standard deviation (std) are computed on the training samples and used "
        "for normalising.",
        small=True,
    )
