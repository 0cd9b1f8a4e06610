"""Filters: weights of a layer as pictures and numbers; samples that activate a channel most."""

from functools import partial

import streamlit as st

from app.markdown import escape_markdown
from app.pages.inside import activation_maximization, choice_grid, feature_maps
from app.pages.inside.inspection import Inspection
from app.pages.shared import markup, state
from app.process.pool import PoolError
from core.insight.weight_detail import (
    Exciting,
    ExcitingSample,
    FilterDetail,
    FilterTile,
    WeightLayer,
)

LAYER, FILTER, CHANNEL, START = ("inside:layer", "inside:filter", "inside:channel", "inside:first")
PER_PAGE, MOST_VALUES, FEW_VALUES, NARROW, ALL = 64, 1024, 49, 5, -1
COLOURS = "Indigo is positive, orange negative, white zero."


def show(inspection: Inspection) -> None:
    """Draw a layer's filters, and the chosen one with its numbers and strongest samples."""
    if inspection.alive:
        _live(inspection)
        return
    layers = inspection.layers()
    if not layers:
        st.info(
            "This network has no convolution and no Linear, so it has no filters. See Feature maps "
            "for the outputs of its blocks."
        )
        return
    left, right = st.columns([5, 8], gap="large")
    with left:
        layer, channel = _choose_layer(layers)
        number = _chosen(layer)
        _overview(inspection, layer, channel, number)
    with right, st.container(key="inside_filter"):
        _opened(inspection, layer, number, channel)


def _live(inspection: Inspection) -> None:
    """The first convolution as it is now, while the run trains."""
    shot = inspection.live_filters()
    if shot is None:
        st.info("The filters of the first convolution appear after the first epoch.")
        return
    st.subheader(escape_markdown(shot.node, 60))
    with st.container(key="inside_filters"):
        st.image(shot.picture, alt=f"The filters of {shot.node}")
    st.caption(f"{COLOURS} All layers and their values are available when the run has ended.")


