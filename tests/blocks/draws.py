"""Random settings and wires for a block: mostly plausible, sometimes wrong on purpose."""

from typing import Any

import torch
from hypothesis import strategies as st

from blocks import Block, N, Port, Setting, Signature
from blocks.spec import REQUIRED
from blocks.versions import has

sizes = st.integers(1, 9)
TEXTS = {
    "index": ("[:, 0]", "[..., ::2]", "[None, :, 1:3]", "[:, -1:, None]", "[2:]", "[:, :9:3, 1]"),
    "equation": ("bij,bij->bi", "...i,...i->...", "bi,bj->bij", "bcij, bcij -> bc", "bi,bi"),
    "weight": ("[0.5, 2, 1, 1]", "[1, 2]", "[0.25]"),
    "pos_weight": ("[2.0]", "[1, 2]"),
    "options": ("", "batch_chunk_size=2", 'chunking_method="aspect_ratio:2"'),
    "expression": ("a // 2", "a * 2 + 1", "(a + 3) % 4 - 1"),
}
"""Texts that a student might write, some of which fit only other wires."""
often = st.sampled_from([True, True, True, False])


def integers(setting: Setting) -> st.SearchStrategy[int]:
    """Small numbers, now and then just outside the range."""
    low = -3 if setting.low is None else int(setting.low)
    high = min(int(setting.high), 6) if setting.high is not None else 6
    return st.integers(low, max(low, high)) | st.just(low - 1)


def numbers(setting: Setting) -> st.SearchStrategy[float]:
    low = -2 if setting.low is None else setting.low
    high = 3 if setting.high is None else min(setting.high, 3)
    return st.sampled_from([low, high, (low + high) / 2, 1, 0.5])


def values(setting: Setting) -> st.SearchStrategy[Any]:
    """Draw a value of a setting's kind."""
    items = integers(setting) | st.none() if setting.holes else integers(setting)
    length = (
        {"min_size": setting.length, "max_size": setting.length}
        if setting.length
        else {"min_size": 1, "max_size": 4}
    )
    lists = st.lists(items, **length).map(tuple)
    found: st.SearchStrategy[Any] = {
        "int": integers(setting),
        "float": numbers(setting),
        "bool": st.booleans(),
        "choice": st.sampled_from(setting.choices or ("",)),
        "size": integers(setting) | lists,
        "dims": lists,
        "text": st.sampled_from(TEXTS.get(setting.name, ("",))),
    }[setting.kind]
    if setting.kind in ("size", "float") and setting.choices:
        found |= st.sampled_from(setting.choices)
    return found | st.none() if setting.optional else found


@st.composite
def given_settings(draw: st.DrawFn, block: Block) -> dict[str, Any]:
    """Draw what a student set; what has a default or is read off a wire is often absent."""
    given: dict[str, Any] = {}
    for setting in block.settings:
        if not has(setting, torch.__version__) or setting.name == "parametrize":
            continue  # what computes a weight has tests of its own
        required = setting.default is REQUIRED and setting.infer is None
        if required and setting.start is not None and draw(st.booleans()):
            given[setting.name] = setting.start
        elif required or not draw(often):
            given[setting.name] = draw(values(setting))
    if "batch_first" in block.start and draw(often):
        given["batch_first"] = True
    return given


@st.composite
def signatures(draw: st.DrawFn, port: Port, like: Signature | None = None) -> Signature:
    """Draw a wire for a port: like another wire, or of an accepted rank, or anything."""
    dtype = {"int": "int64"}.get(port.dtype, "float32")
    if not draw(often):
        dtype = draw(st.sampled_from(["float32", "int64", "bool"]))
    if like is not None and draw(often) and (not port.rank or like.rank in port.rank):
        shape = list(like.shape)
        if not draw(often):
            shape[draw(st.integers(0, len(shape) - 1))] = draw(sizes)
        return Signature(tuple(shape), dtype if draw(often) else like.dtype)
    ranks = port.rank if port.rank and draw(often) else (1, 2, 3, 4, 5)
    rank = draw(st.sampled_from(ranks))
    rest = [draw(sizes) for _ in range(rank - 1)]
    if rank > 2 and draw(st.integers(0, 9)) == 0:
        return Signature((rest[0], N, *rest[1:]), dtype)
    return Signature((N, *rest), dtype)


@st.composite
def wires(draw: st.DrawFn, block: Block, given: dict[str, Any]) -> dict[str, Any]:
    """Draw what is connected to a block; an optional port mostly gets what fits it."""
    found: dict[str, Any] = {}
    first: Signature | None = None
    for port in block.inputs:
        if port.optional and draw(often):
            continue
        if port.kind == "tensors":
            first = draw(signatures(port))
            more = draw(st.lists(signatures(port, first), min_size=1, max_size=2))
            found[port.name] = (first, *more)
        elif port.optional and first and first.rank > 1 and draw(often):
            found[port.name] = fitting(port, first, given)
        else:
            found[port.name] = draw(signatures(port, first))
            first = first or found[port.name]
    return found


def fitting(port: Port, first: Signature, given: dict[str, Any]) -> Signature:
    """Give an optional port the state, mask or weights that go with the first wire."""
    batch, steps = first.shape[:2] if given.get("batch_first") else first.shape[1::-1]
    if port.name in ("hx", "h_0", "c_0"):
        layers = given.get("num_layers", 1) * (2 if given.get("bidirectional") else 1)
        return Signature((layers, batch, given.get("hidden_size", 1)))
    if port.name == "per_sample_weights":
        return Signature(first.shape)
    if port.name.endswith("key_padding_mask"):
        return Signature((batch, steps), "bool")
    if first.rank == 4:
        steps = first.shape[2]
    return Signature((steps, steps), "bool")
