"""Notes on the drawing, as the project file keeps them; frontend/src/model/notes.ts is the twin.

A note is {"text", "node"?, "inside"?, "at": [x, y], "size"?: [width, height]}. `inside` names the
composite in whose graph it stands. With `node` it is pinned to that block, and `at` counts from
the block's place. Whatever else stands in the list is kept as it is.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any, cast

from app.canvas.protocol import BadMessage, is_pixels, pixels
from core.graph import Graph
from core.project.values import BIDI, CONTROL, frozen

KEYS = frozenset({"text", "node", "inside", "at", "size"})
MAX_NOTES, MAX_TEXT = 500, 4000
_HALF = re.compile("[\ud800-\udfff]")

Notes = tuple[Any, ...]


def read_notes(items: Sequence[Any], graph: Graph, stored: Notes) -> Notes:
    """Read the notes of a message; of what is no note, what the project holds already stays.

    Raises BadMessage for too many.
    """
    if len(items) > MAX_NOTES:
        raise BadMessage(f"A project may have {MAX_NOTES} notes; this one has {len(items)}.")
    notes: list[Any] = []
    for item in items:
        note = _note(item, graph)
        if note is not None:
            notes.append(frozen(note))
        elif (other := frozen(item)) in stored:
            notes.append(other)
    return tuple(notes)


def _note(item: Any, graph: Graph) -> dict[str, Any] | None:
    if not isinstance(item, Mapping) or not set(cast(Mapping[str, Any], item)) <= KEYS:
        return None
    note = cast(Mapping[str, Any], item)
    text, at = note.get("text"), _pair(note.get("at"))
    inside, node = note.get("inside"), note.get("node")
    part = graph.composites.get(inside) if isinstance(inside, str) else None
    home = part.graph if part else graph
    there = node is None or (isinstance(node, str) and node in home.nodes)
    placed = at is not None and there and (inside is None or part is not None)
    if not isinstance(text, str) or len(text) > MAX_TEXT or not placed:
        return None
    size = _pair(note.get("size"))
    known = {"node": node, "inside": inside, "at": at, "size": size}
    return {"text": clean(text), **{key: value for key, value in known.items() if value}}


def clean(text: str) -> str:
    """The text without invisible characters, in the usual Unicode form."""
    bare = _HALF.sub("", BIDI.sub("", text.replace("\r\n", "\n")))
    lines = ("".join(CONTROL.split(line)) for line in bare.split("\n"))
    return unicodedata.normalize("NFC", "\n".join(lines))


def _pair(value: Any) -> list[float] | None:
    if not isinstance(value, list | tuple):
        return None
    pair = cast(Sequence[Any], value)
    fits = len(pair) == 2 and all(is_pixels(one) for one in pair)
    return [pixels(one) for one in pair] if fits else None
