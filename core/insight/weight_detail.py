"""Filters of a layer and the samples that excite them, for display. No torch."""

from dataclasses import dataclass

from core.insight.thumbnails import Sample

Bounds = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class WeightLayer:
    """A layer whose weights can be looked at.

    shape: of its filters, (K, channels, H, W). pictured: whether a filter is a picture; else it is
    one weight for each input. coloured: whether its three channels are red, green and blue. drawn:
    whether it is a node of the drawing, whose output can be watched.
    """

    node: str
    block: str
    shape: tuple[int, int, int, int]
    pictured: bool
    coloured: bool = False
    drawn: bool = True


@dataclass(frozen=True)
class FilterTile:
    """One filter, small. norm: the L2 norm of all its weights; bias: None without one."""

    number: int
    picture: bytes
    norm: float
    bias: float | None


@dataclass(frozen=True)
class FilterDetail:
    """One filter with its numbers.

    picture: of the chosen channel; channels: small pictures of the first of them, on one scale;
    reads: which channel of the layer's input each of them reads. values: of the chosen channel,
    row by row.
    """

    number: int
    channel: int
    picture: bytes
    channels: tuple[bytes, ...]
    reads: tuple[int, ...]
    values: tuple[tuple[float, ...], ...]
    norm: float
    bias: float | None


@dataclass(frozen=True)
class ExcitingSample:
    """A sample in which a channel is large. place: where in the block's output.

    field: from where to where (excluded) of the sample's rows and columns that place sees, None
    where it is not known; size: how many rows and columns there are.
    """

    sample: Sample
    value: float
    place: tuple[int, ...]
    field: Bounds | None
    size: tuple[int, ...]


@dataclass(frozen=True)
class Exciting:
    """The samples that excite one channel most. looked: how many of `total` there was time for."""

    samples: tuple[ExcitingSample, ...]
    looked: int
    total: int


@dataclass(frozen=True)
class MadeInput:
    """An input that was made to excite a channel.

    picture: a PNG, b"" for a row. row: what each column holds, as the network reads it. first,
    last: the channel's mean before and after. script: the same in plain PyTorch. flat: whether a
    picture has one shade all over.
    """

    picture: bytes
    row: tuple[tuple[str, float], ...]
    first: float
    last: float
    script: str
    flat: bool = False
