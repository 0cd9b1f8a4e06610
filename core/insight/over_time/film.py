"""A film of blocks' outputs for a sample, or all over the plane, epoch by epoch: animated WebP
or GIF by Pillow."""

from collections.abc import Iterator, Sequence
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont
from torch import Tensor

from core.common.network_ref import Moment, NetworkRef
from core.insight.images import DIVERGING, as_maps, colour
from core.insight.load_model import NotReady
from core.insight.one_sample.plane import units_of
from core.insight.one_sample.values import forward
from core.insight.over_time.weights import at

FORMATS = {"webp": "image/webp", "gif": "image/gif"}
FRAME_MS, LAST_MS = 350, 1500
WIDTH, MARGIN, HEAD, LABEL, GAP = 720, 20, 40, 20, 4
MAPS, SIDE = 12, 64
"""At most so many maps of a block, each at most so many pixels high."""
PAPER, INK, MUTED = (255, 255, 255), (32, 33, 43), (92, 94, 112)
Values = NDArray[Any]


def film_of(
    ref: NetworkRef,
    inputs: Sequence[Tensor],
    blocks: Sequence[str],
    moments: Sequence[Moment],
    kind: str,
) -> bytes:
    """Draw one frame for each moment: the epoch, and the maps of each block on one scale over all.

    inputs: of a sample, or the grid of the plane. blocks: paths, top to bottom. Raises NotReady for
    one that puts out nothing that is drawn.
    """
    seen = [maps_of(ref, inputs, blocks, moment) for moment in moments]
    return drawn(seen, blocks, [str(moment.epoch) for moment in moments], kind)


def drawn(
    seen: Sequence[Sequence[Values]], blocks: Sequence[str], epochs: Sequence[str], kind: str
) -> bytes:
    """Draw one frame for each epoch from the maps of each block, as `maps_of` has them."""
    reach = [max(float(np.abs(frame[k]).max()) for frame in seen) for k in range(len(blocks))]
    frames = [
        _frame(f"Epoch {epoch}", blocks, values, reach)
        for epoch, values in zip(epochs, seen, strict=True)
    ]
    return _written(frames, kind)


def maps_of(
    ref: NetworkRef, inputs: Sequence[Tensor], blocks: Sequence[str], moment: Moment
) -> list[Values]:
    """The maps (K, H, W) of each block at a moment, at most MAPS of them. Raises NotReady."""
    wires = forward(at(ref, moment), inputs).wires
    return [_maps(block, next(iter(wires.get(block, {}).values()), None)) for block in blocks]


def _maps(block: str, value: Any) -> Values:
    if not isinstance(value, Tensor) or not value.numel():
        raise NotReady(f"{block} has no output that can be drawn.", "Choose other blocks.")
    units = units_of(value)
    if units is not None:
        return np.nan_to_num(units[:MAPS].numpy(), posinf=0.0, neginf=0.0)
    one = value.detach()[0] if value.dim() and len(value) == 1 else value.detach()
    return np.nan_to_num(as_maps(one.float().numpy())[:MAPS], posinf=0.0, neginf=0.0)


def _frame(
    title: str, blocks: Sequence[str], values: Sequence[Values], reach: Sequence[float]
) -> Image.Image:
    rows = [_row(maps, most) for maps, most in zip(values, reach, strict=True)]
    height = HEAD + sum(LABEL + row.height + 2 * GAP for row in rows) + MARGIN
    image = Image.new("RGB", (WIDTH, height), PAPER)
    pen, top = ImageDraw.Draw(image), HEAD
    pen.text((MARGIN, 10), title, INK, ImageFont.load_default(20))
    for block, row in zip(blocks, rows, strict=True):
        pen.text((MARGIN, top), block, MUTED, ImageFont.load_default(13))
        image.paste(row, (MARGIN, top + LABEL))
        top += LABEL + row.height + 2 * GAP
    return image


def _row(maps: Values, most: float) -> Image.Image:
    """The maps of a block beside each other: 0 in the middle of the colours, whole pixels."""
    shown = colour(maps / (2 * most) + 0.5 if most else np.full(maps.shape, 0.5), DIVERGING)
    _, high, wide = maps.shape
    room = (WIDTH - 2 * MARGIN) // len(maps) - GAP
    factor = max(1, min(room // wide, SIDE // high)) if wide <= room else 1
    size = (min(room, wide * factor), min(SIDE, high * factor) if high <= SIDE else SIDE)
    row = Image.new("RGB", (len(maps) * (size[0] + GAP) - GAP, max(size[1], 10)), PAPER)
    for place, tile in enumerate(shown):
        big = Image.fromarray(tile).resize((size[0], row.height), Image.Resampling.NEAREST)
        row.paste(big, (place * (size[0] + GAP), 0))
    return row


def _written(frames: Sequence[Image.Image], kind: str) -> bytes:
    file, times = BytesIO(), [FRAME_MS] * (len(frames) - 1) + [LAST_MS]
    more: dict[str, Any] = {"lossless": True, "quality": 60} if kind == "webp" else {"disposal": 1}
    frames[0].save(
        file,
        kind.upper(),
        save_all=True,
        append_images=list(_rest(frames)),
        duration=times,
        loop=0,
        **more,
    )
    return file.getvalue()


def _rest(frames: Sequence[Image.Image]) -> Iterator[Image.Image]:
    yield from frames[1:]