def _choose_layer(layers: list[WeightLayer]) -> tuple[WeightLayer, int]:
    """Choose a block, and an input channel if it has several."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        names = [layer.node for layer in layers]
        about = {layer.node: f"{layer.node} · {layer.block} {_sizes(layer)}" for layer in layers}
        node = st.selectbox(
            "Block",
            names,
            key=LAYER,
            width=300,
            format_func=about.__getitem__,
        )
        layer = next((each for each in layers if each.node == node), layers[0])
        channels = layer.shape[1]
        if channels == 1 or layer.coloured or not layer.pictured:
            return layer, ALL
        if (state.value(CHANNEL) or 0) >= channels:
            state.keep(CHANNEL, 0)
        channel = st.selectbox("Input channel", range(channels), key=CHANNEL, width=120)
        return layer, channel or 0


def _sizes(layer: WeightLayer) -> str:
    count, channels, height, width = layer.shape
    if not layer.pictured:
        return f"{width} → {count}"
    return f"{count} of {channels}x{height}x{width}"


def _chosen(layer: WeightLayer) -> int:
    chosen = state.value(FILTER)
    return chosen if isinstance(chosen, int) and chosen < layer.shape[0] else 0


def _overview(inspection: Inspection, layer: WeightLayer, channel: int, number: int) -> None:
    """All filters of the layer, a page at a time."""
    count, start = layer.shape[0], 0
    if count > PER_PAGE:
        start = _page(count)
    tiles = inspection.tiles(layer.node, channel, start, PER_PAGE)
    what = "filters" if layer.pictured else "outputs"
    shown = (
        f"{start} to {start + len(tiles) - 1} of {count} {what}"
        if count > PER_PAGE
        else (f"{count} {what}")
    )
    legend = "Each is scaled from its lowest to its highest weight." if layer.coloured else COLOURS
    st.caption(f"{shown}, each with its L2 norm. {legend if layer.pictured else ''}")
    drawn = "".join(_tile(tile, layer.pictured) for tile in tiles)
    with st.container(height=620, border=False, key="inside_tiles_of_filters"):
        choice_grid.choice(
            f'<div class="ll-tiles filters">{drawn}</div>',
            str(number),
            "inside_filter_tiles",
            partial(choice_grid.keep_number, FILTER),
        )
        if not layer.pictured:
            st.image(inspection.heat_map(layer.node), alt=f"All weights of {layer.node}")
            st.caption(f"All weights: a row for each output, a column for each input. {COLOURS}")


def _page(count: int) -> int:
    start = int(state.value(START) or 0)
    start = start if start < count else 0
    with st.container(horizontal=True):
        for label, to in (("Previous", start - PER_PAGE), ("Next", start + PER_PAGE)):
            st.button(
                f"{label} {PER_PAGE}",
                key=f"inside:filters:{label}",
                type="tertiary",
                disabled=not 0 <= to < count,
                on_click=_turn,
                args=(to,),
            )
    return start


def _turn(start: int) -> None:
    state.keep(START, start)
    state.keep(FILTER, start)


def _tile(tile: FilterTile, pictured: bool) -> str:
    picture = markup.picture(tile.picture, "") if pictured else ""
    words = f'<b>{tile.number}</b><span class="small">{tile.norm:.3g}</span>'
    return choice_grid.button(tile.number, f"{picture}<span>{words}</span>", look="card")


def _opened(inspection: Inspection, layer: WeightLayer, number: int, channel: int) -> None:
    """One filter large, with its numbers and strongest samples."""
    detail = inspection.one_filter(layer.node, number, channel)
    what = "filter" if layer.pictured else "output"
    st.subheader(escape_markdown(f"{layer.node}, {what} {number}", 80))
    bias = "none" if detail.bias is None else f"{detail.bias:.4g}"
    flat = [value for row in detail.values for value in row]
    markup.figures(
        {
            "L2 norm": f"{detail.norm:.4g}",
            "bias": bias,
            "lowest": f"{min(flat):.4g}",
            "highest": f"{max(flat):.4g}",
        }
    )
    beside = layer.pictured and len(detail.values[0]) <= NARROW
    if layer.pictured:
        _pictures(layer, detail, beside)
    if not beside:
        _values(detail)
    _excited(inspection, layer, number)


def _pictures(layer: WeightLayer, detail: FilterDetail, values: bool) -> None:
    """The filter large, and beside it its values if wished, and its channels on one scale."""
    large, channels = st.columns([4, 7])
    with large, st.container(key="inside_filter_large"):
        st.image(detail.picture, alt=f"Filter {detail.number} of {layer.node}", width=230)
    with channels:
        if values:
            _values(detail)
        if not detail.channels:
            return
        picks = "".join(
            choice_grid.button(
                k, f'{markup.picture(png, "")}<span class="small">{reads}</span>', look="card"
            )
            for k, (png, reads) in enumerate(zip(detail.channels, detail.reads, strict=False))
        )
        pressed = None if detail.channel == ALL else str(detail.channel)
        choice_grid.choice(
            f'<div class="ll-tiles channels">{picks}</div>',
            pressed,
            "inside_channels",
            partial(choice_grid.keep_number, CHANNEL),
        )
        st.caption(f"Its input channels, all on one scale. {COLOURS}")


def _values(detail: FilterDetail) -> None:
    """The weights as numbers, to be copied."""
    of = "" if detail.channel == ALL else f" of input channel {detail.reads[detail.channel]}"
    flat = len(detail.values) * len(detail.values[0])
    with st.expander(f"Values{of}", expanded=not detail.channels and flat <= FEW_VALUES):
        rows = detail.values[: max(1, MOST_VALUES // len(detail.values[0]))]
        st.code(table(rows), language=None)


def table(rows: tuple[tuple[float, ...], ...]) -> str:
    """Numbers in columns, four figures each; a single long row in lines of five."""
    if len(rows) == 1 and len(rows[0]) > 5:
        flat = rows[0]
        rows = tuple(flat[k : k + 5] for k in range(0, len(flat), 5))
    return "\n".join(" ".join(f"{value:>10.4g}" for value in row) for row in rows)


def _excited(inspection: Inspection, layer: WeightLayer, number: int) -> None:
    """The validation samples in which this channel is largest."""
    st.html("<h3>Samples that activate it most</h3>")
    if inspection.overview["problem"]:
        st.caption(escape_markdown(inspection.overview["problem"], 300))
        return
    if not layer.drawn:
        st.caption("The output of this layer stays inside its block and cannot be recorded.")
        return
    try:
        with st.spinner("Searching the validation samples", show_time=False):
            exciting = inspection.exciting(layer.node, number)
    except PoolError as error:
        st.warning(escape_markdown(error, 300))
        return
    cards = "".join(excited_html(each) for each in exciting.samples)
    st.html(f'<div class="ll-misses excited">{cards}</div>')
    st.caption(_legend(exciting, layer))
    activation_maximization.show(inspection, layer, number)


def _legend(exciting: Exciting, layer: WeightLayer) -> str:
    looked, total = exciting.looked, exciting.total
    few = f"the first {looked:,} of {total:,}" if looked < total else f"all {total:,}"
    marked = any(each.field for each in exciting.samples) and layer.pictured
    frame = " The frame is its receptive field: the pixels it depends on." if marked else ""
    return f"The largest output of this channel on {few} validation samples.{frame}"


def excited_html(example: ExcitingSample) -> str:
    """A sample that activates a channel, with the receptive field of the largest value."""
    shown = example.sample
    if shown.picture:
        picture = markup.picture(shown.picture, f"Sample {shown.index}")
        drawn = f'<div class="ll-seen">{picture}{_frame(example)}</div>'
    else:
        drawn = f"<div>{markup.escape(feature_maps.in_words(shown))}</div>"
    place = f" at ({', '.join(map(str, example.place))})" if example.place else ""
    answer = f"<b>{markup.escape(shown.answer)}</b> " if shown.picture and shown.answer else ""
    return (
        f'<div class="ll-miss">{drawn}<div>{answer}{example.value:.4g}{place}</div>'
        f'<div class="small">{_seen(example)}sample {shown.index}</div></div>'
    )


def _frame(example: ExcitingSample) -> str:
    """The receptive field over the picture, in shares of it."""
    if example.field is None or len(example.field) != 2:
        return ""
    (top, bottom), (left, right) = example.field
    height, width = example.size
    return (
        f'<i style="left:{left / width:.2%};top:{top / height:.2%};'
        f'width:{(right - left) / width:.2%};height:{(bottom - top) / height:.2%}"></i>'
    )


def _seen(example: ExcitingSample) -> str:
    """The receptive field in words."""
    if not example.field:
        return ""
    sizes = [high - low for low, high in example.field]
    if len(sizes) == 2:
        return f"sees {sizes[0]}x{sizes[1]} · "
    low, high = example.field[0]
    return f"sees {low} to {high - 1} · " if example.place else ""
